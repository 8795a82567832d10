import type { AccountId, DeleteCondition, ObjectKey, VersionName } from '../../domain/nouns.ts';
import type { DeletedObject } from '../../ports/metadata-index.ts';
import type { BucketHandle } from '../buckets/bucket-handle.ts';
import type { Core } from '../core.ts';

/** One thing to delete: what the key stands for now, or with an id that version for good. */
export type DeleteAsked = {
  readonly key: ObjectKey;
  readonly versionId?: VersionName | null;
  readonly condition?: DeleteCondition | null;
};

/**
 * Deletes in one commit; a missing key is no error without a condition, and each target is refused
 * by itself (`refusal`). `bypassGovernance`: the caller may, and asked to, delete what GOVERNANCE
 * keeps.
 */
export function deleteObjects(
  core: Core,
  bucket: BucketHandle,
  asked: readonly DeleteAsked[],
  options: { readonly bypassGovernance?: boolean; readonly ownerId?: AccountId | null } = {},
): Promise<readonly DeletedObject[]> {
  const { clock, ids } = core.ports;
  return bucket.call('deleteObjects', {
    targets: asked.map(({ key, versionId = null, condition = null }) => ({
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
