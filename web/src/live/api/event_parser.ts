/** Server-sent events as the HTML standard has them, from bytes that come in pieces of any size. */

export interface StreamEvent {
  /** "message" where the stream names none. */
  type: string;
  data: string;
  /** The id in force, its own or that of an event before; empty where there was none. */
  id: string;
}

export class EventParser {
  /** What the server asks to wait before a reconnection, ms. */
  retry: number | null = null;
  /** For Last-Event-ID. */
  lastId = '';
  private readonly decoder = new TextDecoder('utf-8');
  /** The end of the text so far, of which no line end was seen. */
  private rest = '';
  /** The text so far ended with CR: an LF that follows belongs to it. */
  private afterReturn = false;
  private type = '';
  private data: string[] = [];

  /** Events that are complete with these bytes. */
  push(bytes: Uint8Array): StreamEvent[] {
    let text = this.decoder.decode(bytes, { stream: true });
    if (text === '') return [];
    if (this.afterReturn && text.startsWith('\n')) text = text.slice(1);
    this.afterReturn = text === '' ? false : text.endsWith('\r');
    const lines = (this.rest + text).split(/\r\n|\r|\n/);
    this.rest = lines.pop()!;
    return lines.flatMap((line) => this.take(line) ?? []);
  }

  private take(line: string): StreamEvent | null {
    if (line === '') return this.dispatch();
    const colon = line.indexOf(':');
    // A line that begins with a colon is a comment, which keeps the connection alive.
    if (colon === 0) return null;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    this.set(field, value);
    return null;
  }

  private set(field: string, value: string): void {
    if (field === 'event') this.type = value;
    else if (field === 'data') this.data.push(value);
    else if (field === 'id' && !value.includes('\0')) this.lastId = value;
    else if (field === 'retry' && /^\d+$/.test(value)) this.retry = Number(value);
  }

  private dispatch(): StreamEvent | null {
    const event = { type: this.type || 'message', data: this.data.join('\n'), id: this.lastId };
    const isEmpty = this.data.length === 0;
    this.type = '';
    this.data = [];
    return isEmpty ? null : event;
  }
}
