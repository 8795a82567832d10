// How a session is labelled by the `User-Agent` of whoever signed in: texts of real programs.
import { describe, expect, it } from 'vitest';
import { describeUserAgent } from '../../../src/api/requests/describe-user-agent.ts';

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';
const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_6 like Mac OS X) AppleWebKit/605.1.15';
const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)';
const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64';

const BROWSERS: readonly (readonly [label: string, userAgent: string])[] = [
  ['Firefox on Windows', `${WINDOWS}; rv:132.0) Gecko/20100101 Firefox/132.0`],
  ['Firefox on Linux', 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'],
  ['Firefox on iPhone', `${IPHONE} (KHTML, like Gecko) FxiOS/132.0 Mobile/15E148 Safari/605.1.15`],
  ['Chrome on Windows', `${WINDOWS}) ${WEBKIT} Chrome/131.0.0.0 Safari/537.36`],
  ['Chrome on macOS', `${MAC} ${WEBKIT} Chrome/131.0.0.0 Safari/537.36`],
  [
    'Chrome on Android',
    `Mozilla/5.0 (Linux; Android 10; K) ${WEBKIT} Chrome/131.0.0.0 Mobile Safari/537.36`,
  ],
  [
    'Chrome on ChromeOS',
    `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${WEBKIT} Chrome/131.0.0.0 Safari/537.36`,
  ],
  ['Edge on Windows', `${WINDOWS}) ${WEBKIT} Chrome/131.0.0.0 Safari/537.36 Edg/131.0.2903.70`],
  ['Opera on Windows', `${WINDOWS}) ${WEBKIT} Chrome/130.0.0.0 Safari/537.36 OPR/115.0.0.0`],
  [
    'Samsung Internet on Android',
    'Mozilla/5.0 (Linux; Android 10; K) ' +
      `${WEBKIT} SamsungBrowser/27.0 Chrome/125.0.0.0 Mobile Safari/537.36`,
  ],
  ['Safari on iPhone', `${IPHONE} (KHTML, like Gecko) Version/17.6 Mobile/15E148 Safari/604.1`],
  [
    'Safari on macOS',
    `${MAC} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Safari/605.1.15`,
  ],
  ['Firefox', 'Mozilla/5.0 (Haiku; rv:128.0) Gecko/20100101 Firefox/128.0'],
];

const TOOLS: readonly (readonly [label: string, userAgent: string])[] = [
  ['curl 8.5', 'curl/8.5.0'],
  ['Wget 1.21', 'Wget/1.21.4'],
  ['python-requests 2.32', 'python-requests/2.32.3'],
  ['Go-http-client 2.0', 'Go-http-client/2.0'],
  ['rclone 1.68', 'rclone/v1.68.1'],
  ['aws-cli 2.15', 'aws-cli/2.15.30 Python/3.11.8 Linux/6.8.0 exe/x86_64.ubuntu.22'],
  ['undici 7', 'undici/7'],
];

const UNKNOWN: readonly string[] = [
  '',
  'node',
  'A browser',
  '/1.0',
  'name/',
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
];

describe('the label of a session', () => {
  it.each(BROWSERS)('says browser and system: %s', (label, userAgent) => {
    expect(describeUserAgent(userAgent)).toBe(label);
  });

  it.each(TOOLS)('says tool and version: %s', (label, userAgent) => {
    expect(describeUserAgent(userAgent)).toBe(label);
  });

  it.each(UNKNOWN)('is the text itself for an unknown program: "%s"', (userAgent) => {
    expect(describeUserAgent(userAgent)).toBe(userAgent);
  });

  it('takes the system from the first comment alone', () => {
    const text = 'Mozilla/5.0 (Haiku) Gecko/20100101 Firefox/128.0 (Windows)';
    expect(describeUserAgent(text)).toBe('Firefox');
  });

  it('has at most 200 characters, whatever is sent', () => {
    const texts = ['x', '(', '/', 'Mozilla/', 'a/1', '1.', 'a/1.1 '].flatMap((piece) => [
      piece.repeat(5000),
      `a/${piece.repeat(5000)}`,
      `Mozilla/5.0 (${piece.repeat(5000)}`,
    ]);
    for (const text of texts) {
      const label = describeUserAgent(text);
      expect(label.length).toBeLessThanOrEqual(200);
    }
    expect(describeUserAgent('x'.repeat(5000))).toBe('x'.repeat(200));
  });
});
