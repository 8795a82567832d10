// Bytes of a stream that wait for more: appended chunk by chunk, searched for
// marks, taken from the front. form-body.ts reads a form from it. However small the
// chunks are, each byte is copied a few times at most and looked at once for each
// mark.

const NOTHING = new Uint8Array(0);

export class PendingBytes {
  /** What waits, as a view of `#memory` or of the one chunk that it came in. */
  #bytes: Uint8Array;
  /**
   * Room in which `#bytes` stands, with more behind it; null while it is a chunk as
   * it came.
   */
  #memory: Uint8Array | null = null;
  /** Bytes that were searched for the current mark in vain. */
  #searchedBytes = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get length(): number {
    return this.#bytes.length;
  }

  /** The room doubles each time, so copies are seldom. */
  append(chunk: Uint8Array): void {
    if (this.#bytes.length === 0) {
      this.#bytes = chunk;
      this.#memory = null;
      return;
    }
    const length = this.#bytes.length + chunk.length;
    let memory = this.#memory;
    let start = memory === null ? 0 : this.#bytes.byteOffset - memory.byteOffset;
    if (memory === null || start + length > memory.length) {
      memory = new Uint8Array(Math.max(length, 2 * this.#bytes.length));
      memory.set(this.#bytes);
      start = 0;
    }
    memory.set(chunk, start + this.#bytes.length);
    this.#memory = memory;
    this.#bytes = memory.subarray(start, start + length);
  }

  /**
   * Where the mark begins; -1: not there yet. A search goes on where the last one
   * ended.
   */
  search(mark: Uint8Array): number {
    const at = find(this.#bytes, mark, this.#searchedBytes);
    this.#searchedBytes = at === -1 ? Math.max(0, this.#bytes.length - mark.length + 1) : 0;
    return at;
  }

  startsWith(mark: Uint8Array): boolean {
    return this.#bytes.length >= mark.length && mark.every((byte, at) => this.#bytes[at] === byte);
  }

  /** The first bytes, as a view that the next `append` may change. */
  view(lengthBytes: number): Uint8Array {
    return this.#bytes.subarray(0, lengthBytes);
  }

  /** Lets go of the first bytes; the next search begins anew. */
  drop(lengthBytes: number): void {
    this.#bytes = this.#bytes.subarray(lengthBytes);
    this.#searchedBytes = 0;
  }

  clear(): void {
    this.#bytes = NOTHING;
  }
}

/** Where `mark` begins in `bytes`, at `from` or behind it; -1 for nowhere. */
function find(bytes: Uint8Array, mark: Uint8Array, from: number): number {
  const first = mark[0] ?? 0;
  for (let at = bytes.indexOf(first, from); at !== -1; at = bytes.indexOf(first, at + 1)) {
    if (at + mark.length > bytes.length) return -1;
    let matched = 1;
    while (matched < mark.length && bytes[at + matched] === mark[matched]) matched++;
    if (matched === mark.length) return at;
  }
  return -1;
}
