// The app's fast path, as platforms see it: what a request must be to take it, and
// the calls that answer one. Made by app.ts, called by adapters/node/fast-path and
// adapters/cloudflare/requests. It decides nothing: answer-at-once.ts and
// s3/fast-read/fast-read.ts do.
import type { HttpRequest, KnownProtocol } from '../../request.ts';
import type { FastResponse, WholeResponse } from './fast-response.ts';

/**
 * Headers that choose between responses in some buckets, so that a plain read may
 * have them, and conditions. In lower case. A read that has one of them twice is not
 * plain.
 */
export const SELECTING_HEADERS = [
  'accept',
  'accept-encoding',
  'if-match',
  'if-modified-since',
  'if-unmodified-since',
  'referer',
  'sec-fetch-mode',
] as const;
export type SelectingHeader = (typeof SELECTING_HEADERS)[number];
/**
 * Headers that only links look at. One that comes twice is plain all the same: none
 * of its values lets anybody in.
 */
type LinkHeader = 'user-agent';

/**
 * A GET or HEAD of which nothing else can matter: no query, and no header that
 * could change the response but the selecting ones (deciding-headers.ts lists those
 * that could).
 */
export type PlainRead = {
  readonly isHead: boolean;
  /** Percent-encoded path of the request line; starts with `/`. */
  readonly rawPath: string;
  readonly host: string;
  readonly ifNoneMatch: string | null;
  readonly range: string | null;
  /**
   * Value of a header. To be called only while the response is being made: a
   * platform may read it out of a buffer that it uses again.
   */
  header(name: SelectingHeader | LinkHeader): string | null;
  /** The country that the client is in; absent where the platform can't tell. */
  readonly country?: () => string | null;
};

/**
 * A GET or HEAD of which only the signature and what it covers can matter besides.
 * It has no header that could change the response but FastPath.signingHeaders and
 * others that begin with `x-amz-`, which whoever answers looks at by name.
 */
export type SignedRead = Omit<PlainRead, 'header'> & {
  readonly method: 'GET' | 'HEAD';
  readonly rawQuery: string;
  /**
   * Value of a header of any name; throws where a platform can't tell. To be called
   * only while the response is being made.
   */
  header(name: string): string | null;
  /**
   * Names of the headers that begin with `x-amz-`, and maybe others. In lower case.
   */
  headerNames(): Iterable<string>;
};

/**
 * Answers at once and meters it (a range that is read later, then), or gives null:
 * then nothing was done and the request must take the full path. `readProtocol` is
 * called before it returns, and only where it matters; without it such reads take
 * the full path.
 */
export type AnswerAtOnce = (
  read: PlainRead,
  readProtocol?: () => KnownProtocol,
) => FastResponse | null;
/**
 * Answers a signed read at once, whose signature is checked first; else as
 * AnswerAtOnce.
 */
export type AnswerSignedAtOnce = (read: SignedRead) => FastResponse | null;

/** A fast-path response that a platform has given, for the access log. */
export type FastPathServed = {
  readonly read: Pick<PlainRead, 'isHead' | 'rawPath' | 'host'> & { readonly rawQuery?: string };
  readonly response: WholeResponse;
  readonly requestId: string;
  readonly remoteAddress: string | null;
  /** The protocol, as `SentAnswer` has it; absent for HTTP/1.1. */
  readonly protocol?: string;
  /**
   * In the platform's own hands; how long the client took to read it is not known.
   */
  readonly durationMs: number;
  header(name: string): string | null;
};

/**
 * The fast path of the app, for a platform that can answer before its server does.
 */
export type FastPath = {
  readonly answer: AnswerAtOnce;
  readonly answerSigned: AnswerSignedAtOnce;
  /**
   * The full path: all of the app but the pages under `/-/`, for a platform that
   * has the whole request without its server.
   */
  readonly answerFully: (request: HttpRequest) => Response | Promise<Response>;
  /**
   * Names of headers, in lower case, that `answer` does not know and that could
   * change it.
   */
  readonly decidingHeaders: readonly string[];
  /** Names among the deciding headers that `answerSigned` knows. */
  readonly signingHeaders: readonly string[];
  readonly requestId: () => string;
  /**
   * Reports each response that was given, for the access log; null: nobody wants to
   * know.
   */
  readonly served: ((served: FastPathServed) => void) | null;
};
