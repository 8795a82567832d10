// Whether the requests of a bucket can be logged to another: asked when logging is configured, by
// S3 or by the JSON API.
import type { BucketLogging } from '../../domain/bucket-settings.ts';
import { StorageError } from '../../domain/errors.ts';
import type { BucketRecord } from '../../domain/nouns.ts';
import type { Core } from '../core.ts';
import { mayDeliverLogs } from './may-deliver-logs.ts';

/** Longest prefix, characters: a key of 1,024 bytes needs room for the rest of its name. */
export const LOG_PREFIX_MAX_LENGTH = 800;

/**
 * NoSuchKey (no target bucket, as RadosGW says it), InvalidArgument (the target is the bucket
 * itself, is logged or encrypted itself), AccessDenied (the target's policy does not let the log
 * service write). Cost: one index read.
 */
export async function requireLogTarget(
  core: Core,
  source: BucketRecord,
  logging: BucketLogging,
): Promise<void> {
  const { targetBucket: name } = logging;
  const target = await core.ports.metadataIndex.call(name, 'getBucket', { name });
  if (target === null) {
    throw new StorageError('NoSuchKey', {
      detail: 'The target bucket for logging does not exist.',
      fields: { TargetBucket: name },
    });
  }
  const unfit =
    target.id === source.id
      ? 'The target bucket for logging must be another one.'
      : target.settings.logging !== null
        ? 'The target bucket for logging is logged itself.'
        : target.settings.encryption !== null
          ? 'The target bucket for logging has default encryption.'
          : target.settings.requestPayer !== null
            ? 'The target bucket for logging lets requesters pay.'
            : null;
  if (unfit !== null)
    throw new StorageError('InvalidArgument', {
      detail: unfit,
      fields: { ArgumentName: 'TargetBucket', ArgumentValue: name },
    });
  if (mayDeliverLogs(target, source, logging)) return;
  throw new StorageError('AccessDenied', {
    detail:
      'The policy of the target bucket does not let logging.s3.amazonaws.com put objects at this prefix for this bucket.',
  });
}
