// Names the program behind a `User-Agent` header, for people who look through their
// sessions: `Firefox on Windows`, `curl 8.5`. Called when a session begins. It is a
// label and proves nothing: any program may send any text.

/** Characters of the header that are looked at; browsers send some 150. */
const READ_MAX_LENGTH = 512;
/** Longest label, characters. */
const LABEL_MAX_LENGTH = 200;

/**
 * Browsers by the product token that tells them apart. The first match counts: Edge
 * names Chrome too, and Chrome names Safari.
 */
const BROWSERS: readonly (readonly [token: string, name: string])[] = [
  ['Edg/', 'Edge'],
  ['EdgA/', 'Edge'],
  ['EdgiOS/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Vivaldi/', 'Vivaldi'],
  ['YaBrowser/', 'Yandex Browser'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['FxiOS/', 'Firefox'],
  ['Firefox/', 'Firefox'],
  ['CriOS/', 'Chrome'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
];

/**
 * Systems by a word of the comment behind `Mozilla/5.0`. The first match counts:
 * Android names Linux too.
 */
const SYSTEMS: readonly (readonly [word: string, name: string])[] = [
  ['Windows', 'Windows'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Macintosh', 'macOS'],
  ['Android', 'Android'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
  ['FreeBSD', 'FreeBSD'],
  ['OpenBSD', 'OpenBSD'],
];

/** A product token (RFC 9110, 10.1.5) with at most two numbers of its version. */
const PRODUCT = /^([A-Za-z][A-Za-z0-9_.+-]{0,63})\/v?([0-9]{1,6}(?:\.[0-9]{1,6})?)/;

/**
 * The label of a `User-Agent`: browser and system, or tool and version. A text that is
 * neither comes back as it is, cut to 200 characters. Cost: linear in the text, of
 * which at most 512 characters are read.
 */
export function describeUserAgent(userAgent: string): string {
  const text = userAgent.slice(0, READ_MAX_LENGTH);
  const label = text.startsWith('Mozilla/') ? describeBrowser(text) : describeTool(text);
  return label ?? text.slice(0, LABEL_MAX_LENGTH);
}

/** `Firefox on Windows`; the browser alone on an unknown system; null: unknown browser. */
function describeBrowser(text: string): string | null {
  const browser = BROWSERS.find(([token]) => text.includes(token))?.[1];
  if (browser === undefined) return null;

  const commentEnd = text.indexOf(')');
  const comment = commentEnd === -1 ? '' : text.slice(0, commentEnd);
  const system = SYSTEMS.find(([word]) => comment.includes(word))?.[1];
  return system === undefined ? browser : `${browser} on ${system}`;
}

/** `curl 8.5` of `curl/8.5.0`; null: the text begins with no product and version. */
function describeTool(text: string): string | null {
  const [, name, version] = PRODUCT.exec(text) ?? [];
  return name === undefined || version === undefined ? null : `${name} ${version}`;
}
