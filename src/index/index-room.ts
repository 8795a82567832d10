// Room of a database that may only grow so far, as that of a Durable Object. Small
// bodies leave it first, and commands that store more are refused while there is
// still room for those that delete: a deletion writes pages, too.
import { StorageError } from '../domain/errors.ts';
import type { IndexApi } from '../ports/metadata-index.ts';
import type { Sql } from '../ports/sql.ts';
import { storesMore } from './call-kinds.ts';

/** Share in use from which no body comes inline any more. */
const CROWDED_SHARE = 0.6;
/** Share in use from which nothing more is stored: 300 MB of 10 GB stay for the rest. */
const FULL_SHARE = 0.97;
/**
 * Shares in use that are reported, in percent: behind the first bodies go elsewhere
 * already, and the last is before nothing more is stored. Our own limits.
 */
export const ROOM_LEVELS = [70, 85, 95] as const;

/** Whether new bodies should go to blobs of their own. Cost: two small reads. */
export function isCrowded(sql: Sql): boolean {
  const room = sql.room?.() ?? null;
  return room !== null && room.usedBytes >= room.maxBytes * CROWDED_SHARE;
}

/** Wraps the calls so that those that store more are refused in time: StorageFull. */
export function withinRoom(sql: Sql, calls: IndexApi): IndexApi {
  const { room } = sql;
  if (room === undefined) return calls;
  const requireRoom = () => {
    const { usedBytes, maxBytes } = room();
    if (usedBytes >= maxBytes * FULL_SHARE) throw new StorageError('StorageFull');
  };
  const entries = Object.entries<(input: never) => unknown>(calls).map(([name, call]) => [
    name,
    storesMore(name as keyof IndexApi)
      ? (input: never) => {
          requireRoom();
          return call(input);
        }
      : call,
  ]);
  return Object.fromEntries(entries) as IndexApi;
}
