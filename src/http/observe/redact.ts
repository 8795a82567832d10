// Takes out of request targets and addresses what would let a reader of the log in:
// signatures, credentials, tokens. The names of parameters stay, so that one still
// sees how a request was signed.

const REDACTED = '[redacted]';
/**
 * Parameters by name: those of signed URLs, old and new, and whatever calls itself
 * a secret.
 */
const SECRET_NAME = /^(?:auth|api-?key|sig|pwd?)$/i;
/** Parts of names that say so. */
const SECRET_PART =
  /signature|credential|token|secret|password|passwd|awsaccesskeyid|customer-key/i;
/** Says where a listing goes on, and lets nobody in. */
const NO_SECRET = /^continuation-token$/i;
/** One look for all of the above: most queries have none of it. */
const MAYBE_SECRET = /sign|cred|token|secret|passw|keyid|auth|customer|key=|sig=|pwd?=|%/i;

/** In a path, where the short name below means an access ticket. */
const SHARE_PATH = '/-/s/';
const TICKET_NAME = 't';

/** Path and query as they stand in a request line. */
export function redactTarget(rawPath: string, rawQuery: string): string {
  if (rawQuery === '') return rawPath;
  return `${rawPath}?${redactQuery(rawQuery, rawPath.includes(SHARE_PATH))}`;
}

/**
 * An address as browsers send it in Referer; with a user and password before the
 * host, if somebody does that.
 */
export function redactUrl(url: string): string {
  const withoutUser = url.includes('@')
    ? url.replace(/^([a-z][a-z0-9+.-]*:)?\/\/[^/?#]*@/i, `$1//${REDACTED}@`)
    : url;
  const queryAt = withoutUser.indexOf('?');
  return queryAt === -1
    ? withoutUser
    : redactTarget(withoutUser.slice(0, queryAt), withoutUser.slice(queryAt + 1));
}

function redactQuery(rawQuery: string, mayHaveTicket: boolean): string {
  if (!mayHaveTicket && !MAYBE_SECRET.test(rawQuery)) return rawQuery;
  return rawQuery
    .split('&')
    .map((parameter) => {
      const equalsAt = parameter.indexOf('=');
      if (equalsAt === -1) return parameter;
      const name = decodedName(parameter.slice(0, equalsAt));
      const isTicket = mayHaveTicket && name === TICKET_NAME;
      const isSecret = isTicket || SECRET_NAME.test(name) || SECRET_PART.test(name);
      return isSecret && !NO_SECRET.test(name)
        ? `${parameter.slice(0, equalsAt)}=${REDACTED}`
        : parameter;
    })
    .join('&');
}

/** `X-Amz-Signatur%65` is X-Amz-Signature to those who check it. */
function decodedName(raw: string): string {
  try {
    return decodeURIComponent(raw);
  } catch {
    return raw;
  }
}
