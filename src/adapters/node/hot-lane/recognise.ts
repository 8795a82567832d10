// Recognises, in the raw bytes of one read, exactly one complete and plain GET or HEAD. Pure. The lane serves what this
// accepts; everything else goes to node:http. So the question is never "what does this mean" but "can anybody read it
// otherwise": wherever llhttp, @hono/node-server or our own surfaces might see something else, the answer is null.
//
// Request line and line ends are a whitelist of bytes. Header names are a blacklist: names that frame the message or
// the connection stand here, names that decide an answer are given by delivery (deciding-headers.ts), and any other header is
// by that list one that nobody reads. A whitelist of names would turn every browser and proxy of tomorrow away and
// protect no better, for the list of what is read has to be right in either case; a test watches what is read.
import { type PlainRead, SELECTING_HEADERS, type SelectingHeader } from '../../../http/request.ts';
import { isParsable, isPlainHost, PLAIN_TARGET_BYTE } from './plain-target.ts';

/** Longer requests go to node:http, whose own limit is higher. Bytes; browsers with cookies send about 2 KiB. */
const REQUEST_MAX_BYTES = 8192;
/** node:http drops headers beyond its 2,000th; far below it none can hide. */
const HEADERS_MAX = 100;

/** What frames a message or governs its connection. Source: RFC 9112 sections 6, 7 and 9; llhttp's own list. */
export const FRAMING_HEADERS = [
  'content-length',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
] as const;

const TAB = 9;
const LF = 10;
const CR = 13;
const SPACE = 32;
const PERCENT = 37;
const SLASH = 47;
const COLON = 58;

const TARGET_BYTES = tableOf(PLAIN_TARGET_BYTE);
/** Source: RFC 9110 section 5.6.2 */
const NAME_BYTES = tableOf(/[A-Za-z0-9!#$%&'*+\-.^_`|~]/);
/** Visible ASCII, space and tab: no control, and no byte above 7E, which some decode. */
const VALUE_BYTES = tableOf(/[\t\x20-\x7e]/);

function tableOf(pattern: RegExp): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => (pattern.test(String.fromCharCode(byte)) ? 1 : 0));
}

const HTTP_1_1 = Buffer.from(' HTTP/1.1\r\n');
const GET = Buffer.from('GET ');
const HEAD = Buffer.from('HEAD ');
const KEEP_ALIVE = Buffer.from('keep-alive');

/** A name that must be looked at, in lower case. */
type Watched = {
  readonly name: Buffer;
  readonly kind: 'host' | 'if-none-match' | 'connection' | 'refused' | 'selecting';
  /** Of a selecting one: its place in SELECTING_HEADERS. */
  readonly at: number;
};

/** Where the values of the selecting headers stand in the chunk: start and end of each, -1 for none. Used again. */
type Selected = Int32Array;

/** Gives the one plain request that the chunk is, whole and alone, or null. Cost: 0.3 µs, and 1 ns a byte. */
export type Recognise = (chunk: Buffer) => PlainRead | null;

/** `decidingHeaders`: names, in lower case, with which a request is not plain. */
export function createRecogniser(decidingHeaders: readonly string[]): Recognise {
  const watched = watchedByLength([...FRAMING_HEADERS, ...decidingHeaders]);
  const plainHost = createHostReader();
  const selected: Selected = new Int32Array(2 * SELECTING_HEADERS.length);
  let current: Buffer = Buffer.alloc(0);
  const header = (name: SelectingHeader): string | null => {
    const at = 2 * SELECTING_HEADERS.indexOf(name);
    const start = selected[at] ?? -1;
    return start === -1 ? null : current.toString('latin1', start, selected[at + 1]);
  };

  return (chunk) => {
    const isHead = startsWith(chunk, 0, HEAD);
    if (!isHead && !startsWith(chunk, 0, GET)) return null;
    if (chunk.length > REQUEST_MAX_BYTES) return null;
    const targetAt = isHead ? HEAD.length : GET.length;
    const targetEnd = endOfTarget(chunk, targetAt);
    if (targetEnd === -1 || !startsWith(chunk, targetEnd, HTTP_1_1)) return null;
    selected.fill(-1);
    current = chunk;
    const found = readHeaders(chunk, targetEnd + HTTP_1_1.length, watched, selected);
    if (found === null) return null;
    const host = plainHost(chunk, found.hostAt, found.hostEnd);
    if (host === null) return null;
    const rawPath = chunk.toString('latin1', targetAt, targetEnd);
    if (!isParsable(host, rawPath)) return null;
    const { conditionAt, conditionEnd } = found;
    const ifNoneMatch = conditionAt === -1 ? null : chunk.toString('latin1', conditionAt, conditionEnd);
    return { isHead, rawPath, host, ifNoneMatch, header };
  };
}

