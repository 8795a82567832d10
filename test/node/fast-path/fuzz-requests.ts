// Makes requests of every shape, valid, odd and broken, from a seed: the same number gives the same
// request anywhere.
import {
  BASE_DOMAIN,
  CAPPED_TARGETS,
  GONE_TARGETS,
  HOSTED_HOSTS,
  KEYS,
  PUBLIC_BUCKET,
  RULED_TARGETS,
} from './both-paths.ts';
import {
  CONDITIONS,
  DATES,
  HEADERS,
  HOSTED_TARGETS,
  HOSTS,
  LINE_ENDS,
  METHODS,
  PATH_STYLE_HOSTS,
  PLAIN_HEADERS,
  PLAIN_HOSTS,
  SITE_TARGETS,
  VERSIONS,
  WEIGHTY_HEADERS,
} from './fuzz-vocabulary.ts';
import { chance, createRandom, pick, type Random } from './random.ts';

/** What one connection sends: chunks, each of which the server reads on its own. */
export type Conversation = readonly Buffer[];

/** The tags of objects and of their variants, without quotes. */
export type TagsByKey = ReadonlyMap<string, readonly string[]>;

/** Everything that stands behind `/` in a target. */
function makeTarget(
  random: Random,
  etags: TagsByKey,
  isPlain: boolean,
): { target: string; key: string } {
  const key = pick(random, [...etags.keys()]);
  const encoded = encodeURIComponent(key).replaceAll('%2F', '/').replaceAll('%2B', '+');
  if (chance(random, 0.12)) return { target: pick(random, SITE_TARGETS), key };
  if (chance(random, 0.12)) return { target: pick(random, RULED_TARGETS), key };
  if (chance(random, 0.06)) return { target: pick(random, CAPPED_TARGETS), key };
  if (chance(random, 0.08)) return { target: pick(random, GONE_TARGETS), key };
  const kind = random();
  if (kind < (isPlain ? 0.9 : 0.5)) return { target: `/${PUBLIC_BUCKET}/${encoded}`, key };
  if (kind < (isPlain ? 0.95 : 0.58)) return { target: `/${encoded}`, key };
  const bucket = pick(random, [
    PUBLIC_BUCKET,
    PUBLIC_BUCKET,
    'private',
    'none',
    'P',
    '-',
    '%70ub',
    'pub%',
    'pub%2F',
  ]);
  const tail = pick(random, [
    '',
    '/',
    `/${key}`,
    `/${encoded}?`,
    `/${encoded}?x=y`,
    `/${encoded}?versionId=null`,
    `/${encoded}#x`,
    `/${encoded}\\`,
    `/${encoded}%`,
    `/${encoded}%zz`,
    `/./${encoded}`,
    `/x/../${encoded}`,
    `//${encoded}`,
    '/missing',
    '/..',
    '/.',
    '/%2e%2e',
    '/a/../b',
    '/a/%2e%2e/b',
    '/%C3%BC',
    '/%c3%bc',
    '/\xc3\xbc',
    '/%FF',
    '/a%2Fb.txt',
    '/sp+ace',
    '/x%2By',
    '/%00',
    '/a b',
    '/"',
    '/<>',
    '/{}',
    '/|',
    '/^`',
    '/~',
    `/${'k'.repeat(1100)}`,
    '/a\tb',
    '/a\x00',
    '/%3F%23%25',
    "/;=@&$!'()*,:[]",
  ]);
  const path = `/${bucket}${tail}`;
  const form = random();
  if (form < 0.9) return { target: path, key };
  return {
    target: pick(random, [
      `http://h${path}`,
      `HTTP://${PUBLIC_BUCKET}.${BASE_DOMAIN}/${encoded}`,
      `https://h${path}`,
      '*',
      path.slice(1),
      `//h${path}`,
      'h:80',
      'http://',
    ]),
    key,
  };
}

