import type { Attempt, GpuSlots, Queue, Task, TaskNews, TaskState } from '../api/tasks.ts';

export const kOver: readonly TaskState[] = ['succeeded', 'failed', 'cancelled'];
export const isOver = ({ state }: { state: TaskState }): boolean => kOver.includes(state);

/** The one that runs, or the last one that did. */
export const lastAttempt = (task: Task): Attempt | null => task.attempts?.at(-1) ?? null;

/** UUIDs of the GPUs that it has now. */
export const gpusOf = (task: Task): readonly string[] => lastAttempt(task)?.gpus ?? [];

/** Behind the last one of its priority: only the service knows the order between priorities. */
function withWaiting(waiting: readonly Task[], task: Task): Task[] {
  const at = waiting.findLastIndex(({ priority }) => priority === task.priority);
  const place = at < 0 ? waiting.length : at + 1;
  return [...waiting.slice(0, place), task, ...waiting.slice(place)];
}

const withAttempts = (task: Task, known: Task | undefined): Task =>
  task.attempts || !known?.attempts ? task : { ...task, attempts: known.attempts };

/** Slots and memory as the tasks that run take them. */
export function slotsOf(gpus: readonly GpuSlots[], running: readonly Task[]): GpuSlots[] {
  return gpus.map((gpu) => {
    const here = running.filter((task) => gpusOf(task).includes(gpu.uuid));
    const reserved = here.reduce((sum, task) => sum + (lastAttempt(task)?.reserved_bytes ?? 0), 0);
    return { ...gpu, tasks: here.length, reserved_bytes: reserved };
  });
}

/** The queue after what was told of tasks, but its counts, which have an event of their own; `isGuess` where only the service knows more: an order, a GPU. */
export function applyTaskNews(queue: Queue, news: readonly TaskNews[]): { queue: Queue; isGuess: boolean } {
  const last = new Map(news.map(({ task }) => [task.id, task]));
  const known = new Map([...queue.waiting, ...queue.running].map((task) => [task.id, task]));
  let waiting = queue.waiting
    .filter(({ id }) => (last.get(id)?.state ?? 'waiting') === 'waiting')
    .map((task) => last.get(task.id) ?? task);
  const running = queue.running
    .filter(({ id }) => (last.get(id)?.state ?? 'running') === 'running')
    .map((task) => withAttempts(last.get(task.id) ?? task, task));
  let isGuess = false;
  const wasWaiting = new Set(queue.waiting.map(({ id }) => id));
  const wasRunning = new Set(queue.running.map(({ id }) => id));
  for (const task of last.values()) {
    if (task.state === 'waiting' && !wasWaiting.has(task.id)) {
      waiting = withWaiting(waiting, task);
      isGuess = true;
    } else if (task.state === 'running' && !wasRunning.has(task.id)) {
      running.push(withAttempts(task, known.get(task.id)));
      isGuess ||= !task.attempts?.length;
    }
  }
  const gpus = running.every(lastAttempt) ? slotsOf(queue.gpus, running) : queue.gpus;
  return { queue: { ...queue, waiting, running, gpus }, isGuess };
}
