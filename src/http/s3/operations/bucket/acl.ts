// Access control lists of buckets and objects: read, and set by name, by headers or
// by document. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketAcl.html,
// API_PutObjectAcl.html and siblings
import type { OwnedAcl } from '../../../../core/auth/acl.ts';
import { aclOf } from '../../../../core/auth/decide.ts';
import {
  grantsOf,
  type RequestedAcl,
  requireNotBlocked,
} from '../../../../core/auth/new-object-access.ts';
import { admitPublicObjects, setBucketAccess } from '../../../../core/buckets/set-bucket-access.ts';
import type { Core } from '../../../../core/core.ts';
import { SETTING_MAX_BYTES } from '../../../../core/limits.ts';
import { updateVersion } from '../../../../core/objects/update-version.ts';
import { StorageError } from '../../../../domain/errors.ts';
import type { Grant } from '../../../../domain/object-facts.ts';
import { isPublicByAcl } from '../../../../domain/pointer.ts';
import {
  type BucketCall,
  emptyResponse,
  type S3Response,
  type VersionCall,
  xmlResponse,
} from '../../call/call.ts';
import { readDocument } from '../../call/read-document.ts';
import {
  accountsOfAcl,
  readAccessControlPolicy,
  writeAccessControlPolicy,
} from '../../formats/acl-document.ts';
import { versionHeaders, versionNameOf } from '../../formats/version-name.ts';
import { type AclLevel, readAclHeaders, resolveGrants } from '../../headers/acl-request.ts';

/** Shows the list of the bucket. Cost: a read of the directory for the names. */
export async function answerGetBucketAcl(call: BucketCall): Promise<S3Response> {
  return xmlResponse(await documentOf(call, aclOf(call.bucket.record(), null)));
}

/**
 * Shows the list of a version. Cost: as answerGetBucketAcl; the version is at hand.
 */
export async function answerGetObjectAcl(call: VersionCall): Promise<S3Response> {
  const { version } = call;
  const record = call.bucket.record();
  const isNamed = call.query.get('versionId') !== null;
  return xmlResponse(
    await documentOf(call, aclOf(record, version)),
    versionHeaders(record, version, isNamed),
  );
}

async function documentOf(call: BucketCall, list: OwnedAcl): Promise<string> {
  return writeAccessControlPolicy(list, await call.findAccounts(accountsOfAcl(list)));
}

/**
 * Replaces the list of the bucket. Errors: those of readRequestedAcl, AccessDenied
 * (public lists are blocked). Cost: one commit.
 */
export async function answerPutBucketAcl(call: BucketCall): Promise<S3Response> {
  const record = call.bucket.record();
  const acl = await readNewAcl(call, 'bucket', aclOf(record, null));
  await setBucketAccess(call.bucket, { acl });
  return emptyResponse(200);
}

/**
 * Replaces the list of a version; its Last-Modified stays. Errors: as
 * answerPutBucketAcl. Cost: one commit.
 */
export async function answerPutObjectAcl(call: VersionCall, core: Core): Promise<S3Response> {
  const { bucket, key, version } = call;
  const list = aclOf(bucket.record(), version);
  const acl = await readNewAcl(call, 'object', list);
  if (isPublicByAcl({ acl, ownerId: list.ownerId })) await admitPublicObjects(bucket);
  const versionId = versionNameOf(version);
  await updateVersion(core, bucket, { key, versionId, change: { acl } });
  return emptyResponse(200);
}

/**
 * The list that the request wants, in the place of `current`.
 * AccessControlListNotSupported where ownership is enforced.
 */
async function readNewAcl(
  call: BucketCall,
  level: AclLevel,
  current: OwnedAcl,
): Promise<readonly Grant[] | null> {
  const record = call.bucket.record();
  const requested = await readRequestedAcl(call, level, current);
  if (record.access.ownership === 'BucketOwnerEnforced')
    throw new StorageError('AccessControlListNotSupported');
  const acl = grantsOf(requested, { ownerId: current.ownerId, bucketOwnerId: record.ownerId });
  requireNotBlocked(record, call.principal, acl);
  return acl;
}

/**
 * The list of the headers, or of the document. Errors: MissingSecurityHeader
 * (neither), UnexpectedContent (both), MalformedXML, AccessDenied (another owner),
 * those of readAclHeaders and resolveGrants.
 */
async function readRequestedAcl(
  call: BucketCall,
  level: AclLevel,
  { ownerId }: OwnedAcl,
): Promise<RequestedAcl> {
  const fromHeaders = await readAclHeaders(call, level);
  const document = await readDocument(call, SETTING_MAX_BYTES);
  if (fromHeaders !== null && document.length > 0) throw new StorageError('UnexpectedContent');
  if (fromHeaders !== null) return fromHeaders;
  if (document.length === 0) {
    throw new StorageError('MissingSecurityHeader', {
      detail: 'Your request was missing a required header',
      fields: { MissingHeaderName: 'x-amz-acl' },
    });
  }
  const policy = readAccessControlPolicy(document);
  if (policy.ownerId !== null && policy.ownerId !== ownerId) throw new StorageError('AccessDenied');
  return { kind: 'grants', grants: await resolveGrants(call.findAccounts, policy.grants) };
}
