// Object lock in headers: the requested lock of a write, the lock that a read
// shows, and the override of GOVERNANCE. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html
// (x-amz-object-lock-*), API_GetObject.html

import type { ObjectAction } from '../../../core/auth/policy/actions.ts';
import { parseIsoTime } from '../../../core/time.ts';
import { createYielder } from '../../../core/yield-to-event-loop.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { BucketRecord, ObjectKey } from '../../../domain/nouns.ts';
import type { ObjectLock } from '../../../domain/object-facts.ts';
import { requireAllowed } from '../../access/decide-call.ts';
import { invalidArgument } from '../formats/invalid-argument.ts';
import { requireFuture } from '../formats/object-lock-document.ts';
import type { BucketRights, ReadFacts, RequestHeaders } from './request-headers.ts';

const MODE = 'x-amz-object-lock-mode';
const RETAIN_UNTIL = 'x-amz-object-lock-retain-until-date';
const LEGAL_HOLD = 'x-amz-object-lock-legal-hold';
const BYPASS = 'x-amz-bypass-governance-retention';

/** The headers by which a write locks what it makes. */
export const LOCK_HEADERS: readonly string[] = [MODE, RETAIN_UNTIL, LEGAL_HOLD];

/** A request that sets or overrides locks, with the rights of its caller. */
type LockRequest = Pick<RequestHeaders, 'header'> & BucketRights;

/** Refuses a bucket without object lock. InvalidRequest. */
export function requireLockableBucket({ settings, name }: BucketRecord): void {
  if (settings.objectLock !== null) return;
  throw new StorageError('InvalidRequest', {
    detail: 'Bucket is missing Object Lock Configuration',
    fields: { BucketName: name },
  });
}

/**
 * The requested lock of a write for its new version, or null. Each half needs its
 * own right. AccessDenied, InvalidArgument, InvalidRequest (a bucket without object
 * lock). Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html
 * (Permissions)
 */
export function readObjectLockHeaders(
  call: LockRequest & Pick<ReadFacts, 'key'>,
  nowMs: number,
): ObjectLock | null {
  const { header, bucket, key } = call;
  const [mode, until, legalHold] = [header(MODE), header(RETAIN_UNTIL), header(LEGAL_HOLD)];
  if (mode === null && until === null && legalHold === null) return null;
  requireLockableBucket(bucket.record());
  const needs = (action: ObjectAction) =>
    requireAllowed(call.decide, bucket.record(), { action, key });
  if (mode !== null || until !== null) needs('s3:PutObjectRetention');
  if (legalHold !== null) needs('s3:PutObjectLegalHold');
  return {
    retention: readRetention(mode, until, nowMs),
    hasLegalHold: legalHold === null ? null : readLegalHold(legalHold),
  };
}

function readRetention(
  mode: string | null,
  until: string | null,
  nowMs: number,
): ObjectLock['retention'] {
  if (mode === null && until === null) return null;
  if (mode === null || until === null) {
    throw invalidArgument(
      mode === null ? MODE : RETAIN_UNTIL,
      '',
      `${RETAIN_UNTIL} and ${MODE} must both be supplied`,
    );
  }
  if (mode !== 'GOVERNANCE' && mode !== 'COMPLIANCE')
    throw invalidArgument(MODE, mode, 'Unknown wormMode directive.');
  const untilMs = parseIsoTime(until.trim());
  if (untilMs === null) {
    throw invalidArgument(
      RETAIN_UNTIL,
      until,
      'The retain until date must be provided in ISO 8601 format',
    );
  }
  requireFuture(untilMs, nowMs);
  return { mode, untilMs };
}

function readLegalHold(value: string): boolean {
  if (value !== 'ON' && value !== 'OFF') {
    throw invalidArgument(LEGAL_HOLD, value, "Legal hold status must be either of 'ON' or 'OFF'");
  }
  return value === 'ON';
}

/**
 * The lock of a version in the headers of a read, each half for callers who may
 * read it alone.
 */
export function objectLockHeaders({
  bucket,
  decide,
  key,
  version,
}: ReadFacts): Record<string, string> {
  if (version.lock === null) return {};
  const { retention, hasLegalHold } = version.lock;
  const may = (action: ObjectAction) =>
    decide(bucket.record(), { action, key, object: version }) === 'allowed';
  return {
    ...(retention !== null && may('s3:GetObjectRetention')
      ? { [MODE]: retention.mode, [RETAIN_UNTIL]: new Date(retention.untilMs).toISOString() }
      : {}),
    ...(hasLegalHold !== null && may('s3:GetObjectLegalHold')
      ? { [LEGAL_HOLD]: hasLegalHold ? 'ON' : 'OFF' }
      : {}),
  };
}

/**
 * Whether the request overrides GOVERNANCE, and the caller may for every one of the
 * keys.
 */
export async function bypassesGovernance(
  call: LockRequest,
  keys: readonly ObjectKey[],
): Promise<boolean> {
  if (call.header(BYPASS)?.trim().toLowerCase() !== 'true') return false;
  const record = call.bucket.record();
  const rest = createYielder();
  for (const key of keys) {
    if (call.decide(record, { action: 's3:BypassGovernanceRetention', key }) !== 'allowed')
      return false;
    await rest();
  }
  return true;
}
