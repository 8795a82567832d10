// PutBucketPolicy and DeleteBucketPolicy: the checks of a policy, and its commit.
// Which reads it makes public is computed in set-bucket-access.ts.

import { StorageError } from '../../domain/errors.ts';
import type { BucketRecord } from '../../domain/nouns.ts';
import { isPublicPolicy } from '../auth/policy/is-public-policy.ts';
import { parsePolicy, requireUsefulStatements } from '../auth/policy/parse-policy.ts';
import { malformedPolicy } from '../auth/policy/policy-json.ts';
import { POLICY_MAX_BYTES } from '../limits.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';
import { setBucketAccess } from './set-bucket-access.ts';

/**
 * Checks whether the bucket can have a policy. MalformedPolicy when it is invalid,
 * without effect or too long; AccessDenied when it is public and `access`, as it
 * will be, blocks public policies.
 */
export function checkPolicy(
  record: Pick<BucketRecord, 'name' | 'access'>,
  policyJson: string,
): void {
  if (new TextEncoder().encode(policyJson).length > POLICY_MAX_BYTES) {
    throw malformedPolicy(
      `Policy exceeds the maximum allowed document size of ${POLICY_MAX_BYTES} bytes`,
    );
  }
  const policy = parsePolicy(policyJson, record.name);
  requireUsefulStatements(policy);
  if (record.access.publicAccessBlock?.blockPublicPolicy && isPublicPolicy(policy)) {
    throw new StorageError('AccessDenied', { detail: 'The bucket blocks public policies.' });
  }
}

/**
 * Replaces the policy; null removes it. Errors: those of checkPolicy. Cost: one
 * commit.
 */
export async function setBucketPolicy(
  bucket: BucketHandle,
  policyJson: string | null,
): Promise<void> {
  if (policyJson !== null) checkPolicy(bucket.record(), policyJson);
  await setBucketAccess(bucket, { policyJson });
}
