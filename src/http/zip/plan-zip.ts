// The entries of the ZIP of a selection, and what each is made of, before any body
// is read. Called by the download itself, and by the JSON API for its size.

import type { Core } from '../../core/core.ts';
import { createSnapshotReader, type OpenSnapshotBody } from '../../core/objects/snapshot-reader.ts';
import { type SnapshotObject, snapshotSelection } from '../../core/objects/snapshot-selection.ts';
import type { BucketHandle } from '../../core/opened-bucket/bucket-handle.ts';
import { crc32 } from '../../crypto/crc32.ts';
import { StorageError } from '../../domain/errors.ts';
import type { ObjectSelection } from '../../domain/keys/object-selection.ts';
import { type DecideCall, requireAllowed } from '../access/decide-call.ts';
import { zipNames } from './zip-names.ts';
import { type ZipEntry, zipLength } from './zip-records.ts';

/** An entry and what it is made of. */
export type PlannedEntry = { readonly entry: ZipEntry; readonly object: SnapshotObject };

export type ZipPlan = {
  /** In the order in which their bodies are best read; by key where packs allow that. */
  readonly entries: readonly PlannedEntry[];
  /** Opens the body of the entry of that number, each once and nearly in order. */
  readonly open: OpenSnapshotBody;
  /** Length of the whole archive, exactly. */
  readonly sizeBytes: number;
};

/**
 * Plans the ZIP of a selection for a caller who may list its base. NoSuchKey when
 * nothing is there, or not all that was named; InvalidRequest above the configured
 * number of objects; AccessDenied for a single object that the caller may not read;
 * SlowDown where the policy takes too long for so many keys. Cost: an index read
 * per 100 objects.
 */
export async function planZip(
  core: Core,
  bucket: BucketHandle,
  decide: DecideCall,
  selection: ObjectSelection,
): Promise<ZipPlan> {
  const { base } = selection;
  const snapshot = await snapshotSelection(core, bucket, selection, {
    maxObjects: core.settings.zipMaxObjects,
    mayRead: (object) =>
      requireAllowed(decide, bucket.record(), {
        action: 's3:GetObject',
        key: object.key,
        object,
      }),
  });
  if (snapshot.objects.length === 0) throw new StorageError('NoSuchKey', { fields: { Key: base } });

  const entries = toEntries(snapshot.objects, base);
  const objects = entries.map(({ object }) => object);
  return {
    entries,
    open: createSnapshotReader(core, bucket, { ...snapshot, objects }),
    sizeBytes: zipLength(entries.map(({ entry }) => entry)),
  };
}

function toEntries(objects: readonly SnapshotObject[], base: string): PlannedEntry[] {
  const names = zipNames(
    objects.toSorted((a, b) => a.listedAt - b.listedAt),
    base,
  );
  return objects.flatMap((object) => {
    const { listedAt, sizeBytes, lastModifiedMs } = object;
    const name = names[listedAt] ?? null;
    if (name === null) return [];
    const crc32 = knownCrc32(object);
    return [{ object, entry: { name, sizeBytes, lastModifiedMs, crc32 } }];
  });
}

/**
 * The CRC-32 of a body that is at hand, or the one that was stored with the object.
 */
function knownCrc32({ body, checksum, sizeBytes }: SnapshotObject): number | null {
  if (sizeBytes === 0) return 0;
  if (body !== null && body.inlineBytes !== null && body.encryption === null)
    return crc32(body.inlineBytes);
  if (checksum?.algorithm !== 'CRC32' || checksum.type !== 'FULL_OBJECT') return null;
  const bytes = Uint8Array.fromBase64(checksum.value);
  return new DataView(bytes.buffer).getUint32(0);
}
