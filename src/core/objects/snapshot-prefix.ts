// A snapshot of a prefix at one moment, which can be read for hours. Its bodies are
// pinned by their blobs, which stay for the grace whatever becomes of the objects.
// Called for the ZIP of a folder.

import { StorageError } from '../../domain/errors.ts';
import type { ObjectKey, ObjectVersion } from '../../domain/nouns.ts';
import type { BucketHandle } from '../buckets/bucket-handle.ts';
import type { Core } from '../core.ts';
import { LIST_MAX_KEYS } from '../limits.ts';
import { createYielder, yieldToEventLoop } from '../yield-to-event-loop.ts';
import { callsToRead, requireCalls } from './read-calls.ts';
import { type OpenedBody, openBody, type ReadableVersion } from './read-object.ts';

/** One object of a snapshot. */
export type SnapshotObject = Pick<
  ObjectVersion,
  'key' | 'versionId' | 'sizeBytes' | 'lastModifiedMs' | 'checksum' | 'storageClass'
> & {
  /** Whether its bytes stand in the index row, so that no retrieval is billed. */
  readonly isInline: boolean;
  /**
   * Null where it would take too much memory: then its row is read again when it is
   * opened.
   */
  readonly body: ReadableVersion | null;
};

/** Memory that one snapshot may take for bodies in rows and for segments, bytes. */
const PINNED_MAX_BYTES = 4 * 1024 * 1024;
/** Memory of one segment, bytes. Estimate. */
const SEGMENT_BYTES = 160;
/** Versions read by one index call, so that no other call waits long behind it. */
const BATCH_KEYS = 100;
/** Bytes in rows that one index call returns at most. */
const BATCH_MAX_BYTES = 4 * 1024 * 1024;

/**
 * Takes a snapshot of the current objects under a prefix, in byte order of their
 * keys. Pages are read one after the other, so a key that changes meanwhile is
 * there as it was before or after. `mayRead` throws for an object that the caller
 * must not see. InvalidRequest above `maxObjects`, for more than a request can
 * read, and for an object that is encrypted with a client's key. Cost: an index
 * read per 1,000 objects and one per 100.
 */
export async function snapshotPrefix(
  core: Core,
  bucket: BucketHandle,
  options: { prefix: string; maxObjects: number; mayRead: (version: ObjectVersion) => void },
): Promise<readonly SnapshotObject[]> {
  const { prefix, maxObjects, mayRead } = options;
  const objects: SnapshotObject[] = [];
  let pinnedBytes = 0;
  let calls = 0;

  function add(version: ObjectVersion): void {
    const { key, versionId, sizeBytes, lastModifiedMs, checksum, storageClass } = version;
    const isInline = version.inlineBytes !== null;
    if (version.encryption?.kind === 'customer') throw needsKey(key);
    const costBytes = version.inlineBytes?.length ?? version.segments.length * SEGMENT_BYTES;
    const isPinned = pinnedBytes + costBytes <= PINNED_MAX_BYTES;
    if (isPinned) pinnedBytes += costBytes;
    calls += callsToRead(core, version) + (isPinned ? 0 : 1);
    requireCalls(core, calls, 'Choose a longer prefix.');

    const body = isPinned ? readable(version) : null;
    objects.push({
      key,
      versionId,
      sizeBytes,
      lastModifiedMs,
      checksum,
      storageClass,
      isInline,
      body,
    });
  }

  const yieldIfDue = createYielder();
  for (let after = ''; ; ) {
    calls += 1;
    const page = await bucket.call('listObjects', {
      prefix,
      delimiter: '',
      after,
      maxKeys: LIST_MAX_KEYS,
    });
    if (objects.length + page.objects.length > maxObjects) throw tooMany(maxObjects);
    for (const keys of batches(page.objects, core.settings.inlineBodyMaxBytes)) {
      await yieldToEventLoop();
      calls += 1;
      for (const version of await bucket.call('getObjects', { keys })) {
        if (version === null) continue;
        mayRead(version);
        add(version);
        await yieldIfDue();
      }
    }
    if (!page.isTruncated || page.lastName === null) return objects;
    after = page.lastName;
  }
}

/** Picks what is needed of a version to open it. */
function readable(version: ObjectVersion): ReadableVersion {
  const { sizeBytes, encryption } = version;
  return version.inlineBytes === null
    ? { sizeBytes, encryption, segments: version.segments, inlineBytes: null }
    : { sizeBytes, encryption, segments: [], inlineBytes: version.inlineBytes };
}

/** Groups keys so that the bodies in rows of each group stay below a bound. */
function batches(
  objects: readonly { readonly key: ObjectKey; readonly sizeBytes: number }[],
  inlineMaxBytes: number,
): ObjectKey[][] {
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
      'An object under this prefix can only be read with the key ' +
      'that its client encrypted it with.',
    fields: { Key: key },
  });
}

function tooMany(maxObjects: number): StorageError {
  return new StorageError('InvalidRequest', {
    detail: `There are more than ${maxObjects} objects under this prefix. Choose a longer one.`,
    fields: { MaxObjects: `${maxObjects}` },
  });
}

/**
 * Opens the whole body of an object of the snapshot. ConditionalRequestConflict
 * when it was not pinned and its object has changed since.
 */
export async function openSnapshot(
  core: Core,
  bucket: BucketHandle,
  object: SnapshotObject,
): Promise<OpenedBody['body']> {
  const body = object.body ?? (await readAgain(bucket, object));
  return (await openBody(core, body, { offsetBytes: 0, lengthBytes: object.sizeBytes })).body;
}

/**
 * Reads a version's row again; a bucket with versioning has it even when it is not
 * current.
 */
async function readAgain(
  bucket: BucketHandle,
  { key, versionId }: SnapshotObject,
): Promise<ReadableVersion> {
  const stored = await bucket.call('getVersion', { key, versionId });
  if (stored?.kind === 'object') return stored.object;
  throw new StorageError('ConditionalRequestConflict', {
    detail: `${key} has changed while it was being downloaded.`,
  });
}
