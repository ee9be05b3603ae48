import type { Submission, TaskType } from '../../api/tasks.ts';
import { texts } from '../../text/texts.ts';
import { wordsOf } from '../../text/words.ts';

/** What stands in the form. */
export interface Draft {
  type: string;
  name: string;
  command: string;
  arguments: string;
  request: string;
  /** Empty: as the type says, likewise below. */
  priority: string;
  gpus: string;
  memory: string;
}

export const kNoDraft: Draft = {
  type: '',
  name: '',
  command: '',
  arguments: '',
  request: '',
  priority: '',
  gpus: '',
  memory: '',
};

const kMemory = /^\d+(\.\d+)?\s*([KMGT]i?B?|B)?$/i;

/** What the type runs, or what is wrong with it. */
function programOf(draft: Draft, type: TaskType): Submission | string {
  const { submit: text } = texts.tasks;
  if (type.runs === 'workers') {
    try {
      return { request: JSON.parse(draft.request) as unknown };
    } catch {
      return text.badRequest;
    }
  }
  if (type.runs === 'command' && type.allow_arguments === false) return {};
  const words = wordsOf(type.runs === 'command' ? draft.arguments : draft.command);
  if (words === null) return text.badWords;
  if (type.runs === 'command') return words.length > 0 ? { arguments: words } : {};
  return words.length > 0 ? { command: words } : text.noCommand;
}

/** The body of the call, or in words why there is none. */
export function submissionOf(draft: Draft, type: TaskType): Submission | string {
  const { submit: text } = texts.tasks;
  const program = programOf(draft, type);
  if (typeof program === 'string') return program;
  const gpus = draft.gpus.trim();
  if (gpus !== '' && !/^\d{1,4}$/.test(gpus)) return text.badGpus;
  const amount = draft.memory.trim();
  if (amount !== '' && !kMemory.test(amount)) return text.badMemory;
  const name = draft.name.trim();
  return {
    type: type.name,
    ...program,
    ...(name === '' ? {} : { name }),
    ...(draft.priority === '' ? {} : { priority: draft.priority }),
    ...(gpus === '' ? {} : { gpus: Number(gpus) }),
    ...(amount === '' ? {} : { memory: amount.replace(/\s+/g, '') }),
  };
}
