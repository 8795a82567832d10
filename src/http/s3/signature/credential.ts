// What a signed request claims: who signed it, when, and what.
// authorization-header.ts and presigned-query.ts read it out of the two places
// where it can stand; sigv4.ts proves it.
import type { AccessKeyId } from '../../../domain/nouns.ts';
import type { QueryParameter } from './canonical-request.ts';
import type { RequestTime } from './request-time.ts';

/** A parsed `{accessKeyId}/{yyyymmdd}/{region}/s3/aws4_request`. */
export type Credential = {
  readonly accessKeyId: AccessKeyId;
  readonly date: string;
  /**
   * Any region is accepted, the empty one too: clients of S3-compatible services
   * send all kinds.
   */
  readonly region: string;
  /** All but the access key id, as it is signed. */
  readonly scope: string;
  /** The whole text. */
  readonly text: string;
};

/**
 * Everything that a signature covers or needs, apart from the request itself.
 * Nothing of it is proven yet.
 */
export type Claims = {
  readonly credential: Credential;
  readonly time: RequestTime;
  /** Names of headers, in lower case and in the order that the client gave. */
  readonly signedHeaders: ReadonlySet<string>;
  /** These names as one text, as it is signed. */
  readonly signedHeadersText: string;
  readonly signature: string;
  /** x-amz-content-sha256, or what stands for it. */
  readonly payloadHash: string;
  readonly query: readonly QueryParameter[];
  readonly isPresigned: boolean;
  /**
   * The percent-encoded path that was signed, where that is not the request's own:
   * a URL for all keys below a prefix is signed for the prefix.
   */
  readonly signedPath?: string;
};

/**
 * Longest credential, characters: an access key id of 128, a region of about 64 and
 * the fixed rest.
 */
const CREDENTIAL_MAX_LENGTH = 256;
const DATE = /^\d{8}$/;

/**
 * Access key id, date and region, in printable ASCII: they come back in error
 * documents. The id is greedy: one made by another service may hold a slash.
 */
const CREDENTIAL = /^([!-~]+)\/(\d{8})\/([!-.0-~]*)\/s3\/aws4_request$/;
const PRINTABLE = /^[!-~]*$/;

/** Reads a credential, or says in a sentence what is wrong with it. */
export function parseCredential(text: string): Credential | { readonly problem: string } {
  const match = text.length > CREDENTIAL_MAX_LENGTH ? null : CREDENTIAL.exec(text);
  const [, accessKeyId, date, region] = match ?? [];
  if (accessKeyId === undefined || date === undefined || region === undefined)
    return { problem: problemOf(text) };
  // The only maker of an AccessKeyId out of a request: it is good for nothing but
  // asking the directory.
  const id = accessKeyId as AccessKeyId;
  return { accessKeyId: id, date, region, scope: text.slice(accessKeyId.length + 1), text };
}

/**
 * Reads a list of signed headers, or says in a sentence what is wrong with it. A
 * name counts once: a value that could be named again and again would make a
 * canonical request of many times the size of the request.
 */
export function parseSignedHeaders(
  text: string,
): Pick<Claims, 'signedHeaders' | 'signedHeadersText'> | { readonly problem: string } {
  const signedHeadersText = text.toLowerCase();
  const names = signedHeadersText.split(';');
  const signedHeaders = new Set(names);
  if (signedHeaders.size < names.length)
    return { problem: 'SignedHeaders names a header more than once.' };
  return { signedHeaders, signedHeadersText };
}

function problemOf(text: string): string {
  const [terminal, service, region, date, ...id] = text
    .slice(0, CREDENTIAL_MAX_LENGTH)
    .split('/')
    .reverse();
  if (
    region === undefined ||
    date === undefined ||
    id.join('') === '' ||
    text.length > CREDENTIAL_MAX_LENGTH ||
    !PRINTABLE.test(text)
  ) {
    return (
      'the Credential is mal-formed; expecting ' +
      '"<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request".'
    );
  }
  if (!DATE.test(date)) {
    return (
      `incorrect date format "${date}". This date in the credential must be in the format ` +
      `"yyyyMMdd".`
    );
  }
  if (service !== 's3') return `incorrect service "${service}". This endpoint belongs to "s3".`;
  return `incorrect terminal "${terminal}". This endpoint uses "aws4_request".`;
}
