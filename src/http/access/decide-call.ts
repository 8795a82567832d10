// The access decision in the terms of a call: core/auth/decide.ts with the caller and the condition keys of one request.

import type { S3Action } from '../../core/auth/actions.ts';
import type { AccessObject, AccessRecord, Decide, Decision } from '../../core/auth/decide.ts';
import { type AccountAction, isWithinScope } from '../../core/auth/key-scope.ts';
import type { ObjectKey } from '../../ports/domain.ts';
import { StorageError } from '../../ports/errors.ts';
import type { Tags, VersionChange } from '../../ports/object-facts.ts';
import { type ConditionSource, conditionValuesOf } from './condition-values.ts';

/** What the caller wants to do. */
export type Wanted = {
  readonly action: S3Action;
  /** Null: with the bucket itself. */
  readonly key: ObjectKey | null;
  /** The version that is read or changed, where there is one. */
  readonly object?: (AccessObject & { readonly tags: Tags }) | null;
  /** What the request sets, as far as its headers do not say it. */
  readonly change?: VersionChange;
  /** For `s3:prefix`, where the request itself is no listing. */
  readonly prefix?: string;
};

/** Decides one thing on a record. Never throws. */
export type DecideCall = (record: AccessRecord, wanted: Wanted) => Decision;

/** What the scope of the caller's key forbids is denied, whatever the bucket allows. */
export function createDecideCall(decide: Decide, source: ConditionSource): DecideCall {
  const { principal, request, query } = source;
  const scope = principal.kind === 'account' ? (principal.scope ?? null) : null;
  return (record, { action, key, object = null, change = {}, prefix = null }) => {
    if (scope !== null) {
      const narrowed = prefix ?? query.get('prefix');
      const asked = { action, bucket: record.name, key, prefix: narrowed, sourceIp: request.remoteAddress };
      if (!isWithinScope(scope, asked)) return 'denied';
    }
    return decide(record, {
      principal,
      action,
      key,
      object,
      values: conditionValuesOf(source, { record, existingTags: object?.tags ?? null, change, prefix }),
    });
  };
}

/** AccessDenied for what is about no bucket that there is, when the scope of the caller's key forbids it. */
export function requireScope(
  { principal, request }: Pick<ConditionSource, 'principal' | 'request'>,
  action: AccountAction | 's3:CreateBucket',
  bucket: string | null,
): void {
  const scope = principal.kind === 'account' ? (principal.scope ?? null) : null;
  if (scope === null) return;
  const asked = { action, bucket, key: null, prefix: null, sourceIp: request.remoteAddress };
  if (!isWithinScope(scope, asked)) throw new StorageError('AccessDenied');
}

/** Throws AccessDenied unless the caller may. */
export function requireAllowed(decide: DecideCall, record: AccessRecord, wanted: Wanted): void {
  if (decide(record, wanted) !== 'allowed') throw new StorageError('AccessDenied');
}

/** Whether the caller may be told that the bucket has no such key: who may list it would see. */
export function mayKnowMissing(decide: DecideCall, record: AccessRecord, action: S3Action, key: ObjectKey): boolean {
  const isDenied = decide(record, { action, key }) === 'denied';
  return !isDenied && decide(record, { action: 's3:ListBucket', key: null, prefix: key }) === 'allowed';
}
