/** A field as RFC 4180 has it: quoted where it holds what would end it. */
export const csvField = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
