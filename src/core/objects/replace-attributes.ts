// A new version of bytes that are there: with other headers and metadata, or an older version made
// current again. No byte is read or written and no key is opened: the new row has the segments and
// the wrapped data key of the old one.
import type { ObjectAttributes, ObjectVersion } from '../../domain/nouns.ts';
import type { Tags } from '../../domain/object-facts.ts';
import type { BucketHandle } from '../buckets/bucket-handle.ts';
import type { Core } from '../core.ts';
import { asGoneMeanwhile } from './copy-object.ts';

export type NewVersionOptions = Partial<ObjectAttributes> & { readonly tags?: Tags };

/**
 * Makes it the current version of its key; what the wish leaves open stays. A lock stays with the
 * old version; the new one gets what the bucket gives to new versions. `onlyEtag`: only while the
 * key's current version has that entity tag; null: whatever is current, or nothing.
 * PreconditionFailed, NoSuchKey, ServiceUnavailable (swept meanwhile). Cost: one commit.
 */
export async function makeCurrent(
  core: Core,
  bucket: BucketHandle,
  source: ObjectVersion,
  wish: NewVersionOptions,
  onlyEtag: string | null,
): Promise<ObjectVersion> {
  const { clock, ids } = core.ports;
  const object: ObjectVersion = {
    ...source,
    ...wish,
    ...{ versionId: ids.versionId(), isNull: true, lastModifiedMs: clock.nowMs(), lock: null },
  };
  const condition = onlyEtag === null ? null : { ifMatch: onlyEtag, ifNoneMatch: null };
  try {
    const placed = await bucket.call('commitObject', { object, condition, newReferences: [] });
    return { ...object, ...placed };
  } catch (error) {
    throw asGoneMeanwhile(error);
  }
}
