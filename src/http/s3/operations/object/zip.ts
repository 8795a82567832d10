// `GET /{bucket}/{folder}?zip`: all objects under a prefix as one ZIP file, made
// while it is sent; with `selection=id` those of a selection that the JSON API has
// stored. Ours, not S3's; for callers who may list and read there.
// docs/downloads.md describes its contents.
import type { Core } from '../../../../core/core.ts';
import { readSelection } from '../../../../core/objects/object-selections.ts';
import type { SnapshotObject } from '../../../../core/objects/snapshot-selection.ts';
import type { PermitHolder } from '../../../../domain/concurrency/semaphore.ts';
import { StorageError } from '../../../../domain/errors.ts';
import type { ObjectSelection } from '../../../../domain/keys/object-selection.ts';
import type { AlsoRead } from '../../../../ports/metering.ts';
import { countPart } from '../../../outgoing-body.ts';
import { sourceOf } from '../../../request-source.ts';
import { attachment, requireFileName } from '../../../semantics/content-disposition.ts';
import { planZip } from '../../../zip/plan-zip.ts';
import { createZipStream } from '../../../zip/zip-stream.ts';
import { type PrefixCall, payerOf, type S3Response } from '../../call/call.ts';
import { hasReceipt } from '../../headers/receipt-request.ts';

/** Parameter that names a stored selection. */
export const SELECTION_PARAMETER = 'selection';

/**
 * The ZIP of a prefix, which is a folder: without a slash at its end one is added.
 * InvalidArgument for a name above 255 characters, SlowDown when too many are under
 * way; else the errors of planZip. Cost: an index read per 100 objects before the
 * first byte; one class B operation for each object.
 */
export async function answerDownloadZip(call: PrefixCall, core: Core): Promise<S3Response> {
  const { bucket } = call;
  const name = call.query.get('zip') ?? '';
  requireFileName(name, 'zip');
  const permit = call.longDownloads.take(holderOf(call));
  try {
    const selection = await selectionOf(call, core);
    const plan = await planZip(core, bucket, call.decide, selection);
    const { entries: planned, sizeBytes } = plan;
    const headers = {
      'content-type': 'application/zip',
      'content-disposition': attachment(name || usualName(selection, bucket.record().name)),
      'content-length': `${sizeBytes}`,
      // Made for this request, and never twice the same bytes: neither kept nor
      // resumed.
      'cache-control': 'private, no-store',
      'accept-ranges': 'none',
      'x-content-type-options': 'nosniff',
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
      const opened = await plan.open(number);
      return isReceipted ? opened : countPart(counter, retrievalOf(object), opened);
    };
    const entries = planned.map(({ entry }) => entry);
    const body = createZipStream(entries, open, { onPull: permit.renew, onEnd: permit.release });
    const alsoRead = isReceipted ? planned.map(({ object }) => readOf(object)) : [];
    return { status: 200, headers, body, tier: 'bucket', alsoRead };
  } catch (error) {
    permit.release();
    throw error;
  }
}

/** The name of an archive that nobody named. */
export function usualName({ base }: Pick<ObjectSelection, 'base'>, bucketName: string): string {
  return `${base === '' ? bucketName : base.slice(0, -1)}.zip`;
}

/**
 * The selection that the query names, else all of the folder in the path. NoSuchKey
 * for one that has expired, or that was made below another folder.
 */
async function selectionOf(
  { bucket, prefix, query }: PrefixCall,
  core: Core,
): Promise<ObjectSelection> {
  const base = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
  const id = query.get(SELECTION_PARAMETER);
  if (id === null) return { base, keys: [], prefixes: [base] };

  const selection = await readSelection(core, bucket, id);
  // The path is what the caller was let in for.
  if (selection.base === base) return selection;
  throw new StorageError('NoSuchKey', { fields: { Key: base } });
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
