import { useEffect } from 'preact/hooks';

/** Nobody looks at a hidden tab: it does no work. */
export function useWhileVisible(start: () => void, stop: () => void, of: unknown): void {
  useEffect(() => {
    const follow = () => (document.hidden ? stop() : start());
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      stop();
    };
  }, [of]);
}

/** Calls `tick` every so many ms while the tab is seen. */
export function useTicks(ms: number, tick: () => void): void {
  useEffect(() => {
    const timer = setInterval(() => document.hidden || tick(), ms);
    return () => clearInterval(timer);
  }, [ms]);
}
