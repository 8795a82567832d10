// The trash of a bucket: a deleted object stays as a noncurrent version behind a
// delete marker, for a number of days. It is versioning with a lifecycle rule, so
// S3 clients see it too; restoring and emptying are jobs of run-key-job.ts.

import type { LifecycleConfiguration, LifecycleRule } from '../../domain/lifecycle.ts';
import type { BucketRecord } from '../../domain/nouns.ts';
import type { Core } from '../core.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';
import { setBucketSettings } from '../opened-bucket/set-bucket-settings.ts';

/** Longest time in the trash, days: ten years. */
export const TRASH_MAX_DAYS = 3650;

/**
 * Sets how long deleted and replaced objects stay in the trash, 1 to
 * TRASH_MAX_DAYS; null ends the trash.
 */
export async function setTrash(
  core: Core,
  bucket: BucketHandle,
  days: number | null,
): Promise<BucketRecord> {
  const setAtMs = core.ports.clock.nowMs();
  // Versioning stays when the trash ends, and so do the versions in it.
  const change =
    days === null ? { trash: null } : { trash: { days, setAtMs }, versioning: 'enabled' as const };
  return await setBucketSettings(core, bucket, change);
}

/**
 * Lists the owner's lifecycle rules and the rule of the trash; null where there are
 * none.
 */
export function rulesWithTrash({
  lifecycle,
  trash,
}: Pick<BucketRecord['settings'], 'lifecycle' | 'trash'>): LifecycleConfiguration | null {
  if (trash === null) return lifecycle;
  const rule: LifecycleRule = {
    id: 'quayside-trash',
    isEnabled: true,
    isOldForm: false,
    filter: { prefix: null, tags: {}, sizeGreaterThan: null, sizeLessThan: null },
    expiration: { days: null, dateMs: null, expiredObjectDeleteMarker: true },
    transitions: [],
    noncurrentExpiration: { noncurrentDays: trash.days, newerVersions: null },
    noncurrentTransitions: [],
    abortUploadsAfterDays: null,
  };
  return {
    rules: [...(lifecycle?.rules ?? []), rule],
    transitionMinimum: lifecycle?.transitionMinimum ?? 'all_storage_classes_128K',
    setAtMs: Math.max(lifecycle?.setAtMs ?? 0, trash.setAtMs),
  };
}
