// Pages of a list: `limit` and an opaque `cursor` in, `items` and `nextCursor` out.
// A cursor says where the last page ended. It is signed, so that nobody can make
// one up, and names its list.
import { z } from '@hono/zod-openapi';
import { isEqualInConstantTime } from '../../crypto/hash.ts';
import { StorageError } from '../../domain/errors.ts';
import type { ApiSecrets } from './api-secrets.ts';

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 1000;
/** A key of 1,024 bytes, its JSON and its signature in base64. */
const CURSOR_MAX_LENGTH = 9000;

/** The fields of a page in the query of every list. */
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

/** A page as a query names it. */
export type PageQuery = { readonly limit: number; readonly cursor?: string | undefined };

/** The schema of a page. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    nextCursor: z
      .string()
      .nullable()
      .openapi({ description: 'For the next page; null: this was the last.' }),
  });
}

/** A list whose rows are read behind a position. */
export type PagedList<Row, Item> = {
  /** The list and what filters it: the cursor of another list is refused. */
  readonly list: string;
  /** Reads up to `limit` rows behind a position; '' is the beginning. */
  readonly read: (position: string, limit: number) => Promise<readonly Row[]>;
  /** The position of a row, as `read` gets it back. */
  readonly positionOf: (row: Row) => string;
  readonly show: (row: Row) => Item;
};

/**
 * Reads one page of a list. InvalidInput for a cursor that is not one of this list.
 */
export async function readPage<Row, Item>(
  { secrets }: { readonly secrets: ApiSecrets },
  { limit, cursor }: PageQuery,
  { list, read, positionOf, show }: PagedList<Row, Item>,
): Promise<{ items: Item[]; nextCursor: string | null }> {
  const position = readCursor(secrets, list, cursor);
  const rows = await read(position, limit + 1);
  return toPage(rows, { limit, list, secrets }, positionOf, show);
}

/**
 * The position at which the page before ended; '' for the first page. `list` names
 * the list and what it was filtered by. InvalidInput.
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
 * Makes a page of up to `limit` + 1 rows: the last one only says that there is a
 * next page.
 */
export function toPage<Row, Item>(
  rows: readonly Row[],
  {
    limit,
    list,
    secrets,
  }: { readonly limit: number; readonly list: string; readonly secrets: ApiSecrets },
  positionOf: (row: Row) => string,
  show: (row: Row) => Item,
): { items: Item[]; nextCursor: string | null } {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    items: shown.map(show),
    nextCursor: cursorAt(secrets, list, last === undefined ? null : positionOf(last)),
  };
}

/**
 * A cursor for which `readCursor` gives the position back; null for null, the end
 * of a list.
 */
export function cursorAt(
  secrets: ApiSecrets,
  list: string,
  position: string | null,
): string | null {
  if (position === null) return null;

  const payload = new TextEncoder()
    .encode(position)
    .toBase64({ alphabet: 'base64url', omitPadding: true });
  return `${payload}.${signatureOf(secrets, list, payload)}`;
}

/** The position of a row that has a key and, without a space in it, an id. */
export const joinPosition = (id: string, key: string): string => `${id} ${key}`;

/** Id and key of such a position; both are '' on the first page. */
export function splitPosition(position: string): [id: string, key: string] {
  const cut = position.indexOf(' ');
  return [position.slice(0, Math.max(0, cut)), position.slice(cut + 1)];
}

function signatureOf(secrets: ApiSecrets, list: string, payload: string): string {
  return secrets
    .sign(`cursor ${list}\n${payload}`)
    .toBase64({ alphabet: 'base64url', omitPadding: true });
}
