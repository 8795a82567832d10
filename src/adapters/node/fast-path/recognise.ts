// Recognises, in the raw bytes of one read, exactly one complete and plain GET or
// HEAD. Called by connection.ts. Pure. Everything else goes to node:http. So it
// never decides what bytes mean but whether anybody can read them otherwise:
// wherever llhttp, @hono/node-server or our own surfaces might see something else,
// it gives null.
//
// Request line and line ends are a whitelist of bytes. Header names are a
// blacklist: names that frame the message or the connection stand here, names that
// decide a response are given by delivery (deciding-headers.ts), and any other
// header is by that list one that nobody reads. A whitelist of names would turn
// every browser and proxy of tomorrow away and protect no better, for the list of
// what is read has to be right in either case; a test watches what is read.
import { SELECTING_HEADERS, type SignedRead } from '../../../http/delivery/fast-path/fast-path.ts';
import { createHeaderLines, HEADERS_MAX, type HeaderLines, withoutBlanks } from './header-lines.ts';
import { createInternedStrings } from './interned-strings.ts';
import { isPlainHost, isUrlHost, needsUrlParser, PLAIN_TARGET_BYTE } from './plain-target.ts';

/**
 * Longer requests go to node:http, whose own limit is higher. Bytes; browsers with
 * cookies send about 2 KiB.
 */
const REQUEST_MAX_BYTES = 8192;

/**
 * What frames a message or governs its connection. Source: RFC 9112 sections 6, 7
 * and 9; llhttp's own list.
 */
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
const QUESTION_MARK = 63;
const COLON = 58;

const TARGET_BYTES = tableOf(PLAIN_TARGET_BYTE);
/** Source: RFC 9110 section 5.6.2 */
const NAME_BYTES = tableOf(/[A-Za-z0-9!#$%&'*+\-.^_`|~]/);
/**
 * Visible ASCII, space and tab: no control, and no byte above 7E, which some
 * decode.
 */
const VALUE_BYTES = tableOf(/[\t\x20-\x7e]/);

function tableOf(pattern: RegExp): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) =>
    pattern.test(String.fromCharCode(byte)) ? 1 : 0,
  );
}

const HTTP_1_1 = Buffer.from(' HTTP/1.1\r\n');
const GET = Buffer.from('GET ');
const HEAD = Buffer.from('HEAD ');
const KEEP_ALIVE = Buffer.from('keep-alive');

/**
 * Headers whose values are read. No other but Host may be missing and none may come
 * twice.
 */
const READ_HEADERS = ['host', 'if-none-match', 'range', ...SELECTING_HEADERS] as const;

/** A name that must be looked at, in lower case. */
type Watched = {
  readonly name: Buffer;
  readonly kind: 'read' | 'connection' | 'refused' | 'deciding' | 'signing';
  /** The index in READ_HEADERS of one that is read; -1 for others. */
  readonly at: number;
};

/**
 * Where the values of READ_HEADERS stand in the chunk: start and end of each, -1
 * for none. Used again.
 */
type Found = Int32Array;

const HOST_AT = 0;
const IF_NONE_MATCH_AT = 1;
const RANGE_AT = 2;

/**
 * What other headers mean: nothing, a signature and what it comes with, or
 * something that decides the response.
 */
type Weight = 'plain' | 'signing' | 'deciding';

/** A request that only one thing can be meant by. `header` gives any header. */
export type Recognised = SignedRead & {
  /**
   * `plain`: the fast path knows all that can decide its response. `signed`: the
   * fast path of signed reads does, if it is signed.
   */
  readonly kind: 'plain' | 'signed' | 'other';
};

/**
 * Gives the one request that the chunk is, whole and alone, or null. Cost: 0.3 µs,
 * and 1 ns a byte.
 */
export type Recognise = (chunk: Buffer) => Recognised | null;

/**
 * `deciding`: names, in lower case, with which a request is not plain; `signing`:
 * those of them that a signed read may have.
 */
