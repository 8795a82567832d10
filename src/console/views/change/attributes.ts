// Headers, metadata and tags between the fields of a form and the change that the
// API takes. Pure; test/console/attributes.test.ts has its table.
import type { Answer, RequestOptions } from 'quayside/client';

export type ObjectDetail = Answer<'GET /buckets/{bucket}/object'>;
export type ObjectChange = RequestOptions<'PATCH /buckets/{bucket}/object'>['body'];

export const HEADERS = [
  'contentType',
  'cacheControl',
  'contentDisposition',
  'contentEncoding',
  'contentLanguage',
  'expires',
] as const;
export const FIELDS = [...HEADERS, 'storageClass', 'metadata', 'tags'] as const;
export type FieldName = (typeof FIELDS)[number];

/** What the fields show: headers and class as they are, the others a line each. */
export type Values = Readonly<Record<FieldName, string>>;

export const EMPTY: Values = {
  contentType: '',
  cacheControl: '',
  contentDisposition: '',
  contentEncoding: '',
  contentLanguage: '',
  expires: '',
  storageClass: '',
  metadata: '',
  tags: '',
};

/** `name: value`, a line each, in the order of the names. */
export const toLines = (pairs: Readonly<Record<string, string>>): string =>
  Object.keys(pairs)
    .toSorted()
    .map((name) => `${name}: ${pairs[name]}`)
    .join('\n');

/** Lines as pairs; one without a colon is a name with nothing. */
export function fromLines(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':');
      return at < 0 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );
}

export function valuesOf(object: ObjectDetail): Values {
  const headers = Object.fromEntries(HEADERS.map((name) => [name, object[name] ?? '']));
  return {
    ...EMPTY,
    ...headers,
    storageClass: object.storageClass ?? '',
    metadata: toLines(object.metadata),
    tags: toLines(object.tags),
  };
}

/** The change from what one object has to what is in the fields; emptied is taken away. */
export function changeOfOne(before: Values, after: Values): ObjectChange {
  const change: ObjectChange = {};
  for (const name of HEADERS) {
    if (after[name] !== before[name]) change[name] = after[name] === '' ? null : after[name];
  }
  if (after.storageClass !== before.storageClass && after.storageClass !== '') {
    change.storageClass = after.storageClass;
  }
  for (const name of ['metadata', 'tags'] as const) {
    if (after[name] !== before[name]) change[name] = pairsChange(before[name], after[name]);
  }
  return change;
}

function pairsChange(before: string, after: string): Record<string, string | null> {
  const next = fromLines(after);
  const names = new Set([...Object.keys(fromLines(before)), ...Object.keys(next)]);
  return Object.fromEntries([...names].map((name) => [name, next[name] || null]));
}

/**
 * The change for many objects, whose fields nobody has seen: what is switched on. An
 * empty header is taken away; so is a name without a value.
 */
export function changeOfMany(values: Values, on: ReadonlySet<FieldName>): ObjectChange {
  const change: ObjectChange = {};
  for (const name of HEADERS) {
    if (on.has(name)) change[name] = values[name] === '' ? null : values[name];
  }
  if (on.has('storageClass') && values.storageClass !== '') {
    change.storageClass = values.storageClass;
  }
  for (const name of ['metadata', 'tags'] as const) {
    if (!on.has(name)) continue;
    const pairs = Object.entries(fromLines(values[name]));
    change[name] = Object.fromEntries(
      pairs.map(([key, value]) => [key, value === '' ? null : value]),
    );
  }
  return change;
}
