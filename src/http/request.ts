import type { ByteSource } from '../ports/byte-source.ts';

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
};
