// The headers that the console's pages are sent with: what a browser may load, run
// and frame there. answer-console.ts calls it.
import type { HeaderRecord } from '../semantics/object-headers.ts';

/**
 * Hosts that a policy can name: labels of letters, digits and hyphens, IPv4
 * addresses, and a port. Source: https://www.w3.org/TR/CSP3/#grammardef-host-source
 */
const NAMED_HOST = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d{1,5})?$/i;
/** Longest host with its port, characters. Source: RFC 1035 section 2.3.4 */
const HOST_MAX_LENGTH = 253 + ':65535'.length;

/**
 * Names where the console's scripts, styles and workers come from. Stored objects
 * are of the same origin, so `'self'` would let a stored script act as the console:
 * the built files alone are named, and nothing below them redirects. A policy has no
 * words for an IPv6 address or an underscore; there it stays with `'self'`.
 */
function assetsSource(host: string): string {
  if (host.length > HOST_MAX_LENGTH || !NAMED_HOST.test(host)) return "'self'";
  return `${host}/-/console/assets/`;
}

/**
 * What the console may load: its own files, and the bytes of objects. Those come
 * from presigned URLs of the host that the console itself was opened at
 * (api/routing/service-origin.ts), so `'self'` is all of them. Text that becomes
 * HTML passes one of two policies. Source: https://www.w3.org/TR/CSP3/,
 * https://www.w3.org/TR/trusted-types/
 */
function policyFor(host: string): string {
  const assets = assetsSource(host);
  return [
    "default-src 'none'",
    `script-src ${assets}`,
    `style-src ${assets}`,
    "img-src 'self' blob: data:",
    "media-src 'self' blob:",
    "connect-src 'self'",
    "frame-src 'self' blob:",
    `font-src ${assets}`,
    `worker-src ${assets}`,
    `manifest-src ${assets}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types quayside markdown',
  ].join('; ');
}

/**
 * Devices and sensors that the console never uses. Passkeys, the clipboard and full
 * screen stay with the page itself.
 */
const PERMISSIONS = [
  'accelerometer',
  'autoplay',
  'camera',
  'display-capture',
  'encrypted-media',
  'geolocation',
  'gyroscope',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'screen-wake-lock',
  'usb',
  'xr-spatial-tracking',
]
  .map((name) => `${name}=()`)
  .join(', ');

/** Headers of every response under `/-/console`. */
export const ANSWER_HEADERS: Readonly<HeaderRecord> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
};

/** Headers of a page besides: they govern the document. `host`: of the request. */
export function pageHeaders(host: string): Readonly<HeaderRecord> {
  return {
    'content-security-policy': policyFor(host),
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': PERMISSIONS,
    'x-frame-options': 'DENY',
    'x-robots-tag': 'noindex',
  };
}
