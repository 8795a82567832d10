// CopyObject moves no bytes: the copy is a new row with the same segments. Blobs
// stay in their owner bucket, the one that wrote them. A copy into another bucket
// first takes a remote reference there, so that the owner bucket keeps the bytes as
// long as the copy lives. Only a copy under another encryption key than its source
// is written anew.
import { createDigestSet } from '../../crypto/digest-set.ts';
import { hasCode, StorageError } from '../../domain/errors.ts';
import type {
  BlobId,
  BucketAddress,
  BucketRecord,
  ChecksumAlgorithm,
  ObjectAttributes,
  ObjectBody,
  ObjectKey,
  ObjectVersion,
  Segment,
  WriteCondition,
} from '../../domain/nouns.ts';
import { NO_FACTS, type ObjectEncryption, type ObjectFacts } from '../../domain/object-facts.ts';
import { blobsOf, ownerBucketOfBlob } from '../../domain/owner-bucket.ts';
import type { ByteSource } from '../../ports/byte-source.ts';
import type { NewBlobReference } from '../../ports/metadata-index.ts';
import type { Core } from '../core.ts';
import {
  type CustomerKey,
  isSameKey,
  makeDataKey,
  type RequestedEncryption,
  unwrapDataKey,
  unwrapWithCustomerKey,
  wrapDataKey,
} from '../encryption/envelope.ts';
import { MANAGED_KEY_ID } from '../encryption/kms-keys.ts';
import { PUT_MAX_BYTES } from '../limits.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';
import { bodySource } from './body-source.ts';
import { commitOrDiscard, commitVersion } from './commit-or-discard.ts';
import { identityOfBlob, inlineMaxBytesOf, writeBody } from './write-body.ts';

export type CopyObjectInput = {
  /**
   * The version to copy; the caller has read it and checked the copy-source
   * conditions.
   */
  readonly source: ObjectVersion;
  /** The client's key of a source that it encrypted itself (SSE-C). */
  readonly sourceKey?: CustomerKey | null;
  readonly key: ObjectKey;
  readonly attributes: ObjectAttributes;
  /** Facts of the copy that differ from NO_FACTS. */
  readonly facts?: Partial<Omit<ObjectFacts, 'encryption'>>;
  /**
   * How the copy shall be encrypted, whatever the source is; null or absent leaves
   * it plain.
   */
  readonly encryption?: RequestedEncryption | null;
  /** The checksum that the copy shall have; null keeps the source's. */
  readonly checksumAlgorithm: ChecksumAlgorithm | null;
  readonly condition: WriteCondition | null;
};

/**
 * Copies an object. The bytes are read only for a checksum that the source does not
 * have. They are written anew only when the copy is encrypted otherwise than the
 * source. Errors: PreconditionFailed, NoSuchKey, ServiceUnavailable (the source
 * went away meanwhile; try again), those of unwrapDataKey and makeDataKey, and
 * InvalidRequest for more than 5 GiB to write anew.
 */
export async function copyObject(
  core: Core,
  target: BucketHandle,
  input: CopyObjectInput,
): Promise<ObjectVersion> {
  const { source, sourceKey = null, encryption = null } = input;
  const canShare = isEncryptedAlike(source.encryption, sourceKey, encryption);
  const copied = canShare
    ? await shareBytes(core, target, input)
    : await rewriteBytes(core, target, input);

  const object = {
    ...NO_FACTS,
    ...input.facts,
    ...input.attributes,
    ...copied.content,
    key: input.key,
    versionId: core.ports.ids.versionId(),
    isNull: true,
    lastModifiedMs: core.ports.clock.nowMs(),
  } as ObjectVersion;

  const { newReferences } = copied;
  const { segments } = object;
  try {
    const committed = await commitOrDiscard(core, { segments, newReferences }, () =>
      commitVersion(core, target, { object, condition: input.condition, newReferences }),
    );
    return { ...object, ...committed } as ObjectVersion;
  } catch (error) {
    throw asGoneMeanwhile(error);
  }
}

/**
 * The content of a copy, and its blobs that the target bucket did not reference
 * before.
 */
type CopiedBytes = {
  readonly content: ObjectBody &
    Pick<ObjectVersion, 'etag' | 'checksum' | 'parts' | 'sizeBytes'> &
    Pick<ObjectFacts, 'encryption'>;
  readonly newReferences: readonly NewBlobReference[];
};

