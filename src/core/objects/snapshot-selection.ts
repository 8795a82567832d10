// A snapshot of objects at one moment, which can be read for hours. Its bodies are
// pinned by their blobs, which stay for the grace whatever becomes of the objects.
// Called for the ZIP of a folder or of a selection.

import { StorageError } from '../../domain/errors.ts';
import type { ObjectSelection } from '../../domain/keys/object-selection.ts';
import type { ObjectKey, ObjectVersion } from '../../domain/nouns.ts';
import type { Core } from '../core.ts';
import { LIST_MAX_KEYS } from '../limits.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';
import { createYielder, yieldToEventLoop } from '../yield-to-event-loop.ts';
import { mayMakeCalls, requireCalls } from './read-calls.ts';
import type { ReadableVersion } from './read-object.ts';
import { callsOfBodies, callsOfUnpinned, inReadingOrder, readable } from './snapshot-reader.ts';

/** One object of a snapshot. */
export type SnapshotObject = Pick<
  ObjectVersion,
  'key' | 'versionId' | 'sizeBytes' | 'lastModifiedMs' | 'checksum' | 'storageClass'
> & {
  /** Its place among the objects of the snapshot as they were listed. */
  readonly listedAt: number;
  /** Whether its bytes stand in the index row, so that no retrieval is billed. */
  readonly isInline: boolean;
  /**
   * Null where it would take too much memory: then its row is read again when it is
   * opened.
   */
  readonly body: ReadableVersion | null;
};

/** Objects as they are best read. */
export type Snapshot = {
  readonly objects: readonly SnapshotObject[];
  /** Whether bodies that lie alone come past the near tiers, which takes fewer calls. */
  readonly isPastTiers: boolean;
};

/** Memory that one snapshot may take for bodies in rows and for segments, bytes. */
const PINNED_MAX_BYTES = 4 * 1024 * 1024;
/** Memory of one segment, bytes. Estimate. */
const SEGMENT_BYTES = 160;
/** Versions read by one index call, so that no other call waits long behind it. */
const BATCH_KEYS = 100;
/** Bytes in rows that one index call returns at most. */
const BATCH_MAX_BYTES = 4 * 1024 * 1024;

/** How a snapshot is taken. */
export type SnapshotOptions = {
  readonly maxObjects: number;
  /** Throws for an object that the caller must not see. */
  readonly mayRead: (version: ObjectVersion) => void;
};

/**
 * Takes a snapshot of the current objects of a selection. First all are listed: those
 * under its prefixes, then those of its keys, each in byte order. So a selection that is
 * too large costs little. Then their versions are read, batch by batch. What is gone by
 * then is left out; a key that changes meanwhile is there as it was before or after.
 * InvalidRequest above `maxObjects`, for more than a request can read, and for an
 * object that is encrypted with a client's key; NoSuchKey for a key without an
 * object. Cost: an index read per 1,000 objects under a prefix and one per 100.
 */
export async function snapshotSelection(
  core: Core,
  bucket: BucketHandle,
  selection: Pick<ObjectSelection, 'keys' | 'prefixes'>,
  options: SnapshotOptions,
): Promise<Snapshot> {
  const { keys, prefixes } = withoutOverlap(selection);
  const snapshot = createSnapshot(core, bucket, options);
  const listed: ListedKey[] = [];
  for (const prefix of prefixes) await snapshot.listPrefix(prefix, listed);
  snapshot.requireRoom(listed.length + keys.length);

  const { inlineBodyMaxBytes } = core.settings;
  for (const batch of batches(listed, inlineBodyMaxBytes))
    await snapshot.addKeys(batch, () => undefined);
  // No size is known yet: each body may stand in its row.
  const sized = keys.map((key) => ({ key: key as ObjectKey, sizeBytes: inlineBodyMaxBytes }));
  for (const batch of batches(sized, inlineBodyMaxBytes)) {
    await snapshot.addKeys(batch, (key) => {
      throw new StorageError('NoSuchKey', { fields: { Key: key } });
    });
  }
  return snapshot.take();
}

/** Drops what a prefix covers already, and keys that come twice. */
function withoutOverlap({ keys, prefixes }: Pick<ObjectSelection, 'keys' | 'prefixes'>) {
  const coveringPrefixes: string[] = [];
  // A prefix sorts directly before all that begin with it.
  for (const prefix of [...prefixes].sort()) {
    const last = coveringPrefixes.at(-1);
    if (last === undefined || !prefix.startsWith(last)) coveringPrefixes.push(prefix);
  }
  const uncoveredKeys: string[] = [];
  let at = 0;
  for (const key of [...new Set(keys)].sort()) {
    // Only the last prefix that sorts before a key can be its own.
    for (let next = coveringPrefixes[at + 1]; next !== undefined && next <= key; ) {
      at += 1;
      next = coveringPrefixes[at + 1];
    }
    const prefix = coveringPrefixes[at];
    if (prefix === undefined || !key.startsWith(prefix)) uncoveredKeys.push(key);
  }
  return { keys: uncoveredKeys, prefixes: coveringPrefixes };
}