export function createRecogniser(names: {
  readonly deciding: readonly string[];
  readonly signing: readonly string[];
}): Recognise {
  const watched = watchedByLength(names);
  const plainHost = createHostReader();
  const found: Found = new Int32Array(2 * READ_HEADERS.length);
  const lines = createHeaderLines();
  const texts = createInternedStrings();
  let current: Buffer = Buffer.alloc(0);
  const readHeader = (index: number): string | null => {
    const start = found[2 * index] ?? -1;
    if (start === -1) return null;
    const end = found[2 * index + 1] ?? start;
    // Only entity tags come again, so only their texts are kept.
    return index === IF_NONE_MATCH_AT
      ? texts.of(current, start, end)
      : current.toString('latin1', start, end);
  };
  const header = (name: string): string | null => {
    const index = (READ_HEADERS as readonly string[]).indexOf(name);
    return index === -1 ? lines.valueOf(name) : readHeader(index);
  };
  const headerNames = () => lines.amzNames();

  return (chunk) => {
    const isHead = startsWith(chunk, 0, HEAD);
    if (!isHead && !startsWith(chunk, 0, GET)) return null;
    if (chunk.length > REQUEST_MAX_BYTES) return null;
    const targetAt = isHead ? HEAD.length : GET.length;
    const pathEnd = endOfTarget(chunk, targetAt);
    const hasQuery = chunk[pathEnd] === QUESTION_MARK;
    const targetEnd = hasQuery ? endOfQuery(chunk, pathEnd + 1) : pathEnd;
    if (targetEnd === -1 || !startsWith(chunk, targetEnd, HTTP_1_1)) return null;
    // A call out of JavaScript takes longer.
    for (let i = 0; i < found.length; i++) found[i] = -1;
    current = chunk;
    const weight = readHeaders(chunk, targetEnd + HTTP_1_1.length, { watched, found, lines });
    if (weight === 'refused') return null;
    const host = plainHost(chunk, found[HOST_AT] ?? 0, found[HOST_AT + 1] ?? 0);
    if (host === null) return null;
    const rawPath = texts.of(chunk, targetAt, pathEnd);
    const rawQuery = hasQuery ? chunk.toString('latin1', pathEnd + 1, targetEnd) : '';
    if (!host.isUrlHost && (needsUrlParser(rawPath) || needsUrlParser(rawQuery))) return null;
    return {
      kind: weight === 'plain' && !hasQuery ? 'plain' : weight === 'deciding' ? 'other' : 'signed',
      method: isHead ? 'HEAD' : 'GET',
      isHead,
      rawPath,
      rawQuery,
      host: host.name,
      ifNoneMatch: readHeader(IF_NONE_MATCH_AT),
      range: readHeader(RANGE_AT),
      header,
      headerNames,
    };
  };
}

type PlainHost = { readonly name: string; readonly isUrlHost: boolean };

/**
 * Reads a plain host, null for another. The last one is kept: the requests of one
 * server name few.
 */
function createHostReader(): (chunk: Buffer, start: number, end: number) => PlainHost | null {
  let lastBytes: Buffer = Buffer.alloc(0);
  let last: PlainHost | null = null;
  return (chunk, start, end) => {
    if (end - start === lastBytes.length && startsWith(chunk, start, lastBytes)) return last;
    const text = chunk.toString('latin1', start, end);
    lastBytes = Buffer.from(text, 'latin1');
    last = isPlainHost(text) ? { name: text, isUrlHost: isUrlHost(text) } : null;
    return last;
  };
}

function watchedByLength(names: {
  readonly deciding: readonly string[];
  readonly signing: readonly string[];
}): readonly (readonly Watched[] | undefined)[] {
  const byLength: Watched[][] = [];
  const add = (name: string, kind: Watched['kind'], at = -1) => {
    byLength[name.length] ??= [];
    byLength[name.length]?.push({ name: Buffer.from(name), kind, at });
  };
  for (const [at, name] of READ_HEADERS.entries()) add(name, 'read', at);
  add('connection', 'connection');
  for (const name of FRAMING_HEADERS) add(name, 'refused');
  for (const name of names.deciding)
    add(name, names.signing.includes(name) ? 'signing' : 'deciding');
  return byLength;
}

