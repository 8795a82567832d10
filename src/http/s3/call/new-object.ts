// Facts of a new object besides its bytes and headers: whose it is, who may use it,
// its tags. Used by PutObject and its form, CopyObject and CreateMultipartUpload,
// before they read a body. A reader of headers is called where the request has one
// of its family; most have none.
import { isGranted } from '../../../core/auth/acl.ts';
import { aclOf } from '../../../core/auth/decide.ts';
import { accessOfNewObject } from '../../../core/auth/new-object-access.ts';
import { admitPublicObjects } from '../../../core/buckets/set-bucket-access.ts';
import type { Core } from '../../../core/core.ts';
import type { RequestedEncryption } from '../../../core/encryption/envelope.ts';
import type { ObjectFacts, Tags } from '../../../domain/object-facts.ts';
import { accessDenied, type Wanted } from '../../access/decide-call.ts';
import { ACL_HEADERS, readAclHeaders } from '../headers/acl-request.ts';
import { ENCRYPTION_HEADERS, readRequestedEncryption } from '../headers/encryption-headers.ts';
import { LOCK_HEADERS, readObjectLockHeaders } from '../headers/object-lock-headers.ts';
import { readTaggingHeader, TAGGING_HEADER } from '../headers/tagging-header.ts';
import type { ObjectCall } from './call.ts';

/** A new object as the headers of its request describe it. */
export type NewObject = {
  readonly facts: Omit<ObjectFacts, 'encryption'>;
  /** Null: it is not encrypted. */
  readonly encryption: RequestedEncryption | null;
};

/**
 * Facts and encryption of an object that the request makes of a body. Errors: those
 * of readRequestedEncryption, readObjectLockHeaders, readTaggingHeader and
 * readNewObjectFacts.
 */
export async function readNewObject(call: ObjectCall, core: Core): Promise<NewObject> {
  const standard = call.bucket.record().settings.encryption;
  const mayEncrypt = standard !== null || hasAny(call, ENCRYPTION_HEADERS);
  const encryption = mayEncrypt ? readRequestedEncryption(call, standard) : null;
  const nowMs = core.ports.clock.nowMs();
  const lock = hasAny(call, LOCK_HEADERS) ? readObjectLockHeaders(call, nowMs) : null;
  const tags = hasAny(call, [TAGGING_HEADER]) ? readTaggingHeader(call.header) : {};
  const facts = await readNewObjectFacts(call, tags);
  return { facts: { ...facts, lock }, encryption };
}

/** Whether the request has one of the headers. */
function hasAny({ header }: ObjectCall, names: readonly string[]): boolean {
  return names.some((name) => header(name) !== null);
}

/**
 * Owner and grants of the object, and the tags if the caller may set them. A list
 * in the headers needs no right of its own, because the writer owns the object and
 * could set it afterwards; only a policy that denies s3:PutObjectAcl forbids it.
 * Errors: those of readAclHeaders, AccessDenied (denied, or public lists are
 * blocked), AccessControlListNotSupported. Cost: nothing without a list.
 */
export async function readNewObjectFacts(
  call: ObjectCall,
  tags: Tags,
): Promise<Pick<ObjectFacts, 'ownerId' | 'acl' | 'tags'>> {
  requireTagging(call, tags);
  const requested = hasAny(call, ACL_HEADERS) ? await readAclHeaders(call, 'object') : null;
  const { bucket, key, principal } = call;
  const listing: Wanted = { action: 's3:PutObjectAcl', key };
  if (requested !== null && call.decide(bucket.record(), listing) === 'denied') {
    throw accessDenied(call.decide, bucket.record(), listing);
  }
  const { ownerId, acl, isPublic } = accessOfNewObject(bucket.record(), principal, requested);
  if (isPublic) await admitPublicObjects(bucket);
  return { ownerId, acl, tags };
}

/**
 * Refuses tags that the caller may not set. A writer by a policy needs it to allow
 * tags too; a writer by the bucket's list may tag what is their own.
 */
function requireTagging(call: ObjectCall, tags: Tags): void {
  if (Object.keys(tags).length === 0) return;
  const record = call.bucket.record();
  const tagging: Wanted = { action: 's3:PutObjectTagging', key: call.key, change: { tags } };
  const decision = call.decide(record, tagging);
  if (decision === 'allowed') return;
  const ignoresPublic = record.access.publicAccessBlock?.ignorePublicAcls ?? false;
  const mayWrite = isGranted(aclOf(record, null), call.principal, 'WRITE', ignoresPublic);
  if (decision === 'denied' || !mayWrite) throw accessDenied(call.decide, record, tagging);
}