function makeCondition(random: Random, etag: string): string {
  return pick(random, [
    `"${etag}"`,
    `"${etag}"`,
    `W/"${etag}"`,
    etag,
    `"x", "${etag}"`,
    ` "${etag}" `,
    `"${etag}" x`,
    ...CONDITIONS,
  ]);
}

/** A condition of another kind; the stocked objects are all of one moment. */
function makeOtherCondition(random: Random, etag: string): string {
  if (chance(random, 0.4)) return `If-Match: ${makeCondition(random, etag)}`;
  const name = pick(random, ['If-Modified-Since', 'if-unmodified-since']);
  return `${name}: ${pick(random, DATES)}`;
}

/** The parts of a request that can be odd. */
const PARTS = [
  'target',
  'method',
  'version',
  'host',
  'hosts',
  'header',
  'condition',
  'conditions',
] as const;
const SMALL_PARTS = ['line end', 'space', 'start', 'body'] as const;
type Part = (typeof PARTS)[number] | (typeof SMALL_PARTS)[number];

/** A range of any form: of a part, of all, of nothing, of too much, or none at all. */
function makeRange(random: Random): string {
  const number = () =>
    pick(random, [0, 1, 4, 9, 299, 2999, 49_999, 60_000, 149_999, 300_000, 2 ** 60]);
  const form = pick<(a: number, b: number) => string>(random, [
    (a, b) => `bytes=${a}-${b}`,
    (a, b) => `bytes=${a}-${a + b}`,
    (a) => `bytes=${a}-`,
    (a) => `bytes=-${a}`,
    (a, b) => `Bytes=${a}-${a + b}`,
    (a, b) => `bytes=${a}-${b},${a}-${b}`,
    (a) => `bytes = ${a}-`,
    (a) => `items=${a}-`,
    (a) => `bytes=0${a}-0${a}`,
    () => '',
  ]);
  return form(number(), number());
}

/**
 * One request: plain, or plain but for one part (what a door must not overlook), or odd all over.
 */
function makeRequest(random: Random, etags: TagsByKey): string {
  const kind = random();
  const oneOdd =
    kind < 0.3 || kind > 0.75
      ? null
      : pick<Part>(random, [...PARTS, 'header', 'header', ...SMALL_PARTS]);
  const isOdd = (part: Part, probability: number) =>
    part === oneOdd || (kind > 0.75 && chance(random, probability));

  const made = makeTarget(random, etags, !isOdd('target', 0.8));
  const isHosted = chance(random, 0.15);
  const target = isHosted && !isOdd('target', 0.2) ? pick(random, HOSTED_TARGETS) : made.target;
  const { key } = made;
  const method = isOdd('method', 0.8)
    ? pick(random, METHODS)
    : pick(random, ['GET', 'GET', 'HEAD']);
  const version = isOdd('version', 0.2) ? pick(random, VERSIONS) : 'HTTP/1.1';
  const lines: string[] = [];
  const hostCount = isOdd('hosts', 0.1) ? pick(random, [0, 2]) : 1;
  for (let i = 0; i < hostCount; i++) {
    const name = pick(random, ['Host', 'host', 'HOST']);
    const s3Hosts = HOSTS.slice(0, chance(random, 0.8) ? PATH_STYLE_HOSTS : PLAIN_HOSTS);
    const plainHosts = isHosted ? HOSTED_HOSTS : s3Hosts;
    const host = pick(random, isOdd('host', 0.9) ? HOSTS : plainHosts);
    lines.push(`${name}:${pick(random, [' ', '', '  ', '\t'])}${host}`);
  }
  const extra = Math.floor(random() * 4);
  for (let i = 0; i < extra; i++) lines.push(pick(random, HEADERS.slice(0, PLAIN_HEADERS)));
  if (chance(random, 0.2)) lines.push(`${pick(random, ['Range', 'range'])}: ${makeRange(random)}`);
  if (isOdd('header', 0.8))
    lines.push(pick(random, chance(random, 0.5) ? WEIGHTY_HEADERS : HEADERS));
  if (isOdd('header', 0.4)) lines.push(pick(random, HEADERS));
  const etag = pick(random, etags.get(key) ?? ['']);
  if (chance(random, 0.3)) lines.push(`If-None-Match: "${etag}"`);
  else if (isOdd('condition', 0.3)) lines.push(`If-None-Match: ${makeCondition(random, etag)}`);
  if (chance(random, 0.15)) lines.push(makeOtherCondition(random, etag));
  if (isOdd('conditions', 0.05)) lines.push(`if-none-match: ${makeCondition(random, etag)}`);
  if (lines.length > 1 && chance(random, 0.5)) lines.push(lines.shift() ?? '');

  const oddEnd = oneOdd === 'line end' ? Math.floor(random() * (lines.length + 2)) : -1;
  const end = (line: number) =>
    line === oddEnd || (kind > 0.75 && chance(random, 0.03)) ? pick(random, LINE_ENDS) : '\r\n';
  const space = () => (isOdd('space', 0.03) ? pick(random, ['  ', '\t', '', '\x0b']) : ' ');
  const start = isOdd('start', 0.03) ? pick(random, ['\r\n', '\n', ' ', '\x00', '\r\n\r\n']) : '';
  const body = isOdd('body', 0.05) ? pick(random, ['hello', '5\r\nhello\r\n0\r\n\r\n', 'x']) : '';
  const requestLine = `${start}${method}${space()}${target}${space()}${version}${end(0)}`;
  return (
    requestLine + lines.map((line, i) => line + end(i + 1)).join('') + end(lines.length + 1) + body
  );
}

