// The headers that the console's pages are sent with: what a browser may load, run
// and frame there. answer-console.ts calls it.
import { hostSource } from '../semantics/host-source.ts';
import type { HeaderRecord } from '../semantics/object-headers.ts';

/** Scripts, styles and workers: the built files, and nothing that is stored here. */
const ASSETS = '/-/console/assets/';

/**
 * What the console may load: its own files, and the bytes of objects. Those come
 * from presigned URLs of the host that the console itself was opened at
 * (api/routing/service-origin.ts), so `'self'` is all of them. Text that becomes
 * HTML passes one of two policies. Source: https://www.w3.org/TR/CSP3/,
 * https://www.w3.org/TR/trusted-types/
 */
function policyFor(host: string): string {
  const assets = hostSource(host, ASSETS);
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
