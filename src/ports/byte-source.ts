/**
 * A request body on its way in. Push with backpressure: cheap on a Node socket,
 * plain on a web stream.
 *
 * A source is pumped at most once. A client that goes away or sends fewer bytes
 * than it declared rejects the pump with `IncompleteBody`; what `onChunk` throws
 * rejects it too, and stops the reading.
 */
export type ByteSource = {
  /** Bytes that `pump` will deliver, or null when nobody said. */
  readonly lengthBytes: number | null;
  /**
   * SHA-256 that the pump proves: it rejects when the bytes were others. Null or
   * absent: nobody said.
   */
  readonly provenSha256Hex?: string | null;
  /**
   * Delivers every chunk in order, each after the promise of the one before. The
   * receiver may keep a chunk, unless it says `isBorrowed`: then the source may use
   * its memory again as soon as `onChunk` has returned or its promise has settled.
   */
  pump(onChunk: OnChunk, isBorrowed?: boolean): Promise<void>;
};

/** Takes the next chunk; its promise is the backpressure. */
export type OnChunk = (chunk: Uint8Array) => void | Promise<void>;
