// A new version of stored bytes: with other headers and metadata, or an older
// version made current again. No byte is read or written and no key is unwrapped.
// The new row has the segments and the wrapped data key of the old one.
import type { ObjectAttributes, ObjectVersion } from '../../domain/nouns.ts';
import type { Tags } from '../../domain/object-facts.ts';
import type { Core } from '../core.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';
import { commitVersion } from './commit-or-discard.ts';
import { asGoneMeanwhile } from './copy-object.ts';

/** Attributes and tags that the new version shall have; the others stay. */
export type NewVersionOptions = Partial<ObjectAttributes> & { readonly tags?: Tags };

/**
 * Makes a copy of a version the current one of its key, with the requested options.
 * A lock stays with the old version; the new one gets the bucket's default
 * retention. `onlyEtag`: only while the key's current version has that entity tag;
 * null: always. PreconditionFailed, NoSuchKey, ServiceUnavailable (swept
 * meanwhile). Cost: one commit.
 */
export async function makeCurrent(
  core: Core,
  bucket: BucketHandle,
  source: ObjectVersion,
  requested: NewVersionOptions,
  onlyEtag: string | null,
): Promise<ObjectVersion> {
  const { clock, ids } = core.ports;
  const object: ObjectVersion = {
    ...source,
    ...requested,
    versionId: ids.versionId(),
    isNull: true,
    lastModifiedMs: clock.nowMs(),
    lock: null,
  };
  const condition = onlyEtag === null ? null : { ifMatch: onlyEtag, ifNoneMatch: null };
  try {
    const committed = await commitVersion(core, bucket, { object, condition, newReferences: [] });
    return { ...object, ...committed };
  } catch (error) {
    throw asGoneMeanwhile(error);
  }
}
