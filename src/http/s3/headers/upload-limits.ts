// Limits of what a presigned URL may upload: parameters of its query, which Version
// 4 signs with everything else there. So whoever has the URL can't change them. The
// JSON API writes them into URLs, features/upload-limits.ts enforces them, and
// presigned-query.ts reads the prefix, because it stands for the path that is signed.
import { PUT_MAX_BYTES } from '../../../core/limits.ts';
import { isTypePattern } from '../../../domain/links/media-types.ts';
import type { Query } from '../../semantics/raw-path.ts';
import { invalidArgument } from '../formats/invalid-argument.ts';
import { KEY_PREFIX_PARAMETER } from '../signature/key-prefix.ts';

/** All names of ours in a query begin so. */
export const OWN_PARAMETERS = 'x-quayside-';
const MAX_BYTES = 'x-quayside-max-bytes';
const MIN_BYTES = 'x-quayside-min-bytes';
const MAX_USES = 'x-quayside-max-uses';
const CONTENT_TYPES = 'x-quayside-content-types';

/** Uses of one URL that can be counted. Our own limit. */
export const USES_MAX = 1_000_000;
/** Media types that one URL may list. Our own limit. */
export const TYPES_MAX = 50;

const NUMBER = /^\d{1,15}$/;

/** Limits of a presigned URL; null: it has none of that kind. */
export type UploadLimits = {
  readonly minBytes: number | null;
  readonly maxBytes: number | null;
  readonly maxUses: number | null;
  /** Lower-case media types; one that ends in a star means all of its kind. */
  readonly contentTypes: readonly string[] | null;
  /** What the key begins with; the URL is signed for it in place of the key. */
  readonly keyPrefix: string | null;
};

export type UploadLimitName = keyof UploadLimits;

const NAMES: ReadonlyMap<string, UploadLimitName> = new Map([
  [MIN_BYTES, 'minBytes'],
  [MAX_BYTES, 'maxBytes'],
  [MAX_USES, 'maxUses'],
  [CONTENT_TYPES, 'contentTypes'],
  [KEY_PREFIX_PARAMETER, 'keyPrefix'],
]);

/** Names of limits in a query, each with what it limits, in the query's order. */
export function limitNames(query: Query): readonly (readonly [string, UploadLimitName])[] {
  return query.entries.flatMap(([name]) => {
    const limit = NAMES.get(name);
    return limit === undefined ? [] : [[name, limit] as const];
  });
}

/**
 * The limits of a query; null: there is none. InvalidArgument for a value that is
 * none, or a name that comes twice.
 */
export function readUploadLimits(query: Query): UploadLimits | null {
  const names = limitNames(query).map(([name]) => name);
  if (names.length === 0) return null;
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw invalidArgument(twice, '', `${twice} may come once only`);
  const limits: UploadLimits = {
    minBytes: readNumber(query, MIN_BYTES, { from: 0, to: PUT_MAX_BYTES }),
    maxBytes: readNumber(query, MAX_BYTES, { from: 0, to: PUT_MAX_BYTES }),
    maxUses: readNumber(query, MAX_USES, { from: 1, to: USES_MAX }),
    contentTypes: readTypes(query.get(CONTENT_TYPES)),
    keyPrefix: query.get(KEY_PREFIX_PARAMETER),
  };
  if (limits.keyPrefix === '')
    throw invalidArgument(KEY_PREFIX_PARAMETER, '', `${KEY_PREFIX_PARAMETER} is empty`);
  return limits;
}

/** The parameters that say these limits. */
export function uploadLimitParameters(
  limits: {
    readonly [Name in UploadLimitName]?: UploadLimits[Name] | undefined;
  },
): Record<string, string> {
  const parameters: Record<string, string> = {};
  for (const [name, limit] of NAMES) {
    const value = limits[limit] ?? null;
    if (value !== null) parameters[name] = typeof value === 'object' ? value.join(',') : `${value}`;
  }
  return parameters;
}

function readNumber(
  query: Query,
  name: string,
  { from, to }: { readonly from: number; readonly to: number },
): number | null {
  const text = query.get(name);
  if (text === null) return null;
  const number = NUMBER.test(text) ? Number(text) : Number.NaN;
  if (number >= from && number <= to) return number;
  throw invalidArgument(name, text, `${name} must be a whole number from ${from} to ${to}`);
}

function readTypes(text: string | null): readonly string[] | null {
  if (text === null) return null;
  const types = text.split(',', TYPES_MAX + 1);
  if (types.length <= TYPES_MAX && types.every(isTypePattern)) return types;
  throw invalidArgument(
    CONTENT_TYPES,
    text.slice(0, 200),
    `${CONTENT_TYPES} must be up to ${TYPES_MAX} media types with commas between, in lower case`,
  );
}
