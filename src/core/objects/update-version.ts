import type { ObjectKey, ObjectVersion, VersionName } from '../../domain/nouns.ts';
import type { VersionChange } from '../../domain/object-facts.ts';
import type { BucketHandle } from '../buckets/bucket-handle.ts';
import type { Core } from '../core.ts';

export type UpdateVersionInput = {
  readonly key: ObjectKey;
  /** Null: what the key stands for now. */
  readonly versionId: VersionName | null;
  readonly change: VersionChange;
  /** Whether the caller may, and asked to, override GOVERNANCE. */
  readonly bypassGovernance?: boolean;
};

/**
 * Changes tags, grants or lock of a version where it stands; bytes, date and entity tag stay.
 * NoSuchKey, NoSuchVersion, MethodNotAllowed (a delete marker), AccessDenied (the lock may not be
 * changed so). Cost: one commit.
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
