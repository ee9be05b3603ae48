import { cutMiddle } from '../text/names.ts';

/** A name within a sentence: not too long, and its direction of writing ends with it (U+2068 to U+2069, as <bdi>). */
export const isolated = (name: string, most = 60): string => `\u2068${cutMiddle(name, most)}\u2069`;
