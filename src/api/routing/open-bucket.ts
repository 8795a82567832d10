// The bucket that a request names, opened for its caller. Routes about buckets and
// objects call this first; what may be done with the bucket is the scope's.
import { mayDo, type Scope } from '../../core/auth/permissions.ts';
import { type BucketHandle, openBucket } from '../../core/opened-bucket/bucket-handle.ts';
import { isBucketName } from '../../core/parse-names.ts';
import { StorageError } from '../../domain/errors.ts';
import type { EventOrigin } from '../../domain/notifications.ts';
import type { BucketName, BucketRecord } from '../../domain/nouns.ts';
import { noteChange } from '../../http/fresh-by.ts';
import type { SignedInCall } from './api-call.ts';

/**
 * Opens a bucket for a caller who has the scope in the account of its owner.
 * NoSuchBucket also for the buckets of others: nobody learns of them here.
 * `alsoCheck` runs whenever the bucket is opened, again when it changed meanwhile.
 */
export async function openBucketOf(
  call: SignedInCall,
  name: string,
  scope: Scope,
  alsoCheck: (record: BucketRecord) => void = () => {},
): Promise<BucketHandle> {
  if (!isBucketName(name)) throw new StorageError('NoSuchBucket');

  const checkAccess = (record: BucketRecord) => {
    const isOwn = record.ownerId === call.caller.accountId;
    if (!mayDo(call.caller, scope, record.ownerId))
      throw new StorageError(isOwn ? 'AccessDenied' : 'NoSuchBucket');

    if (!isOwn) call.audit.accountId = record.ownerId;
    call.request.notes.bucket = record.name;
    alsoCheck(record);
  };
  return await openBucket(call.core, name as BucketName, checkAccess, {
    originOf: () => originOf(call),
    note: (bucket, change) => noteChange(call.request, bucket, change),
  });
}

/** Who makes a change, for the events of its bucket. */
function originOf({ caller, region, request, requestId }: SignedInCall): EventOrigin {
  return {
    operation: request.notes.operation ?? '',
    principalId: caller.accountId,
    sourceIp: request.remoteAddress ?? '',
    requestId,
    region,
  };
}
