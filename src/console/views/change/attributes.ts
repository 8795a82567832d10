// Headers, metadata, tags and lock between the fields of a form and the change that the
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

type JobChange = Extract<
  RequestOptions<'POST /buckets/{bucket}/jobs'>['body'],
  { kind: 'edit' }
>['change'];
type LockChange = Pick<JobChange, 'retention' | 'legalHold' | 'bypassGovernance'>;

export type LockDraft = {
  readonly mode: 'keep' | 'none' | 'GOVERNANCE' | 'COMPLIANCE';
  /** The last day of the retention: it ends when that is over where the reader is. */
  readonly day: string;
  readonly hold: 'keep' | 'yes' | 'no';
};
export const KEEP_LOCK: LockDraft = { mode: 'keep', day: '', hold: 'keep' };

/**
 * The change that the fields say; null: none. Undefined: it has no day in the future. Who
 * may override GOVERNANCE does by taking the lock away.
 */
export function lockChangeOf(
  { mode, day, hold }: LockDraft,
  mayOverride: boolean,
  nowMs = Date.now(),
): LockChange | null | undefined {
  if (mode === 'keep' && hold === 'keep') return null;
  const change: LockChange = {};
  if (hold !== 'keep') change.legalHold = hold === 'yes';
  if (mode === 'none') return { ...change, retention: null, bypassGovernance: mayOverride };
  if (mode === 'keep') return change;

  const end = new Date(`${day}T23:59:59`);
  if (!(end.getTime() > nowMs)) return undefined;
  return { ...change, retention: { mode, until: end.toISOString() } };
}
