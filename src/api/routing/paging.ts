// Pages of a list: `limit` and an opaque `cursor` in, `items` and `nextCursor` out. A cursor says
// where the last page ended; it is signed, so that nobody can make one up, and good for the same
// list alone.
import { z } from '@hono/zod-openapi';
import { isEqualInConstantTime } from '../../crypto/hash.ts';
import { StorageError } from '../../domain/errors.ts';
import type { ApiSecrets } from './api-secrets.ts';

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 1000;
/** A key of 1,024 bytes, its JSON and its signature in base64. */
const CURSOR_MAX_LENGTH = 9000;

/** What every list takes in its query. */
export const pageQuery = {
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(LIMIT_MAX)
    .default(LIMIT_DEFAULT)
    .openapi({ description: 'Items of one page at most.' }),
  cursor: z
    .string()
    .max(CURSOR_MAX_LENGTH)
    .optional()
    .openapi({ description: 'The nextCursor of the page before; absent for the first page.' }),
};

/** A page as it goes out. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    nextCursor: z
      .string()
      .nullable()
      .openapi({ description: 'For the next page; null: this was the last.' }),
  });
}

/**
 * Where the page before ended, '' for the first page. `list` names the list and what it was
 * filtered by. InvalidInput.
 */
export function readCursor(secrets: ApiSecrets, list: string, cursor: string | undefined): string {
  if (cursor === undefined) return '';
  const [payload = '', signature = '', ...rest] = cursor.split('.');
  const isOurs =
    isEqualInConstantTime(signature, signatureOf(secrets, list, payload)) && rest.length === 0;
  if (!isOurs)
    throw new StorageError('InvalidInput', { detail: 'The cursor is not one of this list.' });
  return new TextDecoder().decode(Uint8Array.fromBase64(payload, { alphabet: 'base64url' }));
}

/**
 * A page of what was read, one more than `limit` of it: that one tells that there are more.
 * `placeOf` says where an item stands, as `readCursor` gives it back.
 */
export function toPage<Found, Item>(
  found: readonly Found[],
  {
    limit,
    list,
    secrets,
  }: { readonly limit: number; readonly list: string; readonly secrets: ApiSecrets },
  placeOf: (item: Found) => string,
  show: (item: Found) => Item,
): { items: Item[]; nextCursor: string | null } {
  const shown = found.slice(0, limit);
  const last = found.length > limit ? shown.at(-1) : undefined;
  return {
    items: shown.map(show),
    nextCursor: last === undefined ? null : cursorAt(secrets, list, placeOf(last)),
  };
}

/** A cursor that `readCursor` gives `place` back for. */
export function cursorAt(secrets: ApiSecrets, list: string, place: string): string {
  const payload = new TextEncoder()
    .encode(place)
    .toBase64({ alphabet: 'base64url', omitPadding: true });
  return `${payload}.${signatureOf(secrets, list, payload)}`;
}

/** The place of something that has a key and, without a space in it, an id. */
export const joinPlace = (id: string, key: string): string => `${id} ${key}`;

/** Id and key of such a place; of the first page's both ''. */
export function splitPlace(place: string): [id: string, key: string] {
  const cut = place.indexOf(' ');
  return [place.slice(0, Math.max(0, cut)), place.slice(cut + 1)];
}

function signatureOf(secrets: ApiSecrets, list: string, payload: string): string {
  return secrets
    .sign(`cursor ${list}\n${payload}`)
    .toBase64({ alphabet: 'base64url', omitPadding: true });
}
