import { useEffect, useState } from 'preact/hooks';
import type { Sections } from '../data/format.ts';
import type { Report } from '../data/report.ts';
import { loadSection } from '../charts/use_sections.ts';
import { remember } from './use_promise.ts';

/** Whether the page is being put on paper: all parts are shown then, and lists as far as paper is for them. */
let printing = false;
const listeners = new Set<(printing: boolean) => void>();

function setPrinting(value: boolean): void {
  printing = value;
  for (const listener of listeners) listener(value);
}

/** Follows the browser's own way to print as well; once, at start. */
export function watchPrinting(): void {
  addEventListener('beforeprint', () => setPrinting(true));
  addEventListener('afterprint', () => setPrinting(false));
}

export function usePrinting(): boolean {
  const [value, setValue] = useState(printing);
  useEffect(() => {
    listeners.add(setValue);
    setValue(printing);
    return () => void listeners.delete(setValue);
  }, []);
  return value;
}

/** Also those that a report lacks: views that ask for them wait for the answer. */
const kSections: readonly (keyof Sections)[] = [
  'modules',
  'module_work',
  'kernels',
  'launches',
  'copies',
  'stacks',
  'tables',
];

/**
 * Browsers print from their menu without a wait: what is printed is decoded while the page has nothing else to do. Then
 * the document says so (data-printable), for programs that print it.
 */
export function prepareToPrint(report: Report): void {
  const idle = globalThis.requestIdleCallback ?? ((run: () => void) => setTimeout(run, kIdle));
  const done = () => {
    document.documentElement.dataset['printable'] = 'true';
  };
  idle(() => void decodeAll(report).then(done), { timeout: kIdle });
}

/** ms */
const kIdle = 500;

/** Everything that is printed and not yet decoded. */
function decodeAll(report: Report): Promise<unknown> {
  const sections = kSections.map((name) => loadSection(report, name));
  // Some views read a section of one profile.
  const single = report.profiles.flatMap((profile) => kSections.flatMap((name) => profile.section(name) ?? []));
  const differences = report.differences ? [report.differences()] : [];
  const gate = report.gate ? [report.gate()] : [];
  return Promise.all([
    ...sections,
    ...[...single, ...differences, ...gate].map((promise) => remember<unknown>(promise)),
  ]);
}

const nextFrame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve));

/** Prints when all parts are there and drawn. */
export async function printReport(report: Report): Promise<void> {
  await decodeAll(report);
  setPrinting(true);
  // Charts draw one frame after they are there.
  await nextFrame();
  await nextFrame();
  await nextFrame();
  window.print();
}
