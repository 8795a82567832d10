// The access decision in the terms of a call: core/auth/decide.ts with the caller
// and the condition keys of one request.

import type {
  AccessObject,
  AccessRecord,
  AccessRequest,
  Decide,
  Decision,
} from '../../core/auth/decide.ts';
import { type AccountAction, exceededLimit } from '../../core/auth/key-scope.ts';
import type { S3Action } from '../../core/auth/policy/actions.ts';
import { createRequestEffort, isSpent } from '../../core/auth/policy/evaluate-policy.ts';
import { StorageError } from '../../domain/errors.ts';
import type { ObjectKey } from '../../domain/nouns.ts';
import type { Tags, VersionChange } from '../../domain/object-facts.ts';
import { type ConditionSource, conditionValues } from './condition-values.ts';

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
export type DecideCall = {
  (record: AccessRecord, wanted: Wanted): Decision;
  /**
   * The rule that refuses, as a sentence, for keys of the bucket's account; null
   * for strangers. Never throws.
   */
  readonly whyNot?: (record: AccessRecord, wanted: Wanted) => string | null;
  /**
   * Whether the request's decisions took too many comparisons: policies deny all
   * from then on.
   */
  readonly isSpent?: () => boolean;
};

/**
 * Makes the decisions of one request, which share one effort. What the scope of the
 * caller's key forbids is denied, whatever the bucket allows.
 */
export function createDecideCall(decide: Decide, source: ConditionSource): DecideCall {
  const { principal, request, query } = source;
  const scope = principal.kind === 'account' ? (principal.scope ?? null) : null;
  const effort = createRequestEffort();

  function limitOf(record: AccessRecord, { action, key, prefix }: Wanted) {
    if (scope === null) return null;
    const narrowed = prefix ?? query.get('prefix');
    const scopedCall = {
      action,
      bucket: record.name,
      key,
      prefix: narrowed,
      sourceIp: request.remoteAddress,
    };
    return exceededLimit(scope, scopedCall);
  }

  function requestOf(record: AccessRecord, wanted: Wanted): AccessRequest {
    const { action, key, object = null, change = {}, prefix = null } = wanted;
    const subject = { record, existingTags: object?.tags ?? null, change, prefix };
    const values = (name: string) => conditionValues(source, subject, name);
    return { principal, action, key, object, values, effort };
  }

  const decideCall: DecideCall = (record, wanted) =>
    limitOf(record, wanted) === null ? decide(record, requestOf(record, wanted)) : 'denied';
  return Object.assign(decideCall, {
    isSpent: () => isSpent(effort),
    whyNot(record: AccessRecord, wanted: Wanted) {
      // A link or a form is in the hands of strangers, whoever signed it.
      if (source.authType !== SIGNED_BY_CALLER) return null;
      const limit = limitOf(record, wanted);
      if (limit !== null) return outsideScope(limit, wanted.action);
      return decide.explain?.(record, requestOf(record, wanted)) ?? null;
    },
  });
}

/** The `authType` of a request whose caller has the key at hand. */
const SIGNED_BY_CALLER = 'REST-HEADER';

function outsideScope(limit: string, action: string): string {
  return `Access Denied: the scope of the access key (its ${limit}) does not allow ${action} here.`;
}

const SPENT =
  'The patterns of the bucket policy take too long to compare with all that this request asks ' +
  'for. Please ask for fewer keys at once.';

/**
 * AccessDenied, which names the rule to who may know it. SlowDown once the
 * request's effort is spent: nobody has looked then whether the caller may, and
 * fewer keys in a request will be decided on.
 */
export function accessDenied(
  decide: DecideCall,
  record: AccessRecord,
  wanted: Wanted,
): StorageError {
  if (decide.isSpent?.() === true) return new StorageError('SlowDown', { detail: SPENT });
  const detail = decide.whyNot?.(record, wanted) ?? null;
  return new StorageError('AccessDenied', detail === null ? {} : { detail });
}

/**
 * AccessDenied for what is about no bucket that there is, when the scope of the
 * caller's key forbids it.
 */
export function requireScope(
  {
    principal,
    request,
    isPresigned,
  }: Pick<ConditionSource, 'principal' | 'request'> & { readonly isPresigned: boolean },
  action: AccountAction | 's3:CreateBucket',
  bucket: string | null,
): void {
  const scope = principal.kind === 'account' ? (principal.scope ?? null) : null;
  if (scope === null) return;
  const scopedCall = { action, bucket, key: null, prefix: null, sourceIp: request.remoteAddress };
  const limit = exceededLimit(scope, scopedCall);
  if (limit !== null)
    throw new StorageError(
      'AccessDenied',
      isPresigned ? {} : { detail: outsideScope(limit, action) },
    );
}

/** Throws AccessDenied unless the caller may. */
export function requireAllowed(decide: DecideCall, record: AccessRecord, wanted: Wanted): void {
  if (decide(record, wanted) !== 'allowed') throw accessDenied(decide, record, wanted);
}

/**
 * Whether the caller may hear that the bucket has no such key: who may list it
 * would see.
 */
export function mayKnowMissing(
  decide: DecideCall,
  record: AccessRecord,
  action: S3Action,
  key: ObjectKey,
): boolean {
  const isDenied = decide(record, { action, key }) === 'denied';
  return (
    !isDenied && decide(record, { action: 's3:ListBucket', key: null, prefix: key }) === 'allowed'
  );
}
