// The check of the target bucket of access logs. Called when logging is configured,
// by S3 or by the JSON API.
import type { BucketLogging } from '../../domain/bucket-settings.ts';
import { StorageError } from '../../domain/errors.ts';
import type { BucketRecord } from '../../domain/nouns.ts';
import type { Core } from '../core.ts';
import { mayDeliverLogs } from './may-deliver-logs.ts';

/**
 * Longest prefix, characters: the rest of a log object's key must fit into 1,024
 * bytes.
 */
export const LOG_PREFIX_MAX_LENGTH = 800;

/**
 * Requires a target bucket that can take the logs. NoSuchKey (no such bucket, the
 * code of RadosGW), InvalidArgument (the target is the bucket itself, or is logged
 * or encrypted), AccessDenied (its policy does not let the log service write).
 * Cost: one index read.
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

  const problem = problemOf(target, source);
  if (problem !== null)
    throw new StorageError('InvalidArgument', {
      detail: problem,
      fields: { ArgumentName: 'TargetBucket', ArgumentValue: name },
    });
  if (mayDeliverLogs(target, source, logging)) return;
  throw new StorageError('AccessDenied', {
    detail:
      'The policy of the target bucket does not let logging.s3.amazonaws.com ' +
      'put objects at this prefix for this bucket.',
  });
}

/** Finds why a bucket can't take the logs of another, or null. */
function problemOf(target: BucketRecord, source: BucketRecord): string | null {
  const { logging, encryption, requestPayer } = target.settings;
  if (target.id === source.id) return 'The target bucket for logging must be another one.';
  if (logging !== null) return 'The target bucket for logging is logged itself.';
  if (encryption !== null) return 'The target bucket for logging has default encryption.';
  if (requestPayer !== null) return 'The target bucket for logging lets requesters pay.';
  return null;
}