/**
 * Index of the space or the `?` behind the path of an origin-form target of plain
 * bytes, or -1.
 */
function endOfTarget(chunk: Buffer, start: number): number {
  if (chunk[start] !== SLASH) return -1;
  let at = start + 1;
  let byte = chunk[at] ?? 0;
  while (TARGET_BYTES[byte] === 1 || byte === PERCENT) byte = chunk[++at] ?? 0;
  return byte === SPACE || byte === QUESTION_MARK ? at : -1;
}

/** Index of the space behind a query of plain bytes, which is not empty, or -1. */
function endOfQuery(chunk: Buffer, start: number): number {
  let at = start;
  let byte = chunk[at] ?? 0;
  while (TARGET_BYTES[byte] === 1 || byte === PERCENT) byte = chunk[++at] ?? 0;
  return byte === SPACE && at > start ? at : -1;
}

/**
 * Reads header lines up to the empty one, which must end the chunk, and notes where
 * the values of READ_HEADERS stand.
 */
function readHeaders(
  chunk: Buffer,
  start: number,
  {
    watched,
    found,
    lines,
  }: { watched: readonly (readonly Watched[] | undefined)[]; found: Found; lines: HeaderLines },
): Weight | 'refused' {
  let weight: Weight = 'plain';
  let hasConnection = false;
  lines.begin(chunk);
  let at = start;
  for (let count = 0; count <= HEADERS_MAX; count++) {
    if (chunk[at] === CR) {
      const isEnd = chunk[at + 1] === LF && at + 2 === chunk.length;
      if (!isEnd || found[HOST_AT] === -1) return 'refused';
      return weight;
    }
    const nameAt = at;
    while (NAME_BYTES[chunk[at] ?? 0] === 1) at++;
    const nameEnd = at;
    if (nameEnd === nameAt || chunk[at] !== COLON) return 'refused';
    do at++;
    while (isBlank(chunk[at]));
    const valueAt = at;
    while (VALUE_BYTES[chunk[at] ?? 0] === 1) at++;
    const valueEnd = at;
    if (chunk[at] !== CR || chunk[at + 1] !== LF) return 'refused';
    at += 2;
    lines.add(nameAt, nameEnd, valueAt, valueEnd);
    const name = findWatched(chunk, nameAt, nameEnd, watched);
    if (name === null) continue;
    const { kind } = name;
    if (kind === 'refused') return 'refused';
    if (kind === 'deciding') weight = 'deciding';
    else if (kind === 'signing') weight = weight === 'deciding' ? weight : 'signing';
    else if (kind === 'read') {
      if (found[2 * name.at] !== -1) return 'refused';
      found[2 * name.at] = valueAt;
      found[2 * name.at + 1] = withoutBlanks(chunk, valueAt, valueEnd);
    } else {
      if (hasConnection || !isName(chunk, valueAt, valueEnd, KEEP_ALIVE)) return 'refused';
      hasConnection = true;
    }
  }
  return 'refused';
}

function findWatched(
  chunk: Buffer,
  start: number,
  end: number,
  watched: readonly (readonly Watched[] | undefined)[],
): Watched | null {
  const candidates = watched[end - start];
  if (candidates === undefined) return null;
  for (const candidate of candidates)
    if (isName(chunk, start, end, candidate.name)) return candidate;
  return null;
}

/**
 * Compares without regard to case; `name` is letters and hyphens in lower case, and
 * the bytes are of a token.
 */
function isName(chunk: Buffer, start: number, end: number, name: Buffer): boolean {
  if (end - start !== name.length) return false;
  for (let i = 0; i < name.length; i++)
    if (((chunk[start + i] ?? 0) | 0x20) !== name[i]) return false;
  return true;
}

function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB;
}

function startsWith(chunk: Buffer, at: number, text: Buffer): boolean {
  for (let i = 0; i < text.length; i++) if (chunk[at + i] !== text[i]) return false;
  return true;
}
