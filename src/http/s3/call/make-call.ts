// Makes an S3Call of a request and of what authentication found: which headers
// count, what decisions may look at, and whether the connection may carry keys of
// clients (SSE-C). routes.ts calls it once for each request.
import type { Decide } from '../../../core/auth/decide.ts';
import type { Tags } from '../../../domain/object-facts.ts';
import { createDecideCall } from '../../access/decide-call.ts';
import type { HttpRequest } from '../../request.ts';
import { withQueryHeaders } from '../headers/presigned-headers.ts';
import { readTaggingHeader } from '../headers/tagging-header.ts';
import type { Authenticated } from '../signature/authenticated.ts';
import { QUERY_HEADERS_V2 } from '../signature/signed-url-v2.ts';
import type { S3Call } from './call.ts';

type Headers = Pick<S3Call, 'header' | 'headerNames'>;
/** Facts of a call that are known before anybody looks at its headers. */
export type CallBasics = Omit<
  S3Call,
  'principal' | 'body' | 'isPresigned' | 'isQuerySigned' | 'decide' | keyof Headers
>;

/**
 * The call of a request that was authenticated. `headers`: in place of the
 * request's own, those of a form. Cost: some closures; nothing is read.
 */
export function makeCall(
  { principal, body, isPresigned, signatureVersion, signedAtMs }: Authenticated,
  basics: CallBasics,
  {
    decide,
    nowMs,
    headers,
  }: { readonly decide: Decide; readonly nowMs: number; readonly headers?: Headers },
): S3Call {
  const { request, query, form } = basics;
  const further = signatureVersion === 'AWS' ? QUERY_HEADERS_V2 : [];
  const source =
    headers ?? (isPresigned ? withQueryHeaders(request, query.entries, further) : request);
  const header = (name: string) => source.header(name);
  // Read once: a policy may need the tags for each of many keys.
  let requestTags: Tags | null | undefined;
  const authType = form !== null ? 'POST' : isPresigned ? 'REST-QUERY-STRING' : 'REST-HEADER';
  return {
    ...basics,
    principal,
    body,
    isPresigned,
    isQuerySigned: signatureVersion === 'AWS4-HMAC-SHA256' && form === null,
    header,
    headerNames: () => source.headerNames(),
    decide: createDecideCall(decide, {
      ...basics,
      principal,
      header,
      nowMs,
      authType: principal.kind === 'account' ? authType : null,
      signatureVersion,
      signedAtMs,
      requestTags: () => {
        if (requestTags === undefined) requestTags = tagsOfHeader(header);
        return requestTags;
      },
    }),
  };
}

/** The requested tags; null for a malformed header, which its operation refuses. */
function tagsOfHeader(header: Headers['header']): Tags | null {
  try {
    return header('x-amz-tagging') === null ? null : readTaggingHeader(header);
  } catch {
    return null;
  }
}

/**
 * Where clients may send encryption keys from over plain http: this machine,
 * everywhere, or nowhere.
 */
export type KeysOverHttp = 'loopback' | 'always' | 'never';

/**
 * Whether a request may carry a client's encryption key, which everybody on its way
 * can read without TLS. S3 itself takes none over http. Loopback is what the
 * connection says: a Host header is the client's word, and any proxy hands it on.
 */
export function isConfidential(
  request: Pick<HttpRequest, 'isSecure' | 'isFromLoopback'>,
  overHttp: KeysOverHttp,
): boolean {
  if (request.isSecure || overHttp === 'always') return true;
  return overHttp === 'loopback' && request.isFromLoopback?.() === true;
}
