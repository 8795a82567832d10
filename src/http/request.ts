import type { ByteSource } from '../ports/byte-source.ts';
import type { BucketName } from '../ports/domain.ts';
import type { RequestNotes } from './observe/request-notes.ts';

/**
 * A request as the surfaces see it: the request target as it came, never normalised (keys hold `//`, `..`, `+`),
 * headers by lower-case name, and a body that is read only when somebody asks. Each home makes it its own way,
 * so that the hot path builds no URL and no Headers object.
 */
export type HttpRequest = {
  readonly method: string;
  /** Percent-encoded path of the request line; starts with `/`. */
  readonly rawPath: string;
  /** Query of the request line without its `?`; '' when there is none. */
  readonly rawQuery: string;
  /** Host header: name and, where given, port. */
  readonly host: string;
  readonly isSecure: boolean;
  readonly remoteAddress: string | null;
  /** Value of a header by lower-case name, one character per byte; repeated ones joined by `, `. */
  header(name: string): string | null;
  headerNames(): Iterable<string>;
  /** The body as it comes over the wire, aws-chunked framing included. Answers `Expect: 100-continue` when pumped. */
  body(): ByteSource;
  readonly notes: RequestNotes;
};

/**
 * A GET or HEAD of which nothing else can matter: no query, and no header that could change the answer, but for these
 * (http/delivery/deciding-headers.ts lists which could). What the hot lane asks for.
 */
export type PlainRead = {
  readonly isHead: boolean;
  /** As in HttpRequest. */
  readonly rawPath: string;
  readonly host: string;
  readonly ifNoneMatch: string | null;
};

/**
 * An answer that stood ready in memory. `headers` lack x-amz-request-id, which comes last; they are the same object for
 * as long as the object has not changed, so that a home may keep what it makes of them in a WeakMap.
 */
export type HotReply = {
  readonly status: 200 | 304;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
  /** Whose object it is. */
  readonly bucket: BucketName;
};

/** Answers at once and meters it, or gives null: then nothing was done and the request must go the full way. */
export type AnswerHot = (read: PlainRead) => HotReply | null;
