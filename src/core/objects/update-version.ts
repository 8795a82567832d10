// Changes of a stored version in place: tags, grants, lock or the wrapping of its
// data key. Bodies never change.
import type { ObjectKey, ObjectVersion, VersionName } from '../../domain/nouns.ts';
import type { VersionChange } from '../../domain/object-facts.ts';
import type { Core } from '../core.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';

export type UpdateVersionInput = {
  readonly key: ObjectKey;
  /** Null: the current version. */
  readonly versionId: VersionName | null;
  readonly change: VersionChange;
  /** Whether the caller may, and requested to, override GOVERNANCE retention. */
  readonly bypassGovernance?: boolean;
};

/**
 * Changes tags, grants, lock or encryption of a version in place; bytes, date and
 * entity tag stay. NoSuchKey, NoSuchVersion, MethodNotAllowed (a delete marker),
 * AccessDenied (the lock may not be changed so). Cost: one commit.
 */
export function updateVersion(
  core: Core,
  bucket: BucketHandle,
  input: UpdateVersionInput,
): Promise<ObjectVersion> {
  const { bypassGovernance = false, ...rest } = input;
  return bucket.call('updateVersion', {
    ...rest,
    bypassGovernance,
    nowMs: core.ports.clock.nowMs(),
  });
}
