// A request as the surfaces see it, and a response before it is one of the runtime.
// Each platform makes requests its own way; nothing here knows a runtime.
import type { ByteSource } from '../ports/byte-source.ts';
import type { RequestNotes } from './observe/request-notes.ts';

/**
 * A request as the surfaces see it: the request target as it came, never normalised
 * (keys hold `//`, `..`, `+`), headers by lower-case name, and a body that is read
 * only when somebody asks. Each platform makes it its own way, so that the hot path
 * builds no URL and no Headers object.
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
  /** How the client itself came, where this platform can tell; absent is null. */
  readonly knownProtocol?: KnownProtocol;
  /**
   * The TLS between the client and this platform; null without, or where a proxy
   * has ended it. Absent where none is known.
   */
  readonly tls?: () => Tls | null;
  readonly remoteAddress: string | null;
  /**
   * The country that the client is in, as the platform says: two capital letters.
   * Absent where it can't tell.
   */
  readonly country?: () => string | null;
  /**
   * Whether client and server are one machine, and nobody has passed the request
   * on: no network has seen it. Absent where the platform can't tell, as on
   * Cloudflare.
   */
  readonly isFromLoopback?: () => boolean;
  /**
   * Value of a header by lower-case name, one character per byte; repeated ones
   * joined by `, `.
   */
  header(name: string): string | null;
  headerNames(): Iterable<string>;
  /**
   * The body as it comes over the wire, aws-chunked framing included. Answers
   * `Expect: 100-continue` when pumped.
   */
  body(): ByteSource;
  readonly notes: RequestNotes;
  /**
   * Reports once how the sending of the response ended. For the access log; called
   * when the response's head stands.
   */
  onSent(report: (sent: SentAnswer) => void): void;
  /**
   * Calls `release` when the client sends no more, or its connection ends, before it
   * has its response. Absent where the platform can't tell.
   */
  readonly whenGone?: ((release: () => void) => void) | undefined;
  /**
   * Calls `release` when the client has gone away before it had all of its response.
   * Absent where `onSent` says how far the response came.
   */
  readonly whenCut?: ((release: () => void) => void) | undefined;
  /**
   * Makes the Response of a response, where this platform sends some of them
   * itself; others have none.
   */
  readonly respond?: ((answer: OutgoingAnswer) => Response) | undefined;
};

/**
 * Null: plain HTTP that comes from a proxy nobody named, for all we know, which may
 * have taken https from the client.
 */
export type KnownProtocol = 'http' | 'https' | null;

/**
 * `version` is the number alone: `1.3`. `cipher`: as the platform names it; null
 * where it does not.
 */
export type Tls = { readonly version: string; readonly cipher: string | null };

/** A response before it is a Response. */
export type OutgoingAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | ReadableStream<Uint8Array> | null;
};

/**
 * What only the platform's server knows of a response. Null where it can't be
 * known.
 */
export type SentAnswer = {
  /** `HTTP/1.1` */
  readonly protocol: string;
  /**
   * Bytes of the body that were given to the connection, with the framing of
   * chunks.
   */
  readonly bodyBytes: number | null;
  /** Whether the client stayed to the end. */
  readonly isWhole: boolean | null;
};
