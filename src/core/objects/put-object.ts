// PutObject: the body goes to a fresh blob, its digests are verified, and one
// commit writes the row. The commit is the write: before it nothing is visible,
// after it nothing can undo it. Called by every surface that stores objects.

import type {
  ObjectAttributes,
  ObjectKey,
  ObjectVersion,
  WriteCondition,
} from '../../domain/nouns.ts';
import { NO_FACTS, type ObjectFacts } from '../../domain/object-facts.ts';
import type { ByteSource } from '../../ports/byte-source.ts';
import type { Core } from '../core.ts';
import { makeDataKey, type RequestedEncryption } from '../encryption/envelope.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';
import type { BodyExpectation } from './body-expectation.ts';
import { commitOrDiscard, commitVersion } from './commit-or-discard.ts';
import { identityOfBlob, inlineMaxBytesOf, requireRoom, writeBody } from './write-body.ts';

export type PutObjectInput = {
  readonly key: ObjectKey;
  readonly attributes: ObjectAttributes;
  /** Decoded bytes; the length must be known, unless `isLengthOptional`. */
  readonly body: ByteSource;
  readonly isLengthOptional?: boolean;
  readonly expectation: BodyExpectation;
  readonly condition: WriteCondition | null;
  /** Facts that differ from NO_FACTS. */
  readonly facts?: Partial<Omit<ObjectFacts, 'encryption'>>;
  /** How the bytes shall be encrypted; null or absent leaves them plain. */
  readonly encryption?: RequestedEncryption | null;
};

/**
 * Stores an object and returns its new current version. Errors: those of writeBody
 * and makeDataKey, PreconditionFailed, NoSuchKey (If-Match on a missing key),
 * StorageFull, QuotaExceeded. Cost: one commit; above the inline limit also one
 * blob (R2 class A).
 */
export async function putObject(
  core: Core,
  bucket: BucketHandle,
  input: PutObjectInput,
): Promise<ObjectVersion> {
  const { key, attributes, encryption = null } = input;
  const record = bucket.record();
  await requireRoom(bucket, input.body, { key, part: null });
  const envelope = encryption === null ? null : await makeDataKey(core, record.ownerId, encryption);
  const written = await writeBody(core, record, input.body, {
    expectation: input.expectation,
    inlineMaxBytes: inlineMaxBytesOf(core, record),
    isLengthOptional: input.isLengthOptional ?? false,
    envelope,
    identity: identityOfBlob(record, key, attributes),
  });
  const object: ObjectVersion = {
    ...NO_FACTS,
    ...input.facts,
    encryption: envelope?.encryption ?? null,
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
  const { segments } = object;
  const committed = await commitOrDiscard(core, { segments, newReferences }, () =>
    commitVersion(core, bucket, { object, condition: input.condition, newReferences }),
  );
  return { ...object, ...committed } as ObjectVersion;
}
