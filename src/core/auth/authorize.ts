// Who may do what with a bucket, decided from the record alone. Called by both doors, the S3 surface (through
// openBucket) and delivery (through isPublicObject), so that they can't disagree.
import type { BucketAccess, BucketRecord, ObjectKey, Principal } from '../../ports/domain.ts';
import { StorageError } from '../../ports/errors.ts';

/** What a request wants of a bucket. `owner`: its settings, which only the owning account may see or change. */
export type Access = 'read-object' | 'list' | 'write' | 'owner';

/** Whether everyone may read the object without a signature. */
export function isPublicObject(access: BucketAccess, key: ObjectKey): boolean {
  return access.acl === 'public-read' || access.policyPublicPrefixes.some((prefix) => key.startsWith(prefix));
}

/** Throws AccessDenied unless the principal may. `key` is null for requests to the bucket itself. */
export function authorize(principal: Principal, record: BucketRecord, access: Access, key: ObjectKey | null): void {
  if (principal.kind === 'account' && principal.account.id === record.ownerId) return;
  if (access === 'list' && record.access.acl === 'public-read') return;
  if (access === 'read-object' && key !== null && isPublicObject(record.access, key)) return;
  throw new StorageError('AccessDenied');
}