/** Reads a plain host, null for another. The last one is kept: the requests of one server name few. */
function createHostReader(): (chunk: Buffer, start: number, end: number) => string | null {
  let lastBytes: Buffer = Buffer.alloc(0);
  let last: string | null = null;
  return (chunk, start, end) => {
    if (end - start === lastBytes.length && startsWith(chunk, start, lastBytes)) return last;
    const text = chunk.toString('latin1', start, end);
    lastBytes = Buffer.from(text, 'latin1');
    last = isPlainHost(text) ? text : null;
    return last;
  };
}

function watchedByLength(refused: readonly string[]): readonly (readonly Watched[] | undefined)[] {
  const byLength: Watched[][] = [];
  const add = (name: string, kind: Watched['kind'], at = -1) => {
    byLength[name.length] ??= [];
    byLength[name.length]?.push({ name: Buffer.from(name), kind, at });
  };
  for (const kind of ['host', 'if-none-match', 'connection'] as const) add(kind, kind);
  for (const name of refused) add(name, 'refused');
  for (const [at, name] of SELECTING_HEADERS.entries()) add(name, 'selecting', at);
  return byLength;
}

/** Index of the space behind an origin-form target of plain bytes, or -1. */
function endOfTarget(chunk: Buffer, start: number): number {
  if (chunk[start] !== SLASH) return -1;
  let at = start + 1;
  let byte = chunk[at] ?? 0;
  while (TARGET_BYTES[byte] === 1 || byte === PERCENT) byte = chunk[++at] ?? 0;
  return byte === SPACE ? at : -1;
}

/** Where in the chunk the values stand that an answer needs; -1: there is none. */
type FoundHeaders = { hostAt: number; hostEnd: number; conditionAt: number; conditionEnd: number };

/** Reads header lines up to the empty one, which must end the chunk. Null: something is not plain. */
function readHeaders(
  chunk: Buffer,
  start: number,
  watched: readonly (readonly Watched[] | undefined)[],
  selected: Selected,
): FoundHeaders | null {
  const found: FoundHeaders = { hostAt: -1, hostEnd: -1, conditionAt: -1, conditionEnd: -1 };
  let hasConnection = false;
  let at = start;
  for (let count = 0; count <= HEADERS_MAX; count++) {
    if (chunk[at] === CR) {
      const isEnd = chunk[at + 1] === LF && at + 2 === chunk.length;
      return isEnd && found.hostAt !== -1 ? found : null;
    }
    const nameAt = at;
    while (NAME_BYTES[chunk[at] ?? 0] === 1) at++;
    const nameEnd = at;
    if (nameEnd === nameAt || chunk[at] !== COLON) return null;
    do at++;
    while (isBlank(chunk[at]));
    const valueAt = at;
    while (VALUE_BYTES[chunk[at] ?? 0] === 1) at++;
    const valueEnd = at;
    if (chunk[at] !== CR || chunk[at + 1] !== LF) return null;
    at += 2;
    const name = findWatched(chunk, nameAt, nameEnd, watched);
    if (name === null) continue;
    const { kind } = name;
    if (kind === 'refused') return null;
    if (kind === 'host') {
      if (found.hostAt !== -1) return null;
      found.hostAt = valueAt;
      found.hostEnd = withoutBlanks(chunk, valueAt, valueEnd);
    } else if (kind === 'if-none-match') {
      if (found.conditionAt !== -1) return null;
      found.conditionAt = valueAt;
      found.conditionEnd = withoutBlanks(chunk, valueAt, valueEnd);
    } else if (kind === 'selecting') {
      if (selected[2 * name.at] !== -1) return null;
      selected[2 * name.at] = valueAt;
      selected[2 * name.at + 1] = withoutBlanks(chunk, valueAt, valueEnd);
    } else {
      if (hasConnection || !isName(chunk, valueAt, valueEnd, KEEP_ALIVE)) return null;
      hasConnection = true;
    }
  }
  return null;
}

function findWatched(
  chunk: Buffer,
  start: number,
  end: number,
  watched: readonly (readonly Watched[] | undefined)[],
): Watched | null {
  const candidates = watched[end - start];
  if (candidates === undefined) return null;
  for (const candidate of candidates) if (isName(chunk, start, end, candidate.name)) return candidate;
  return null;
}

/** Compares without regard to case; `name` is letters and hyphens in lower case, and the bytes are of a token. */
function isName(chunk: Buffer, start: number, end: number, name: Buffer): boolean {
  if (end - start !== name.length) return false;
  for (let i = 0; i < name.length; i++) if (((chunk[start + i] ?? 0) | 0x20) !== name[i]) return false;
  return true;
}

/** The end of a value without the blanks behind it, which llhttp and Node leave out too. */
function withoutBlanks(chunk: Buffer, start: number, end: number): number {
  let to = end;
  while (to > start && isBlank(chunk[to - 1])) to--;
  return to;
}

function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB;
}

function startsWith(chunk: Buffer, at: number, text: Buffer): boolean {
  for (let i = 0; i < text.length; i++) if (chunk[at + i] !== text[i]) return false;
  return true;
}