/**
 * Whether stored bytes are encrypted as requested: by the same key, if not with the
 * same wrapping of it.
 */
export function isEncryptedAlike(
  encryption: ObjectEncryption | null,
  sourceKey: CustomerKey | null,
  requested: RequestedEncryption | null,
): boolean {
  if (encryption === null || requested === null) return encryption === null && requested === null;
  if (encryption.kind === 'customer') {
    return (
      requested.kind === 'customer' && sourceKey !== null && isSameKey(sourceKey, requested.key)
    );
  }
  if (encryption.kind === 'server') return requested.kind === 'server';
  return (
    requested.kind === 'named' &&
    (requested.keyId ?? MANAGED_KEY_ID) === encryption.keyId &&
    requested.isDoubled === encryption.isDoubled
  );
}

/**
 * Shares the bytes of the source: the copy has its segments and its data key,
 * wrapped anew.
 */
async function shareBytes(
  core: Core,
  target: BucketHandle,
  input: CopyObjectInput,
): Promise<CopiedBytes> {
  const { source, sourceKey = null, encryption: requested = null } = input;
  const dataKey = await unwrapDataKey(core, source.encryption, sourceKey);
  const envelope =
    requested === null || dataKey === null
      ? null
      : await wrapDataKey(core, target.record().ownerId, requested, dataKey.bytes);

  const digests = await digestsOfCopy(core, input);
  const newReferences = await referenceForeignBlobs(core, target.record(), source.segments);
  const { segments, inlineBytes, sizeBytes } = source;
  const body = { segments, inlineBytes } as ObjectBody;
  return {
    content: { ...body, ...digests, sizeBytes, encryption: envelope?.encryption ?? null },
    newReferences,
  };
}

/**
 * Writes the bytes anew, encrypted as requested. Like S3's copy it is one body,
 * whatever parts the source has.
 */
async function rewriteBytes(
  core: Core,
  target: BucketHandle,
  input: CopyObjectInput,
): Promise<CopiedBytes> {
  const { source, sourceKey = null, key, attributes, encryption = null } = input;
  if (source.sizeBytes > PUT_MAX_BYTES) throw tooLargeToCopy();
  unwrapWithCustomerKey(source.encryption, sourceKey);

  const record = target.record();
  const envelope = encryption === null ? null : await makeDataKey(core, record.ownerId, encryption);
  const algorithm = input.checksumAlgorithm ?? source.checksum?.algorithm ?? null;
  const whole = { offsetBytes: 0, lengthBytes: source.sizeBytes };
  const { body, sizeBytes, etag, checksum, newReferences } = await writeBody(
    core,
    record,
    bodySource(core, source, whole, sourceKey),
    {
      expectation: {
        contentMd5Hex: null,
        checksum: algorithm === null ? null : { algorithm, expected: () => null },
      },
      inlineMaxBytes: inlineMaxBytesOf(core, record),
      envelope,
      identity: identityOfBlob(record, key, attributes),
    },
  );

  const content = {
    ...body,
    sizeBytes,
    etag,
    checksum: checksum === null ? null : { ...checksum, type: 'FULL_OBJECT' as const },
    parts: null,
    encryption: envelope?.encryption ?? null,
  };
  return { content, newReferences };
}

/**
 * Refuses a source whose bytes have to be written anew and are too many for one
 * blob.
 */
function tooLargeToCopy(): StorageError {
  return new StorageError('InvalidRequest', {
    detail:
      'The specified copy source is larger than the maximum allowable size for a copy source: ' +
      `${PUT_MAX_BYTES}`,
  });
}

/**
 * Finds entity tag, checksum and parts of the copy: the source's, or for another
 * checksum algorithm a checksum computed afresh.
 */
