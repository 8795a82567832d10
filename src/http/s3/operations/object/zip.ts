// `GET /{bucket}/{folder}?zip`: all objects under a prefix as one ZIP file, made
// while it is sent. Ours, not S3's; for callers who may list and read there.
// docs/downloads.md describes its contents.
import type { Core } from '../../../../core/core.ts';
import {
  openSnapshot,
  type SnapshotObject,
  snapshotPrefix,
} from '../../../../core/objects/snapshot-prefix.ts';
import { crc32 } from '../../../../crypto/crc32.ts';
import type { PermitHolder } from '../../../../domain/concurrency/semaphore.ts';
import { StorageError } from '../../../../domain/errors.ts';
import type { AlsoRead } from '../../../../ports/metering.ts';
import { requireAllowed } from '../../../access/decide-call.ts';
import { countPart } from '../../../count-sent.ts';
import { sourceOf } from '../../../request-source.ts';
import { attachment, requireFileName } from '../../../semantics/content-disposition.ts';
import { zipNames } from '../../../zip/zip-names.ts';
import { type ZipEntry, zipLength } from '../../../zip/zip-records.ts';
import { createZipStream } from '../../../zip/zip-stream.ts';
import { type PrefixCall, payerOf, type S3Response } from '../../call/call.ts';
import { hasReceipt } from '../../headers/receipt-request.ts';

/** An entry and what it is made of. */
type Planned = { readonly entry: ZipEntry; readonly object: SnapshotObject };

/**
 * The ZIP of a prefix, which is a folder: without a slash at its end one is added.
 * NoSuchKey when nothing is there, InvalidArgument for a name above 255 characters,
 * InvalidRequest above the configured number of objects, AccessDenied, SlowDown
 * when too many are under way, or the policy takes too long for so many keys. Cost:
 * an index read per 100 objects before the first byte; one class B operation for
 * each object.
 */
export async function answerDownloadZip(call: PrefixCall, core: Core): Promise<S3Response> {
  const { bucket } = call;
  const prefix = call.prefix === '' || call.prefix.endsWith('/') ? call.prefix : `${call.prefix}/`;
  const name = call.query.get('zip') ?? '';
  requireFileName(name, 'zip');
  const permit = call.longDownloads.take(holderOf(call));
  try {
    const objects = await snapshotPrefix(core, bucket, {
      prefix,
      maxObjects: core.settings.zipMaxObjects,
      mayRead: (object) =>
        requireAllowed(call.decide, bucket.record(), {
          action: 's3:GetObject',
          key: object.key,
          object,
        }),
    });
    if (objects.length === 0) throw new StorageError('NoSuchKey', { fields: { Key: prefix } });
    const planned = plan(objects, prefix);
    const entries = planned.map(({ entry }) => entry);
    const folder = prefix === '' ? bucket.record().name : prefix.slice(0, -1);
    const headers = {
      'content-type': 'application/zip',
      'content-disposition': attachment(name || `${folder}.zip`),
      'content-length': `${zipLength(entries)}`,
      // Made for this request, and never twice the same bytes: neither kept nor
      // resumed.
      'cache-control': 'private, no-store',
      'accept-ranges': 'none',
    };
    if (call.request.method === 'HEAD') {
      permit.release();
      return { status: 200, headers, body: null };
    }
    // A receipt stands before the first object is read, so it counts them all.
    const isReceipted = hasReceipt(call, bucket.record());
    const counter = core.ports.meter.of(payerOf(bucket.record(), call.principal));
    const open = async (number: number) => {
      const object = planned[number]?.object;
      if (object === undefined) return null;
      const opened = await openSnapshot(core, bucket, object);
      return isReceipted ? opened : countPart(counter, retrievalOf(object), opened);
    };
    const body = createZipStream(entries, open, { onPull: permit.renew, onEnd: permit.release });
    const alsoRead = isReceipted ? planned.map(({ object }) => readOf(object)) : [];
    return { status: 200, headers, body, tier: 'bucket', alsoRead };
  } catch (error) {
    permit.release();
    throw error;
  }
}

/**
 * Bytes of an object that count as retrieved: none of a body that stands in its
 * index row.
 */
function retrievalOf({ storageClass, isInline, sizeBytes }: SnapshotObject) {
  return { storageClass, lengthBytes: isInline ? 0 : sizeBytes };
}

function readOf(object: SnapshotObject): AlsoRead {
  const { storageClass, lengthBytes } = retrievalOf(object);
  return { storageClass, reads: 1, retrievedBytes: lengthBytes };
}

/** ZIPs under way at once of one bucket, and for one access key or address. */
const ZIPS_OF_BUCKET_MAX = 6;
const ZIPS_OF_SOURCE_MAX = 4;

function holderOf({ bucket, request }: PrefixCall): PermitHolder {
  const { id, ownerId } = bucket.record();
  return {
    tenant: ownerId,
    shares: [
      { name: `bucket ${id}`, max: ZIPS_OF_BUCKET_MAX },
      { name: sourceOf(request), max: ZIPS_OF_SOURCE_MAX },
    ],
  };
}

function plan(objects: readonly SnapshotObject[], prefix: string): Planned[] {
  const names = zipNames(objects, prefix);
  return objects.flatMap((object, number) => {
    const name = names[number] ?? null;
    if (name === null) return [];
    const { sizeBytes, lastModifiedMs } = object;
    return [{ object, entry: { name, sizeBytes, lastModifiedMs, crc32: knownCrc32(object) } }];
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
