// The trash of a bucket: what is deleted is kept as an older version behind a delete marker, for so
// many days. It is versioning with an end, so S3 clients see it too; restoring and emptying are
// jobs of run-key-job.ts.

import type { LifecycleConfiguration, LifecycleRule } from '../../domain/lifecycle.ts';
import type { BucketRecord } from '../../domain/nouns.ts';
import type { BucketHandle } from '../buckets/bucket-handle.ts';
import { setBucketSettings } from '../buckets/set-bucket-settings.ts';
import type { Core } from '../core.ts';

/** Ten years. */
export const TRASH_MAX_DAYS = 3650;

/**
 * Keeps what is deleted or replaced for so many days, 1 to TRASH_MAX_DAYS; null: for as long as the
 * bucket's rules say.
 */
export async function setTrash(
  core: Core,
  bucket: BucketHandle,
  days: number | null,
): Promise<BucketRecord> {
  const setAtMs = core.ports.clock.nowMs();
  // Versioning stays when the trash ends: what is kept is kept.
  const change =
    days === null ? { trash: null } : { trash: { days, setAtMs }, versioning: 'enabled' as const };
  return await setBucketSettings(core, bucket, change);
}

/** The owner's rules, and the one that a trash is; null where there are none. */
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
