// The lock of an object version as JSON: retention and legal hold, how they are
// changed, and who may override a retention. object.ts and job-schemas.ts use it.
import { z } from '@hono/zod-openapi';
import { StorageError } from '../../../domain/errors.ts';
import type { EditedLock } from '../../../domain/keys/key-jobs.ts';
import type { BucketRecord } from '../../../domain/nouns.ts';
import type { ObjectLock, VersionChange } from '../../../domain/object-facts.ts';
import { requireLockableBucket } from '../../../http/s3/headers/object-lock-headers.ts';
import type { SignedInCall } from '../../routing/api-call.ts';
import { isoTime, timeSchema } from '../../schemas/time.ts';

type Retention = NonNullable<ObjectLock['retention']>;

export const retentionSchema = z
  .strictObject({ mode: z.enum(['GOVERNANCE', 'COMPLIANCE']), until: timeSchema })
  .openapi('Retention');

export const lockChange = {
  retention: retentionSchema.partial().nullable().optional(),
  legalHold: z.boolean().optional(),
  bypassGovernance: z.boolean().default(false).openapi({ description: 'Owners and admins alone.' }),
};

/** The query parameter of a request that overrides retentions. */
export const bypassQuery = z
  .enum(['0', '1'])
  .default('0')
  .openapi({ description: 'Owners and admins alone.' });

/** The lock of many objects: a retention is set whole, whatever each of them had. */
export const lockChangeOfMany = {
  ...lockChange,
  retention: retentionSchema.nullable().optional(),
};

type LockChange = Pick<z.infer<z.ZodObject<typeof lockChange>>, 'retention' | 'legalHold'>;

/** Retention and legal hold as the API shows them. */
export function showLock(lock: ObjectLock | null) {
  const retention = lock?.retention ?? null;
  return {
    retention:
      retention === null ? null : { mode: retention.mode, until: isoTime(retention.untilMs) },
    legalHold: lock?.hasLegalHold === true,
  };
}

/**
 * The change of a lock as core takes it; what is absent stays. InvalidRequest,
 * InvalidInput.
 */
export function toLockChange(
  call: SignedInCall,
  record: BucketRecord,
  current: Retention | null,
  { retention, legalHold }: LockChange,
): VersionChange {
  if (retention === undefined && legalHold === undefined) return {};

  requireLockableBucket(record);
  return {
    ...(retention === undefined
      ? {}
      : { retention: retention === null ? null : toRetention(call, current, retention) }),
    ...(legalHold === undefined ? {} : { hasLegalHold: legalHold }),
  };
}

/**
 * The change of a lock as a job gives it to many objects; undefined: it changes none.
 * InvalidRequest, InvalidInput, AccessDenied.
 */
export function toEditedLock(
  call: SignedInCall,
  record: BucketRecord,
  input: z.infer<z.ZodObject<typeof lockChangeOfMany>>,
): EditedLock | undefined {
  const { retention, hasLegalHold } = toLockChange(call, record, null, input);
  const bypassGovernance = mayBypass(call, input.bypassGovernance);
  if (retention === undefined && hasLegalHold === undefined) return undefined;
  return {
    ...(retention === undefined ? {} : { retention }),
    ...(hasLegalHold === undefined ? {} : { hasLegalHold }),
    bypassGovernance,
  };
}

/**
 * The retention with the change laid over it. InvalidInput where half of it is
 * missing, and for an end that is past.
 */
function toRetention(
  call: SignedInCall,
  current: Retention | null,
  change: NonNullable<LockChange['retention']>,
): Retention {
  const mode = change.mode ?? current?.mode;
  const untilMs = change.until === undefined ? current?.untilMs : Date.parse(change.until);
  if (mode === undefined || untilMs === undefined) {
    throw new StorageError('InvalidInput', { detail: 'A retention needs `mode` and `until`.' });
  }
  if (untilMs <= call.core.ports.clock.nowMs()) {
    throw new StorageError('InvalidInput', { detail: 'A retention ends in the future.' });
  }
  return { mode, untilMs };
}

/**
 * Whether a request overrides retentions. AccessDenied for a caller who may not.
 */
export function mayBypass({ caller }: SignedInCall, isRequested: boolean): boolean {
  if (isRequested && caller.role !== 'owner' && caller.role !== 'admin') {
    throw new StorageError('AccessDenied', {
      detail: 'Only owners and admins override a retention.',
    });
  }
  return isRequested;
}
