import type { JsonBlob } from './format.ts';

/** Bytes of base64, which the page's own elements hold; ignores nothing. */
function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  const native = (Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> }).fromBase64;
  if (native) return native.call(Uint8Array, text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Takes raw deflate apart; `bytes` is the length of what comes out. */
export async function inflate(packed: Uint8Array<ArrayBuffer>, bytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new DecompressionStream('deflate-raw');
  const writer = stream.writable.getWriter();
  // Damaged input fails the reading side too, which is where it is told.
  writer.write(packed).catch(() => undefined);
  writer.close().catch(() => undefined);
  const out = new Uint8Array(bytes);
  let at = 0;
  const reader = stream.readable.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (at + value.length > bytes) throw new Error(`a part of this report is longer than it says (${bytes} bytes)`);
    out.set(value, at);
    at += value.length;
  }
  if (at !== bytes) throw new Error(`a part of this report is cut off: ${at} of ${bytes} bytes`);
  return out;
}

/** Where blobs come from: the page's elements, or a test's map. Gives the base64 text. */
export type BlobSource = (id: string) => string | Promise<string>;

/** The script runs before the browser has read the blobs, which stand last in the page. */
function pageIsRead(): Promise<void> {
  if (document.readyState !== 'loading') return Promise.resolve();
  return new Promise((resolve) => document.addEventListener('DOMContentLoaded', () => resolve(), { once: true }));
}

export function blobsOfPage(): BlobSource {
  return async (id) => {
    await pageIsRead();
    const element = document.getElementById(id);
    if (!element) throw new Error(`this report is cut off: its part ${id} is missing`);
    return element.textContent ?? '';
  };
}

export async function bytesOf(
  source: BlobSource,
  blob: { id: string; bytes: number },
): Promise<Uint8Array<ArrayBuffer>> {
  return inflate(bytesOfBase64((await source(blob.id)).trim()), blob.bytes);
}

export async function jsonOf<T>(source: BlobSource, blob: JsonBlob<T>): Promise<T> {
  return JSON.parse(new TextDecoder().decode(await bytesOf(source, blob))) as T;
}