type ListedKey = { readonly key: ObjectKey; readonly sizeBytes: number };

/** Collects the objects of one snapshot, and counts what reading them takes. */
function createSnapshot(core: Core, bucket: BucketHandle, options: SnapshotOptions) {
  const { maxObjects, mayRead } = options;
  const objects: SnapshotObject[] = [];
  const yieldIfDue = createYielder();
  let pinnedBytes = 0;
  let calls = 0;

  function add(version: ObjectVersion): void {
    const { key, versionId, sizeBytes, lastModifiedMs, checksum, storageClass } = version;
    const isInline = version.inlineBytes !== null;
    if (version.encryption?.kind === 'customer') throw needsKey(key);
    const body = readable(version);
    const costBytes = version.inlineBytes?.length ?? version.segments.length * SEGMENT_BYTES;
    const isPinned = pinnedBytes + costBytes <= PINNED_MAX_BYTES;
    if (isPinned) pinnedBytes += costBytes;
    if (!isPinned) calls += callsOfUnpinned(core, body);
    requireCalls(core, calls, 'Choose fewer objects.');

    objects.push({
      listedAt: objects.length,
      key,
      versionId,
      sizeBytes,
      lastModifiedMs,
      checksum,
      storageClass,
      isInline,
      body: isPinned ? body : null,
    });
  }

  /** All that were added. InvalidRequest for more than a request can read. */
  function take(): Snapshot {
    const ordered = inReadingOrder(objects);
    const { throughTiers, pastTiers } = callsOfBodies(core, ordered);
    requireCalls(core, calls + pastTiers, 'Choose fewer objects.');
    const isPastTiers = !mayMakeCalls(core, calls + throughTiers);
    return { objects: ordered, isPastTiers };
  }

  /** Refuses more objects than there may be, or than can be read in batches. */
  function requireRoom(count: number): void {
    if (count > maxObjects) throw tooMany(maxObjects);
    requireCalls(core, calls + Math.ceil(count / BATCH_KEYS), 'Choose fewer objects.');
  }

  /** Reads a batch of keys; `onMissing` hears of those without an object. */
  async function addKeys(
    keys: readonly ObjectKey[],
    onMissing: (key: ObjectKey) => void,
  ): Promise<void> {
    await yieldToEventLoop();
    calls += 1;
    const versions = await bucket.call('getObjects', { keys });
    for (const [at, key] of keys.entries()) {
      const version = versions[at] ?? null;
      if (version === null) {
        onMissing(key);
        continue;
      }
      mayRead(version);
      add(version);
      await yieldIfDue();
    }
  }

  /** Adds the keys under a prefix to those that were listed before. */
  async function listPrefix(prefix: string, listed: ListedKey[]): Promise<void> {
    for (let after = ''; ; ) {
      calls += 1;
      const page = await bucket.call('listObjects', {
        prefix,
        delimiter: '',
        after,
        maxKeys: LIST_MAX_KEYS,
      });
      for (const { key, sizeBytes } of page.objects) listed.push({ key, sizeBytes });
      requireRoom(listed.length);
      if (!page.isTruncated || page.lastName === null) return;
      after = page.lastName;
    }
  }

  return { requireRoom, addKeys, listPrefix, take };
}

/** Groups keys so that the bodies in rows of each group stay below a bound. */
function batches(objects: readonly ListedKey[], inlineMaxBytes: number): ObjectKey[][] {
  const groups: ObjectKey[][] = [];
  let group: ObjectKey[] = [];
  let groupBytes = 0;
  for (const { key, sizeBytes } of objects) {
    const inlineBytes = sizeBytes <= inlineMaxBytes ? sizeBytes : 0;
    const isFull = group.length === BATCH_KEYS || groupBytes + inlineBytes > BATCH_MAX_BYTES;
    if (group.length > 0 && isFull) {
      groups.push(group);
      group = [];
      groupBytes = 0;
    }
    group.push(key);
    groupBytes += inlineBytes;
  }
  return group.length === 0 ? groups : [...groups, group];
}

function needsKey(key: ObjectKey): StorageError {
  return new StorageError('InvalidRequest', {
    detail:
      'One of these objects can only be read with the key ' + 'that its client encrypted it with.',
    fields: { Key: key },
  });
}

function tooMany(maxObjects: number): StorageError {
  return new StorageError('InvalidRequest', {
    detail: `There are more than ${maxObjects} objects in this. Choose a longer prefix, or fewer.`,
    fields: { MaxObjects: `${maxObjects}` },
  });
}
