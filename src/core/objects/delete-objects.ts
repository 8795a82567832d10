// DeleteObject and DeleteObjects: one commit for any number of keys. Blobs are not
// touched here; the sweeper deletes them after the grace.
import type { AccountId, DeleteCondition, ObjectKey, VersionName } from '../../domain/nouns.ts';
import type { DeletedObject } from '../../ports/metadata-index.ts';
import type { Core } from '../core.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';

/**
 * A key to delete: its current version, or with a version id that version for good.
 */
export type DeleteTarget = {
  readonly key: ObjectKey;
  readonly versionId?: VersionName | null;
  readonly condition?: DeleteCondition | null;
};

/**
 * Deletes in one commit. A missing key is no error without a condition, and each
 * target is refused by itself (`refusal`). `bypassGovernance`: the caller may, and
 * requested to, delete versions under GOVERNANCE retention.
 */
export function deleteObjects(
  core: Core,
  bucket: BucketHandle,
  targets: readonly DeleteTarget[],
  options: { readonly bypassGovernance?: boolean; readonly ownerId?: AccountId | null } = {},
): Promise<readonly DeletedObject[]> {
  const { clock, ids } = core.ports;
  return bucket.call('deleteObjects', {
    targets: targets.map(({ key, versionId = null, condition = null }) => ({
      key,
      versionId,
      condition,
      markerId: ids.versionId(),
    })),
    bypassGovernance: options.bypassGovernance ?? false,
    ownerId: options.ownerId ?? null,
    nowMs: clock.nowMs(),
  });
}
