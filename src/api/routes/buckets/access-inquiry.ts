// An inquiry about access as routes make it: the bucket, the object if there is one,
// and the checker that decides. access-checks.ts and public-access.ts use it.
import {
  type AccessQuestion,
  type AccessTarget,
  type Allowed,
  createAccessChecker,
} from '../../../core/auth/access-check/check-access.ts';
import type { AccessInquiry } from '../../../core/auth/access-check/who-may.ts';
import { type PolicyPatterns, readPatterns } from '../../../core/auth/access-check/witness-keys.ts';
import { type AccessRecord, type ReadPolicy, readPolicy } from '../../../core/auth/decide.ts';
import { createRequestEffort } from '../../../core/auth/policy/evaluate-policy.ts';
import type { Effort } from '../../../core/auth/policy/match-glob.ts';
import type { BucketHandle } from '../../../core/opened-bucket/bucket-handle.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { ObjectKey, ObjectVersion } from '../../../domain/nouns.ts';
import {
  type HypotheticalRequest,
  hypotheticalValues,
  isOpenKey,
} from '../../../http/access/hypothetical-values.ts';
import type { ApiCall } from '../../routing/api-call.ts';

/** A question as a request has it: one of the two. */
export type TargetInput = {
  readonly key?: string | undefined;
  readonly prefix?: string | undefined;
};

/** The target of a question, with the current object of a key. InvalidInput. */
export async function readTarget(
  bucket: BucketHandle,
  { key, prefix }: TargetInput,
): Promise<{ readonly target: AccessTarget; readonly object: ObjectVersion | null }> {
  if ((key === undefined) === (prefix === undefined))
    throw new StorageError('InvalidInput', { detail: 'Name either a key or a prefix.' });
  if (key === undefined) return { target: { kind: 'prefix', prefix: prefix ?? '' }, object: null };

  const entry = await bucket.call('getVersion', { key: key as ObjectKey, versionId: null });
  const object = entry?.kind === 'object' ? entry.object : null;
  return { target: { kind: 'key', key: key as ObjectKey, object }, object };
}

/** What questions about many keys of one bucket share. */
export type SharedParts = {
  readonly policy?: ReadPolicy;
  readonly patterns?: PolicyPatterns;
  readonly effort?: Effort;
};

/** The parts of an inquiry that a record and a target make. */
export function openInquiry(
  record: AccessRecord,
  target: AccessTarget,
  request: HypotheticalRequest,
  {
    policy = readPolicy(record),
    patterns = readPatterns(policy),
    effort = createRequestEffort(),
  }: SharedParts = {},
): Pick<AccessInquiry, 'record' | 'policy' | 'target' | 'checker'> {
  const question: AccessQuestion = {
    record,
    policy,
    patterns,
    target,
    sourceIp: request.sourceIp ?? null,
    valuesOf: (principal, action, prefix) =>
      hypotheticalValues(request, record, target, { principal, action, prefix }),
    isOpen: (_principal, action, key) => isOpenKey(request, target, action, key),
  };
  return { record, policy, target, checker: createAccessChecker(question, effort) };
}

/**
 * Refuses a response whose patterns took too many comparisons: it would deny what
 * nobody has decided. SlowDown.
 */
export function requireDecided({ checker }: Pick<AccessInquiry, 'checker'>): void {
  if (!checker.isSpent()) return;
  throw new StorageError('SlowDown', {
    detail: 'The patterns of the bucket policy take too long to compare. Ask for fewer actions.',
  });
}

/**
 * Makes the question whether strangers may read a key or prefix, for many of them:
 * the policy is parsed once, and all share one effort. SlowDown.
 */
export function strangersQuestion(
  { core, region }: Pick<ApiCall, 'core' | 'region'>,
  record: AccessRecord,
): (target: AccessTarget) => Allowed {
  const policy = readPolicy(record);
  const shared = { policy, patterns: readPatterns(policy), effort: createRequestEffort() };
  const nowMs = core.ports.clock.nowMs();
  const request = { sourceIp: undefined, referer: undefined, nowMs, region };
  return (target) => {
    const inquiry = openInquiry(record, target, request, shared);
    const { allowed } = inquiry.checker.check({ kind: 'anonymous' }, null, 's3:GetObject');
    requireDecided(inquiry);
    return allowed;
  };
}
