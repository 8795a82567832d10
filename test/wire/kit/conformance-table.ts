// The delivery conformance table, test/vectors/delivery-conformance/*.json: its form, its files,
// and how a vector becomes the bytes of a request. conformance.test.ts sends them and judges the
// answers.
//
// Placeholders in texts: {etag} of the vector's object, {etag:other} of another one, {etag:upper},
// {etag:start} (its first half), {date} its Last-Modified, {date-1} a second before, {date:rfc850},
// {date+60:asctime}, {size}, {host}, {bucket}, {path}, {repeat:3:ab} (ababab), {byte:ff}.
import { readdirSync, readFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { sampleBytes } from './clients/client.ts';
import type { WireTarget } from './clients/target.ts';

type Platform = WireTarget['platform'];

/** An object that vectors ask for. */
export type ObjectSpec = {
  readonly key: string;
  readonly text?: string;
  /** Bytes without a pattern instead of a text. */
  readonly sizeBytes?: number;
  readonly encoded?: 'gzip' | 'br';
  readonly headers?: Readonly<Record<string, string>>;
  /** Platforms that can hold or address it; all when absent. */
  readonly platforms?: readonly Platform[];
};

export type Vector = {
  readonly name: string;
  /** Where the expectation comes from. */
  readonly source: string;
  /** `GET` by default. */
  readonly method?: string;
  /** `plain` by default. Its body is expected, its facts fill the placeholders. */
  readonly object?: string;
  /** The public bucket by default. */
  readonly bucket?: 'private' | 'missing';
  /** Request target behind the bucket, by default that of the object's key. */
  readonly target?: string;
  /** The whole request target. */
  readonly path?: string;
  readonly query?: string;
  /** In the order in which they are sent. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** What stands between name and value, `: ` by default. */
  readonly separator?: string;
  readonly body?: string;
  /** The whole request, byte for byte; on a connection of its own. */
  readonly raw?: string;
  /** On a connection of its own, because it may end there. */
  readonly alone?: boolean;
  readonly expect: Expectation;
  /** Platforms that the vector is for, and why the other one is out of our hands. */
  readonly platforms?: readonly Platform[];
  readonly reason?: string;
  /** What we do otherwise, known and not yet mended; the test turns red when it is. */
  readonly deviation?: string;
};

export type Expectation = {
  /** Several where the source leaves a choice. */
  readonly status: number | readonly number[];
  /** Exact texts, or regular expressions between slashes. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly absent?: readonly string[];
  /** First and last byte of a 206. */
  readonly range?: readonly [first: number, last: number];
  /** Code of the error document. */
  readonly code?: string;
  /** A text in the body. */
  readonly text?: string;
};

const FOLDER = new URL('../../vectors/delivery-conformance/', import.meta.url);
const readJson = (file: string) => JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8'));
const OBJECTS_FILE = 'objects.json';

/** The objects by name. */
export const OBJECTS: Readonly<Record<string, ObjectSpec>> = readJson(OBJECTS_FILE).objects;

/** The vectors by family, which is the name of their file. */
export const FAMILIES: readonly { readonly name: string; readonly vectors: readonly Vector[] }[] =
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json') && file !== OBJECTS_FILE)
    .sort()
    .map((file) => ({ name: file.slice(0, -'.json'.length), vectors: readJson(file).vectors }));

/** Whether a platform takes part. */
export function isFor(
  platform: Platform,
  { platforms }: { readonly platforms?: readonly Platform[] },
): boolean {
  return platforms === undefined || platforms.includes(platform);
}

/** The stored bytes of an object. */
export function bodyOf({ text = '', sizeBytes, encoded }: ObjectSpec): Buffer {
  const bytes = sizeBytes === undefined ? Buffer.from(text) : sampleBytes(sizeBytes, 71);
  if (encoded === undefined) return bytes;
  return encoded === 'gzip' ? gzipSync(bytes) : brotliCompressSync(bytes);
}

/** What is known of an object once it is stored. */
export type Facts = {
  readonly etag: string;
  readonly lastModifiedMs: number;
  readonly body: Buffer;
};

/** What placeholders are filled from. `facts` of an object by its name. */
export type Filling = {
  readonly object: string;
  readonly host: string;
  readonly bucket: string;
  readonly path: string;
  facts(object: string): Facts;
};

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** A date in one of the three forms of RFC 9110 section 5.6.7. */
function dateText(ms: number, form: string | undefined): string {
  const fixdate = new Date(ms).toUTCString();
  const [, day = '', month = '', year = '', time = ''] = fixdate.split(' ');
  const weekday = DAYS[new Date(ms).getUTCDay()] ?? '';
  if (form === 'rfc850') return `${weekday}, ${day}-${month}-${year.slice(2)} ${time} GMT`;
  if (form === 'asctime')
    return `${weekday.slice(0, 3)} ${month} ${day.replace(/^0/, ' ')} ${time} ${year}`;
  if (form === undefined) return fixdate;
  throw new Error(`no form of a date: ${form}`);
}

function etagText(form: string | undefined, filling: Filling): string {
  const { etag } = filling.facts(
    form === undefined || form === 'upper' || form === 'start' ? filling.object : form,
  );
  return form === 'upper'
    ? etag.toUpperCase()
    : form === 'start'
      ? etag.slice(0, etag.length / 2)
      : etag;
}

/** A text with its placeholders filled, one character per byte. */
export function fill(text: string, filling: Filling): string {
  const bytes = Buffer.from(text, 'utf8').toString('latin1');
  return bytes.replace(
    /\{(\w+)([+-]\d+)?(?::([^}]*))?\}/g,
    (_, name: string, offset = '0', argument?: string) => {
      const { body, lastModifiedMs } = filling.facts(filling.object);
      switch (name) {
        case 'etag':
          return etagText(argument, filling);
        case 'date':
          return dateText(lastModifiedMs + Number(offset) * 1000, argument);
        case 'size':
          return `${body.length}`;
        case 'host':
        case 'bucket':
        case 'path':
          return filling[name];
        case 'repeat': {
          const [times = '', ...rest] = (argument ?? '').split(':');
          return rest.join(':').repeat(Number(times));
        }
        case 'byte':
          return String.fromCharCode(Number.parseInt(argument ?? '', 16));
        default:
          throw new Error(`no placeholder: ${name}`);
      }
    },
  );
}

/** The bytes of a request. `without` leaves out headers by lower-case name. */
export function requestBytes(
  vector: Vector,
  filling: Filling,
  method: string,
  without: readonly string[] = [],
): Buffer {
  if (vector.raw !== undefined) return Buffer.from(fill(vector.raw, filling), 'latin1');
  const { headers = [], separator = ': ', query, body = '' } = vector;
  const target = filling.path + (query === undefined ? '' : `?${fill(query, filling)}`);
  const lines = headers
    .filter(([name]) => !without.includes(name.toLowerCase()))
    .map(([name, value]) => `${name}${separator}${fill(value, filling)}\r\n`);
  const head = `${method} ${target} HTTP/1.1\r\nHost: ${filling.host}\r\n${lines.join('')}\r\n`;
  return Buffer.from(head + body, 'latin1');
}
