// What clients and others on the way get wrong about the query of a signed request,
// for the signature doctor: each mistake with the canonical request that was signed
// then. Some come to one form, or change nothing: the doctor leaves those out.
import type { HttpRequest } from '../../request.ts';
import { canonicalRequest, type SignedParts } from './canonical-request.ts';
import type { Claims } from './credential.ts';

/**
 * A sentence for people, and the canonical request of a client with that mistake.
 */
export type QueryMistake = { readonly finding: string; readonly canonical: string };

const SIGNATURE = 'X-Amz-Signature';
/**
 * Parameters that are left out one after the other; a request with more has been
 * made by hand.
 */
const LEFT_OUT_MAX = 16;

const AS_SENT =
  'The client signed the query as it was sent, as older versions of curl do: sort it by ' +
  'name, write "?name=" for a parameter without a value, and encode all but letters, ' +
  'digits and "-._~" (a slash is %2F).';
const PATH_AS_SENT =
  'The client signed the path as it was sent, as older versions of curl do: encode all of ' +
  'it but letters, digits, slashes and "-._~".';
const NO_EQUALS =
  'The client signed a parameter without a value as if it had no equals sign, as older ' +
  'versions of curl do: write it as "?name=".';
const NO_QUERY = 'The client signed the request without its query.';

export function* queryMistakes(
  request: SignedParts & Pick<HttpRequest, 'rawQuery'>,
  claims: Claims,
): Generator<QueryMistake> {
  const [method, path, query = '', ...rest] = canonicalRequest(request, claims, false).split('\n');
  const signed = (otherQuery: string, otherPath = path) =>
    [method, otherPath, otherQuery, ...rest].join('\n');
  const pieces = request.rawQuery.split('&').filter((piece) => !piece.startsWith(`${SIGNATURE}=`));
  const asSent = pieces.join('&');
  const sorted = pieces.toSorted().join('&');
  yield { finding: NO_EQUALS, canonical: signed(query.replace(/=(?=&|$)/g, '')) };
  for (const other of [asSent, sorted, query.replaceAll('%2F', '/')]) {
    yield { finding: AS_SENT, canonical: signed(other) };
    yield { finding: AS_SENT, canonical: signed(other.replace(/=(?=&|$)/g, '')) };
  }
  yield { finding: PATH_AS_SENT, canonical: signed(query, request.rawPath) };
  yield { finding: PATH_AS_SENT, canonical: signed(asSent, request.rawPath) };
  yield { finding: NO_QUERY, canonical: signed('') };
  yield* addedParameters(claims, (parameters) =>
    canonicalRequest(request, { ...claims, query: parameters }, false),
  );
}

/**
 * Parameters that were put behind a signed URL: by a campaign, a cache, or by hand.
 */
function* addedParameters(
  { query }: Claims,
  canonicalOf: (query: Claims['query']) => string,
): Generator<QueryMistake> {
  const added = query.filter(({ name }) => !name.startsWith('X-Amz-'));
  const finding = (names: readonly string[]) =>
    `The signature does not cover ${names.join(', ').slice(0, 200)}: it was added to the ` +
    'request after that was signed. Sign it too, or leave it out.';
  for (const one of added.slice(0, LEFT_OUT_MAX)) {
    const others = query.filter((parameter) => parameter !== one);
    yield { finding: finding([one.name]), canonical: canonicalOf(others) };
  }
  const behindAt = query.findIndex(({ name }) => name === SIGNATURE) + 1;
  const behind = query.slice(behindAt).map(({ name }) => name);
  yield { finding: finding(behind), canonical: canonicalOf(query.slice(0, behindAt)) };
  const own = query.filter(({ name }) => name.startsWith('X-Amz-'));
  yield { finding: finding(added.map(({ name }) => name)), canonical: canonicalOf(own) };
}
