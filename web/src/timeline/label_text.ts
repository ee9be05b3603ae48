import { cutMiddle } from '../text/names.ts';

/** Labels of tracks and headings, cut so that what they are and what they are named can both be told. Pure. */

/** Width of a text. */
export type Measure = (text: string) => number;

/** "Process 1234 python", "Thread 12 (main)", "GPU 0 NVIDIA H100" */
const kNumbered = /^(Process|Thread|GPU|Stream) (\d+) (.+)$/;
/** Characters of a name that still tell something. */
const kFewest = 7;

/** The longest cut that fits; at least the mark of a cut. */
function cutTo(text: string, width: number, measure: Measure): string {
  if (measure(text) <= width) return cutMiddle(text, text.length);
  let [least, most] = [1, text.length - 1];
  while (least < most) {
    const middle = (least + most + 1) >>> 1;
    if (measure(cutMiddle(text, middle)) <= width) least = middle;
    else most = middle - 1;
  }
  return cutMiddle(text, least);
}

/** Of a program's path its file. */
const fileOf = (name: string): string => (/^[^ ]*\/[^/ ]+$/.test(name) ? name.slice(name.lastIndexOf('/') + 1) : name);

function numbered(what: string, number: string, name: string, width: number, measure: Measure): string {
  const file = fileOf(name);
  for (const head of [`${what} ${number} `, `${number} `]) {
    const cut = cutTo(file, width - measure(head), measure);
    if ((cut === file || cut.length >= kFewest) && measure(head + cut) <= width) return head + cut;
  }
  return cutTo(`${number} ${file}`, width, measure);
}

/** What is left of the innermost heading counts most: headings that were joined give way to it. */
export function labelText(label: string, width: number, measure: Measure): string {
  if (measure(label) <= width) return cutMiddle(label, label.length);
  const joint = label.lastIndexOf(' › ');
  if (joint > 0) {
    const last = label.slice(joint + 3);
    const room = width - measure(`${last} › `);
    const first = room > 0 ? labelText(label.slice(0, joint), room, measure) : '';
    return first.length >= kFewest ? `${first} › ${last}` : labelText(last, width, measure);
  }
  const parts = kNumbered.exec(label);
  return parts ? numbered(parts[1]!, parts[2]!, parts[3]!, width, measure) : cutTo(label, width, measure);
}
