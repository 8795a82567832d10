// Who may do what with a bucket, decided from the record alone. Called by the S3 surface through openBucket; delivery
// asks the same isPublicObject, so that the two doors can't disagree.
import type { BucketRecord, ObjectKey, Principal } from '../../ports/domain.ts';
import { StorageError } from '../../ports/errors.ts';
import { isPublicObject } from '../../ports/pointer.ts';

/** What a request wants of a bucket. `owner`: its settings, which only the owning account may see or change. */
export type Access = 'read-object' | 'list' | 'write' | 'owner';

/** Throws AccessDenied unless the principal may. `key` is null for requests to the bucket itself. */
export function authorize(principal: Principal, record: BucketRecord, access: Access, key: ObjectKey | null): void {
  if (principal.kind === 'account' && principal.account.id === record.ownerId) return;
  if (access === 'list' && record.access.acl === 'public-read') return;
  if (access === 'read-object' && key !== null && isPublicObject(record.access, key)) return;
  throw new StorageError('AccessDenied');
}
