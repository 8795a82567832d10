// The policy of a bucket: put, get, delete, and whether it opens the bucket to the
// public. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketPolicy.html and
// siblings
import { isPublicAcl } from '../../../../core/auth/acl.ts';
import { aclOf, readPolicy } from '../../../../core/auth/decide.ts';
import { isPublicPolicy } from '../../../../core/auth/policy/is-public-policy.ts';
import { setBucketPolicy } from '../../../../core/buckets/set-policy.ts';
import { POLICY_MAX_BYTES } from '../../../../core/limits.ts';
import { StorageError } from '../../../../domain/errors.ts';
import { type BucketCall, emptyResponse, type S3Response, xmlResponse } from '../../call/call.ts';
import { readDocument } from '../../call/read-document.ts';
import { s3Document, textElement } from '../../formats/xml-write.ts';

/** The policy as it was put. Errors: NoSuchBucketPolicy, MethodNotAllowed. */
export function answerGetBucketPolicy(call: BucketCall): S3Response {
  requireOwnAccount(call);
  const { access, name } = call.bucket.record();
  if (access.policyJson === null)
    throw new StorageError('NoSuchBucketPolicy', { fields: { BucketName: name } });
  return { status: 200, headers: { 'content-type': 'application/json' }, body: access.policyJson };
}

/**
 * Replaces the policy. Errors: MalformedPolicy, MaxMessageLengthExceeded,
 * MethodNotAllowed, AccessDenied (public policies are blocked). Cost: one commit.
 */
export async function answerPutBucketPolicy(call: BucketCall): Promise<S3Response> {
  requireOwnAccount(call);
  await setBucketPolicy(call.bucket, decodePolicy(await readDocument(call, POLICY_MAX_BYTES)));
  return emptyResponse(204);
}

function decodePolicy(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch (cause) {
    throw new StorageError('MalformedPolicy', {
      detail: 'Policies must be valid JSON in UTF-8.',
      cause,
    });
  }
}

/**
 * Deleting a policy that is not there is no error. MethodNotAllowed. Cost: one
 * commit.
 */
export async function answerDeleteBucketPolicy(call: BucketCall): Promise<S3Response> {
  requireOwnAccount(call);
  await setBucketPolicy(call.bucket, null);
  return emptyResponse(204);
}

/**
 * A policy may let other accounts do this, but they still can't. Source:
 * API_PutBucketPolicy.html
 */
function requireOwnAccount({ bucket, principal }: BucketCall): void {
  if (principal.kind === 'account' && principal.account.id === bucket.record().ownerId) return;
  throw new StorageError('MethodNotAllowed', { fields: { ResourceType: 'BUCKETPOLICY' } });
}

/**
 * Whether policy or list open the bucket to the public. Without a policy S3 says
 * 404; the list counts all the same.
 */
export function answerGetBucketPolicyStatus(call: BucketCall): S3Response {
  const record = call.bucket.record();
  const policy = readPolicy(record);
  const isPublicByPolicy = policy !== null && policy !== 'unreadable' && isPublicPolicy(policy);
  const isPublicByList =
    !record.access.publicAccessBlock?.ignorePublicAcls && isPublicAcl(aclOf(record, null).acl);
  return xmlResponse(
    s3Document('PolicyStatus', textElement('IsPublic', isPublicByPolicy || isPublicByList)),
  );
}
