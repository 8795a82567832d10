import type { AccessKeyId, BucketName } from '../domain/nouns.ts';
import type { BorrowedBuffer } from '../ports/blob-store.ts';
import type { ByteSource } from '../ports/byte-source.ts';
import type { RequestNotes, Surface } from './observe/request-notes.ts';
import { type ByteRange, contentRange, lengthOf } from './semantics/range.ts';

/**
 * A request as the surfaces see it: the request target as it came, never normalised (keys hold
 * `//`, `..`, `+`), headers by lower-case name, and a body that is read only when somebody asks.
 * Each home makes it its own way, so that the hot path builds no URL and no Headers object.
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
  /** How the client itself came, where this home can tell; absent is null. */
  readonly knownProtocol?: KnownProtocol;
  /**
   * Of the TLS between the client and this home; null without, or where a proxy has ended it.
   * Absent where none is known.
   */
  readonly tls?: () => Tls | null;
  readonly remoteAddress: string | null;
  /**
   * Whether client and server are one machine, and nobody has passed the request on: no network has
   * seen it. Absent where the platform can't tell, as on Cloudflare.
   */
  readonly isFromLoopback?: () => boolean;
  /** Value of a header by lower-case name, one character per byte; repeated ones joined by `, `. */
  header(name: string): string | null;
  headerNames(): Iterable<string>;
  /**
   * The body as it comes over the wire, aws-chunked framing included. Answers `Expect:
   * 100-continue` when pumped.
   */
  body(): ByteSource;
  readonly notes: RequestNotes;
  /**
   * Tells once how the sending of the answer ended. For the access log; called when the answer's
   * head stands.
   */
  onSent(report: (sent: SentAnswer) => void): void;
  /**
   * Makes the Response of an answer, where this home sends some of them itself; others have none.
   */
  readonly respond?: ((answer: OutgoingAnswer) => Response) | undefined;
};

/**
 * Null: plain HTTP that comes from a proxy nobody named, for all we know, which may have taken
 * https from the client.
 */
export type KnownProtocol = 'http' | 'https' | null;

/** `version` is the number alone: `1.3`. `cipher`: as the home names it; null where it does not. */
export type Tls = { readonly version: string; readonly cipher: string | null };

/** An answer before it is a Response. */
export type OutgoingAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | ReadableStream<Uint8Array> | null;
};

/** What only the home's server knows of an answer. Null where it can't be known. */
export type SentAnswer = {
  /** `HTTP/1.1` */
  readonly protocol: string;
  /** Bytes of the body that were given to the connection, with the framing of chunks. */
  readonly bodyBytes: number | null;
  /** Whether the client stayed to the end. */
  readonly isWhole: boolean | null;
};

/**
 * Headers that choose between answers in some buckets, so that a plain read may have them. In lower
 * case. A read that has one of them twice is not plain.
 */
export const SELECTING_HEADERS = [
  'accept',
  'accept-encoding',
  'referer',
  'sec-fetch-mode',
] as const;
export type SelectingHeader = (typeof SELECTING_HEADERS)[number];

/**
 * A GET or HEAD of which nothing else can matter: no query, and no header that could change the
 * answer, but for these (http/delivery/deciding-headers.ts lists which could). What the hot lane
 * asks for.
 */
export type PlainRead = {
  readonly isHead: boolean;
  /** As in HttpRequest. */
  readonly rawPath: string;
  readonly host: string;
  readonly ifNoneMatch: string | null;
  readonly range: string | null;
  /**
   * As in HttpRequest. Only while the answer is being made: a home may read it out of a buffer that
   * it uses again.
   */
  header(name: SelectingHeader): string | null;
};

/**
 * A GET or HEAD of which only the signature and what it covers can matter besides: no header that
 * could change the answer but those of HotDoor.signingHeaders and others that begin with `x-amz-`,
 * which whoever answers looks at by name.
 */
export type SignedRead = Omit<PlainRead, 'header'> & {
  readonly method: 'GET' | 'HEAD';
  readonly rawQuery: string;
  /**
   * As in HttpRequest, of any name; throws where a home can't tell. Only while the answer is being
   * made.
   */
  header(name: string): string | null;
  /** Those that begin with `x-amz-`, and maybe others. In lower case. */
  headerNames(): Iterable<string>;
};

