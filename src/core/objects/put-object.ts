// PutObject, the write walk: body to a fresh blob, proof of its digests, one commit of the row. The
// commit is the write: before it nothing is visible, after it nothing can undo it.

import type {
  ObjectAttributes,
  ObjectKey,
  ObjectVersion,
  WriteCondition,
} from '../../domain/nouns.ts';
import { NO_FACTS, type ObjectFacts } from '../../domain/object-facts.ts';
import type { ByteSource } from '../../ports/byte-source.ts';
import type { BucketHandle } from '../buckets/bucket-handle.ts';
import type { Core } from '../core.ts';
import { makeDataKey, type RequestedEncryption } from '../encryption/wrapped-data-key.ts';
import { identityOfBlob } from './blob-identity.ts';
import type { BodyExpectation } from './body-expectation.ts';
import { commitOrDiscard } from './commit-or-discard.ts';
import { requireRoom } from './require-room.ts';
import { writeBody } from './write-body.ts';

export type PutObjectInput = {
  readonly key: ObjectKey;
  readonly attributes: ObjectAttributes;
  /** Decoded bytes; the length must be known, unless `isLengthOptional`. */
  readonly body: ByteSource;
  readonly isLengthOptional?: boolean;
  readonly expectation: BodyExpectation;
  readonly condition: WriteCondition | null;
  /** What is not given is as nobody said anything of it. */
  readonly facts?: Partial<Omit<ObjectFacts, 'encryption'>>;
  /** How the bytes shall be encrypted; none of it leaves them plain. */
  readonly encryption?: RequestedEncryption | null;
};

/**
 * Stores an object and returns its new current version. Errors: those of writeBody and makeDataKey,
 * PreconditionFailed, NoSuchKey (If-Match on a missing key), StorageFull, QuotaExceeded. Cost: one
 * commit; above the inline limit also one blob (R2 class A).
 */
export async function putObject(
  core: Core,
  bucket: BucketHandle,
  input: PutObjectInput,
): Promise<ObjectVersion> {
  const { key, attributes } = input;
  const home = bucket.record();
  await requireRoom(bucket, input.body, { key, part: null });
  const kept = await makeDataKey(core, home.ownerId, input.encryption ?? null);
  const written = await writeBody(core, home, input.body, {
    expectation: input.expectation,
    inlineMaxBytes: core.settings.inlineBodyMaxBytes,
    isLengthOptional: input.isLengthOptional ?? false,
    kept,
    identity: identityOfBlob(home, key, attributes),
  });
  const object: ObjectVersion = {
    ...NO_FACTS,
    ...input.facts,
    encryption: kept?.encryption ?? null,
    ...attributes,
    ...written.body,
    key,
    versionId: core.ports.ids.versionId(),
    isNull: true,
    sizeBytes: written.sizeBytes,
    etag: written.etag,
    lastModifiedMs: core.ports.clock.nowMs(),
    checksum: written.checksum === null ? null : { ...written.checksum, type: 'FULL_OBJECT' },
    parts: null,
  };
  const { newReferences } = written;
  const placed = await commitOrDiscard(core, { segments: object.segments, newReferences }, () =>
    bucket.call('commitObject', { object, condition: input.condition, newReferences }),
  );
  return { ...object, ...placed } as ObjectVersion;
}
