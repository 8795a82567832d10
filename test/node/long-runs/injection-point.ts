// An injection point: a part of a request where a stranger or an owner may write text, as a request
// with a given text in it.
/**
 * What goes out: raw bytes of an unsigned request, or a request that the owner signs, or that is
 * sent to the JSON API.
 */
export type Sent =
  | { readonly kind: 'raw'; readonly head: readonly string[]; readonly body: string }
  | {
      readonly kind: 'signed' | 'api';
      readonly method: string;
      readonly path: string;
      readonly body: string | null;
    };

/** `withText` puts the text, which is latin1, at the injection point. */
export type InjectionPoint = { readonly name: string; readonly withText: (text: string) => Sent };

export const BUCKET = 'long-runs';
export const WEBSITE_DOMAIN = 'pages.test';

/** Makes an unsigned request of raw bytes. */
export function raw(requestLine: string, headers: readonly string[], body = ''): Sent {
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body, 'latin1')}`];
  const hosts = headers.some((header) => header.startsWith('Host:')) ? [] : ['Host: s3.test'];
  return {
    kind: 'raw',
    head: [`${requestLine} HTTP/1.1`, ...hosts, ...headers, ...length, 'Connection: close'],
    body,
  };
}