/** Flips, drops or doubles a few bytes. */
function damage(random: Random, bytes: Buffer): Buffer {
  const damaged = [...bytes];
  const count = 1 + Math.floor(random() * 3);
  for (let i = 0; i < count && damaged.length > 0; i++) {
    const at = Math.floor(random() * Math.min(damaged.length, 400));
    const kind = random();
    if (kind < 0.4) damaged[at] = Math.floor(random() * 256);
    else if (kind < 0.6) damaged.splice(at, 1);
    else if (kind < 0.8) damaged.splice(at, 0, damaged[at] ?? 0);
    else damaged.splice(at, 0, pick(random, [0, 9, 10, 13, 32, 58]));
  }
  return Buffer.from(damaged);
}

/** The conversation of that number: one to four requests, whole, glued together, or cut. */
export function makeConversation(seed: number, etags: TagsByKey): Conversation {
  const random = createRandom(seed);
  const requests = Array.from({ length: 1 + Math.floor(random() ** 2 * 4) }, () => {
    const bytes = Buffer.from(makeRequest(random, etags), 'latin1');
    return chance(random, 0.12) ? damage(random, bytes) : bytes;
  });
  const shape = random();
  if (shape < 0.7) return requests;
  const all = Buffer.concat(requests);
  if (shape < 0.85) return [all];
  const cutAt = Math.floor(random() * Math.min(all.length, 600));
  return [all.subarray(0, cutAt), all.subarray(cutAt)].filter((chunk) => chunk.length > 0);
}

/** A request that a lane serves, for cutting it at every byte. */
export function makePlainRequest(seed: number, etags: TagsByKey): Buffer {
  const random = createRandom(seed);
  const key = pick(random, KEYS);
  const path = encodeURIComponent(key).replaceAll('%2F', '/');
  const condition = chance(random, 0.5)
    ? `If-None-Match: "${pick(random, etags.get(key) ?? [''])}"\r\n`
    : '';
  const more = pick(random, [
    '',
    'Accept: */*\r\n',
    'Accept-Encoding: gzip, br\r\n',
    'Connection: keep-alive\r\nUser-Agent: x\r\n',
    'Range: bytes=0-1\r\n',
  ]);
  return Buffer.from(
    `${pick(random, ['GET', 'HEAD'])} /${PUBLIC_BUCKET}/${path} HTTP/1.1\r\n` +
      `Host: h:9000\r\n${more}${condition}\r\n`,
  );
}
