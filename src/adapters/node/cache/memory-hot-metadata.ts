// The hot metadata of the Node platform: an exact tier in memory, which every write
// evicts from before it is acknowledged; below it the index. Request coalescing:
// all callers of a cold key share one read, so a herd costs the index one query.
// Nothing here is ever stale: what memory lacks and the index can't say is an
// error.
import type { BucketName, ObjectKey } from '../../../domain/nouns.ts';
import type { HotMetadata, MetadataLookup } from '../../../ports/caches/hot-metadata.ts';
import { withTimeout } from '../../../ports/with-timeout.ts';
import type { ChangeReader, FillReadings } from '../../shared/fill-epochs.ts';
import { findAll } from '../../shared/find-all.ts';
import type { MemoryPointers } from '../../shared/memory-pointers.ts';
import type { CommitWatcher } from '../index/sqlite-metadata-index.ts';

export type MemoryHotMetadata = HotMetadata & CommitWatcher;

/** A read of the index that others may join, and the counts of changes before it. */
type ReadUnderWay = {
  readonly lookup: Promise<MetadataLookup>;
  readonly readings: FillReadings | undefined;
};

/**
 * `limitMs`: an index that has not responded for this long has failed. `changes`:
 * where another thread writes, the counts of its changes; nobody calls `block` then.
 */
export function createMemoryHotMetadata(
  pointers: MemoryPointers,
  limitMs: number,
  changes: ChangeReader | null = null,
): MemoryHotMetadata {
  const underWay = new Map<string, ReadUnderWay>();

  /** The counts before a read; undefined: this thread writes, and blocks what it changes. */
  function readingsOf(bucket: BucketName, key: ObjectKey): FillReadings | undefined {
    if (changes === null) return undefined;
    return { readPolicy: changes.read(bucket), pointer: changes.read(nameOf(bucket, key)) };
  }

  /** Whether nothing has changed since a read began: then it says what one begun now would. */
  function isCurrent(readings: FillReadings | undefined): boolean {
    if (readings === undefined || changes === null) return true;
    const { readPolicy, pointer } = readings;
    if (readPolicy === null || pointer === null) return false;
    return changes.isCurrent(readPolicy) && changes.isCurrent(pointer);
  }

  /** Callers from now on must not join a read that may be older than the change. */
  function detachReads(bucket: BucketName, keys: readonly ObjectKey[] | null): void {
    if (keys !== null) {
      for (const key of keys) underWay.delete(nameOf(bucket, key));
      return;
    }
    for (const name of underWay.keys()) if (name.startsWith(`${bucket}/`)) underWay.delete(name);
  }

  const find: HotMetadata['find'] = (bucket, key, load, isInvited = false) => {
    const known = pointers.peek(bucket, key, isInvited);
    if (known !== null)
      return { readPolicy: known.readPolicy, pointer: known.pointer, tier: 'memory', stale: null };
    const name = nameOf(bucket, key);
    const readUnderWay = underWay.get(name);
    if (readUnderWay !== undefined && isCurrent(readUnderWay.readings)) return readUnderWay.lookup;

    const epoch = pointers.epoch();
    const readings = readingsOf(bucket, key);
    const lookup = withTimeout(limitMs, 'the index', load)
      .then((loaded): MetadataLookup => {
        pointers.fill(bucket, key, loaded, readings === undefined ? epoch : { ...epoch, readings });
        return { ...loaded, tier: 'index', stale: null };
      })
      .finally(() => {
        if (underWay.get(name)?.lookup === lookup) underWay.delete(name);
      });
    // While a write is under way each reader reads for itself: one may see the
    // commit that another's read came before.
    if (!pointers.isBlocked(bucket, key) && isCurrent(readings))
      underWay.set(name, { lookup, readings });
    return lookup;
  };

  return {
    peek: pointers.peek,
    find,
    findAll: (bucket, keys, load) => findAll(find, bucket, keys, load),
    evict(bucket, keys) {
      pointers.evict(bucket, keys);
      detachReads(bucket, keys);
    },
    staleForMs: () => 0,
    block(bucket, keys) {
      pointers.block(bucket, keys);
      detachReads(bucket, keys);
    },
    unblock(bucket, keys) {
      pointers.unblock(bucket, keys);
      detachReads(bucket, keys);
    },
  };
}

const nameOf = (bucket: BucketName, key: ObjectKey): string => `${bucket}/${key}`;
