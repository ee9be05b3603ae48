import { en, type Texts } from './en.ts';

/** The catalogue in force. */
export const texts: Texts = en;