/**
 * An answer that stood ready in memory, or all of it but the bytes of a range. `headers` lack
 * x-amz-request-id, which comes last, and have an empty x-amz-id-2 where that is to say the same;
 * they are the same object for as long as the object has not changed, so that a home may keep what
 * it makes of them in a WeakMap.
 */
export type HotReply = {
  readonly status: 200 | 206 | 304;
  readonly headers: Readonly<Record<string, string>>;
  /** Of a 206: the values of those headers of PART_HEADERS that stand empty in `headers`. */
  readonly part: HotPart | null;
  readonly body: Uint8Array | null;
  /** The body instead, lent, to be released when it was sent or never will be. */
  readonly borrowed: BorrowedBuffer | null;
  /**
   * Set where a 206 lacks its part and its body: reads them, meters them, and gives the whole
   * reply. Null: they are not at hand any more, nothing was done, and the request must go the full
   * way. To be called once at most, and soon. `maySend`: as of LendBytes.
   */
  readonly finish: ((maySend: boolean) => HotReply | null) | null;
  /** Whose object it is, and which part of the service it was asked of. */
  readonly bucket: BucketName;
  readonly surface: Extract<Surface, 'delivery' | 'website' | 's3'>;
  /** Who signed; null: nobody. */
  readonly accessKeyId: AccessKeyId | null;
};

/**
 * The whole reply, or null. What fails here fails once more on the full way, where failures are
 * answered and logged. `maySend`: as of LendBytes.
 */
export function finished(reply: HotReply, maySend: boolean): HotReply | null {
  if (reply.finish === null) return reply;
  try {
    return reply.finish(maySend);
  } catch {
    return null;
  }
}

/** Of a whole reply. */
export function bodyBytesOf({ body, borrowed }: HotReply): number {
  return body?.length ?? borrowed?.lengthBytes ?? 0;
}

/**
 * What differs from range to range. `sizeBytes`: of the whole object; `serverTiming` is empty where
 * the headers say it for every range.
 */
export type HotPart = {
  readonly range: ByteRange;
  readonly sizeBytes: number;
  readonly serverTiming: string;
};

/** The headers that say it. */
export const PART_HEADERS = ['content-length', 'content-range', 'server-timing'] as const;
export type PartHeader = (typeof PART_HEADERS)[number];

/** The value of one of these headers. */
export function partValue(name: PartHeader, { range, sizeBytes, serverTiming }: HotPart): string {
  if (name === 'server-timing') return serverTiming;
  return name === 'content-length' ? `${lengthOf(range)}` : contentRange(range, sizeBytes);
}

/**
 * Answers at once and meters it (what has a `finish`, then), or gives null: then nothing was done
 * and the request must go the full way. `askProtocol` is asked before it returns, and only where it
 * matters; without it such reads go the full way.
 */
export type AnswerHot = (read: PlainRead, askProtocol?: () => KnownProtocol) => HotReply | null;
/** The same of a signed read, whose signature is checked first. */
export type AnswerHotSigned = (read: SignedRead) => HotReply | null;

/** A hot answer that a home has given, for the access log. */
export type HotServed = {
  readonly read: Pick<PlainRead, 'isHead' | 'rawPath' | 'host'> & { readonly rawQuery?: string };
  readonly reply: HotReply;
  readonly requestId: string;
  readonly remoteAddress: string | null;
  /** In the home's own hands; how long the client took to read it is not known. */
  readonly durationMs: number;
  header(name: string): string | null;
};

/** The second door of the app, for a home that can answer before its server does. */
export type HotDoor = {
  readonly answer: AnswerHot;
  readonly answerSigned: AnswerHotSigned;
  /**
   * All of the app but the pages under `/-/`, for a home that has the whole request without its
   * server.
   */
  readonly ask: (request: HttpRequest) => Response | Promise<Response>;
  /** Names of headers, in lower case, that `answer` does not know and that could change it. */
  readonly decidingHeaders: readonly string[];
  /** Those of them that `answerSigned` knows. */
  readonly signingHeaders: readonly string[];
  readonly requestId: () => string;
  /** To be told of each answer that was given, for the access log; null: nobody wants to know. */
  readonly served: ((served: HotServed) => void) | null;
};