async function digestsOfCopy(
  core: Core,
  { source, sourceKey = null, checksumAlgorithm }: CopyObjectInput,
): Promise<Pick<ObjectVersion, 'etag' | 'checksum' | 'parts'>> {
  const { etag, checksum, parts } = source;
  const hasRequestedChecksum =
    checksumAlgorithm === null ||
    (checksum?.algorithm === checksumAlgorithm && checksum.type === 'FULL_OBJECT');
  if (hasRequestedChecksum) return { etag, checksum, parts };

  const whole = { offsetBytes: 0, lengthBytes: source.sizeBytes };
  const body = bodySource(core, source, whole, sourceKey);
  const { checksumBase64 } = await digestSource(body, checksumAlgorithm);
  return {
    etag,
    parts,
    checksum: { algorithm: checksumAlgorithm, type: 'FULL_OBJECT', value: checksumBase64 ?? '' },
  };
}

/**
 * Reads a body to compute its MD5 and, if requested, a checksum. Nothing is
 * written.
 */
export async function digestSource(
  source: ByteSource,
  checksumAlgorithm: ChecksumAlgorithm | null,
): Promise<{ md5Hex: string; checksumBase64: string | null }> {
  const digests = createDigestSet({ md5: true, sha256: false, checksum: checksumAlgorithm });
  await source.pump((chunk) => digests.update(chunk));
  const { md5Hex, checksumBase64 } = digests.finish();
  return { md5Hex: md5Hex ?? '', checksumBase64 };
}

/**
 * Takes remote references to the blobs that another bucket owns, and lists them as
 * new blob references. ServiceUnavailable.
 */
export async function referenceForeignBlobs(
  core: Core,
  holder: Pick<BucketRecord, 'id' | 'name'>,
  segments: readonly Segment[],
): Promise<readonly NewBlobReference[]> {
  const [newReferences = []] = await referenceForeignBlobsOf(core, holder, [segments]);
  return newReferences;
}

/**
 * Takes remote references for the bodies of several objects, and lists them in
 * their order. ServiceUnavailable. Cost: one commit of each owner bucket.
 */
export async function referenceForeignBlobsOf(
  core: Core,
  holder: Pick<BucketRecord, 'id' | 'name'>,
  bodies: readonly (readonly Segment[])[],
): Promise<readonly (readonly NewBlobReference[])[]> {
  const { clock, metadataIndex } = core.ports;
  const holderAddress: BucketAddress = { id: holder.id, name: holder.name };
  const newReferences = bodies.map((segments) => foreignBlobs(holder, segments));

  for (const { owner, blobIds } of byOwnerBucket(newReferences.flat())) {
    try {
      await metadataIndex.call(owner.name, 'addRemoteReferences', {
        ownerBucket: owner,
        blobIds: [...blobIds],
        referrer: holderAddress,
        nowMs: clock.nowMs(),
      });
    } catch (error) {
      throw asGoneMeanwhile(error);
    }
  }
  return newReferences;
}

/** Groups blobs by owner bucket, each blob once. */
function byOwnerBucket(references: readonly NewBlobReference[]) {
  const groups = new Map<string, { owner: BucketAddress; blobIds: Set<BlobId> }>();
  for (const { blobId } of references) {
    const owner = ownerBucketOfBlob(blobId);
    const group = groups.get(owner.id) ?? { owner, blobIds: new Set() };
    group.blobIds.add(blobId);
    groups.set(owner.id, group);
  }
  return groups.values();
}

/**
 * Lists the blobs that another bucket owns, with the bytes that the segments have
 * of each; a compressed blob with the bytes that are stored.
 */
function foreignBlobs(
  holder: Pick<BucketRecord, 'id'>,
  segments: readonly Segment[],
): readonly NewBlobReference[] {
  return blobsOf(segments).flatMap((blobId) => {
    const owner = ownerBucketOfBlob(blobId);
    if (owner.id === holder.id) return [];
    const ofBlob = segments.filter((segment) => segment.blobId === blobId);
    const lengthBytes = ofBlob.reduce((sum, segment) => sum + segment.lengthBytes, 0);
    const sizeBytes = ofBlob[0]?.packing?.storedBytes ?? lengthBytes;
    return [{ blobId, sizeBytes, ownerBucket: owner }];
  });
}

/**
 * Translates a failed commit: a blob that the sweeper condemned between read and
 * commit becomes ServiceUnavailable. It is rare, since the grace lies between, so
 * the client retries.
 */
export function asGoneMeanwhile(error: unknown): unknown {
  if (!hasCode(error, 'NoSuchBlob')) return error;
  return new StorageError('ServiceUnavailable', {
    detail: 'The source changed. Please try again.',
    cause: error,
  });
}
