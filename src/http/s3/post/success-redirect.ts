// Where a form upload sends the browser: the page that the form names, with what
// was stored in its query. Used by operations/object/post-object.ts. The form's
// owner signed it or lets everyone write, so any page of the web will do. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTConstructPolicy.html
// (success_action_redirect)

/**
 * What may not stand in a header's URL: blanks, controls and all beyond ASCII.
 * Source: RFC 3986 section 2
 */
const NOT_PLAIN = /[^\x21-\x7e]/gu;

/**
 * The address for `Location`; null where `requestedUrl` is no absolute http(s) URL
 * without blanks.
 */
export function successRedirect(
  requestedUrl: string | undefined,
  stored: { readonly bucket: string; readonly key: string; readonly etag: string },
): string | null {
  if (
    requestedUrl === undefined ||
    !/^https?:\/\/[^\s]+$/i.test(requestedUrl) ||
    !URL.canParse(requestedUrl)
  )
    return null;
  const parameters = [
    `bucket=${encodeURIComponent(stored.bucket)}`,
    `key=${encodeURIComponent(stored.key)}`,
    `etag=${encodeURIComponent(`"${stored.etag}"`)}`,
  ].join('&');
  const [page = '', fragment] = requestedUrl
    .toWellFormed()
    .replace(NOT_PLAIN, encodeURIComponent)
    .split('#', 2);
  const separator = page.includes('?') ? '&' : '?';
  const suffix = fragment === undefined ? '' : `#${fragment}`;
  return `${page}${separator}${parameters}${suffix}`;
}
