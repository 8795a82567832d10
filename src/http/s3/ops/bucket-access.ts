// Who may read a bucket without a signature: its canned ACL, as header or document, and its policy. What can't be
// enforced is refused by name, so that nothing is stored that would only look like protection.
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketAcl.html and API_PutBucketPolicy.html
import { publicPrefixesOf } from '../../../core/buckets/public-policy.ts';
import { setBucketAccess } from '../../../core/buckets/set-bucket-access.ts';
import type { Core } from '../../../core/core.ts';
import { POLICY_MAX_BYTES, XML_MAX_BYTES } from '../../../core/limits.ts';
import type { BucketAccess, BucketRecord } from '../../../ports/domain.ts';
import { StorageError } from '../../../ports/errors.ts';
import { type BucketCall, emptyAnswer, type ObjectCall, type S3Answer, xmlAnswer } from '../call.ts';
import { parseBucketAcl } from '../canned-acl.ts';
import { type Grant, readAccessControlPolicy } from '../documents.ts';
import { findRequestedVersion } from '../find-version.ts';
import { ownerElement, ownerFields } from '../owner.ts';
import { readDocument } from '../read-document.ts';
import { versionHeaders } from '../version-name.ts';
import { element, s3Document, textElement } from '../xml-write.ts';

const ALL_USERS = 'http://acs.amazonaws.com/groups/global/AllUsers';
const XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';

/** The list that `acl` stands for: the owner's full control, and everyone's reading of a public bucket. */
function accessControlPolicy(call: BucketCall, acl: BucketAccess['acl']): string {
  const owner = `<Grantee ${XSI} xsi:type="CanonicalUser">${ownerFields(call)}</Grantee>`;
  const everyone = `<Grantee ${XSI} xsi:type="Group">${textElement('URI', ALL_USERS)}</Grantee>`;
  const grants =
    element('Grant', owner + textElement('Permission', 'FULL_CONTROL')) +
    (acl === 'public-read' ? element('Grant', everyone + textElement('Permission', 'READ')) : '');
  return s3Document('AccessControlPolicy', ownerElement(call, 'Owner') + element('AccessControlList', grants));
}

export function answerGetBucketAcl(call: BucketCall): S3Answer {
  return xmlAnswer(accessControlPolicy(call, call.bucket.record().access.acl));
}

/** An object is as public as its bucket. Errors: NoSuchKey, InvalidArgument. Cost: one index read. */
export async function answerGetObjectAcl(call: ObjectCall): Promise<S3Answer> {
  const version = await findRequestedVersion(call);
  const record = call.bucket.record();
  const policy = accessControlPolicy(call, record.access.acl);
  return xmlAnswer(policy, versionHeaders(record, version, call.query.get('versionId') !== null));
}

/**
 * Sets the canned ACL, from the header or from the document that is equal to one. Errors: MissingSecurityHeader,
 * UnexpectedContent (both), MalformedXML, AccessDenied (another owner), NotImplemented. Cost: one commit.
 */
export async function answerPutBucketAcl(call: BucketCall, core: Core): Promise<S3Answer> {
  const canned = call.header('x-amz-acl');
  const document = await readDocument(call, XML_MAX_BYTES);
  if (canned !== null && document.length > 0) throw new StorageError('UnexpectedContent');
  if (canned === null && document.length === 0) {
    throw new StorageError('MissingSecurityHeader', {
      detail: 'Your request was missing a required header',
      fields: { MissingHeaderName: 'x-amz-acl' },
    });
  }
  const acl = canned === null ? aclOfDocument(document, call.bucket.record()) : parseBucketAcl(canned);
  await setBucketAccess(core, call.bucket, { acl });
  return emptyAnswer(200);
}

function aclOfDocument(document: Uint8Array, { ownerId }: BucketRecord): BucketAccess['acl'] {
  const policy = readAccessControlPolicy(document);
  if (policy.ownerId !== null && policy.ownerId !== ownerId) throw new StorageError('AccessDenied');
  const isOwners = ({ grantee, permission }: Grant) =>
    grantee.kind === 'user' && grantee.id === ownerId && permission === 'FULL_CONTROL';
  const isPublicRead = ({ grantee, permission }: Grant) =>
    grantee.kind === 'group' && grantee.uri === ALL_USERS && permission === 'READ';
  const others = policy.grants.filter((grant) => !isOwners(grant));
  if (others.length === policy.grants.length || !others.every(isPublicRead)) {
    throw new StorageError('NotImplemented', {
      detail: 'Access control lists other than the equals of private and public-read are not implemented.',
    });
  }
  return others.length === 0 ? 'private' : 'public-read';
}

/** The policy as it was put. Errors: NoSuchBucketPolicy. */
export function answerGetBucketPolicy(call: BucketCall): S3Answer {
  const { access, name } = call.bucket.record();
  if (access.policyJson === null) throw new StorageError('NoSuchBucketPolicy', { fields: { BucketName: name } });
  return { status: 200, headers: { 'content-type': 'application/json' }, body: access.policyJson };
}

/** Errors: MalformedPolicy, NotImplemented, MaxMessageLengthExceeded. Cost: one commit. */
export async function answerPutBucketPolicy(call: BucketCall, core: Core): Promise<S3Answer> {
  const { name } = call.bucket.record();
  const policyJson = decodePolicy(await readDocument(call, POLICY_MAX_BYTES));
  const policyPublicPrefixes = publicPrefixesOf(policyJson, name);
  await setBucketAccess(core, call.bucket, { policyJson, policyPublicPrefixes });
  return emptyAnswer(204);
}

function decodePolicy(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch (cause) {
    throw new StorageError('MalformedPolicy', { detail: 'Policies must be valid JSON in UTF-8.', cause });
  }
}

/** Deleting a policy that is not there is no error. Cost: one commit. */
export async function answerDeleteBucketPolicy(call: BucketCall, core: Core): Promise<S3Answer> {
  await setBucketAccess(core, call.bucket, { policyJson: null, policyPublicPrefixes: [] });
  return emptyAnswer(204);
}
