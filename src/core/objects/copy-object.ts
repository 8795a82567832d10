// CopyObject moves no bytes: the copy is a new row with the same segments. Blobs stay in the bucket
// that wrote them; a copy into another bucket first takes a hold there, so that the home keeps the
// bytes as long as the copy lives. Only a copy that is to be encrypted by another key than its
// source is written anew.
import { createDigestSet } from '../../crypto/digest-set.ts';
import { hasCode, StorageError } from '../../domain/errors.ts';
import type {
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
import type { ByteSource } from '../../ports/byte-source.ts';
import type { NewBlobReference } from '../../ports/metadata-index.ts';
import type { BucketHandle } from '../buckets/bucket-handle.ts';
import { blobsOf, ownerBucketOfBlob } from '../buckets/owner-bucket.ts';
import type { Core } from '../core.ts';
import { MANAGED_KEY_ID } from '../encryption/kms-keys.ts';
import {
  type CustomerKey,
  isSameKey,
  makeDataKey,
  openWithCustomerKey,
  type RequestedEncryption,
  unwrapDataKey,
  wrapDataKey,
} from '../encryption/wrapped-data-key.ts';
import { PUT_MAX_BYTES } from '../limits.ts';
import { identityOfBlob } from './blob-identity.ts';
import { bodySource } from './body-source.ts';
import { commitOrDiscard } from './commit-or-discard.ts';
import { writeBody } from './write-body.ts';

export type CopyObjectInput = {
  /** As read, and checked against the copy-source conditions, by the caller. */
  readonly source: ObjectVersion;
  /** What the client sent to open a source that it encrypted itself. */
  readonly sourceKey?: CustomerKey | null;
  readonly key: ObjectKey;
  readonly attributes: ObjectAttributes;
  /** Of the copy; what is not given is as nobody said anything of it. */
  readonly facts?: Partial<Omit<ObjectFacts, 'encryption'>>;
  /** How the copy shall be encrypted, whatever the source is; none of it leaves it plain. */
  readonly encryption?: RequestedEncryption | null;
  /** The checksum that the copy shall have; null keeps the source's. */
  readonly checksumAlgorithm: ChecksumAlgorithm | null;
  readonly condition: WriteCondition | null;
};

/**
 * Copies an object. The bytes are read only when a checksum is asked for that the source does not
 * have; they are written anew only when the copy is encrypted otherwise than the source. Errors:
 * PreconditionFailed, NoSuchKey, ServiceUnavailable (the source went away meanwhile; try again),
 * those of unwrapDataKey and makeDataKey, and InvalidRequest for more than 5 GiB to write anew.
 */
export async function copyObject(
  core: Core,
  target: BucketHandle,
  input: CopyObjectInput,
): Promise<ObjectVersion> {
  const { source, sourceKey = null, encryption = null } = input;
  const keepsBytes = isEncryptedAlike(source.encryption, sourceKey, encryption);
  const copied = keepsBytes
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
  try {
    const placed = await commitOrDiscard(core, { segments: object.segments, newReferences }, () =>
      target.call('commitObject', { object, condition: input.condition, newReferences }),
    );
    return { ...object, ...placed } as ObjectVersion;
  } catch (error) {
    throw asGoneMeanwhile(error);
  }
}

/** What a copy has of its source's content. */
type CopiedBytes = {
  readonly content: ObjectBody &
    Pick<ObjectVersion, 'etag' | 'checksum' | 'parts' | 'sizeBytes'> &
    Pick<ObjectFacts, 'encryption'>;
  readonly newReferences: readonly NewBlobReference[];
};

/**
 * Whether bytes that are encrypted so are encrypted as wished: by the same key, if not with the
 * same wrapping.
 */
export function isEncryptedAlike(
  encryption: ObjectEncryption | null,
  sourceKey: CustomerKey | null,
  wish: RequestedEncryption | null,
): boolean {
  if (encryption === null || wish === null) return encryption === null && wish === null;
  if (encryption.kind === 'customer') {
    return wish.kind === 'customer' && sourceKey !== null && isSameKey(sourceKey, wish.key);
  }
  if (encryption.kind === 'server') return wish.kind === 'server';
  return (
    wish.kind === 'named' &&
    (wish.keyId ?? MANAGED_KEY_ID) === encryption.keyId &&
    wish.isDoubled === encryption.isDoubled
  );
}

/** The same segments, the same data key, wrapped anew. */
async function shareBytes(
  core: Core,
  target: BucketHandle,
  input: CopyObjectInput,
): Promise<CopiedBytes> {
  const { source, sourceKey = null, encryption: wish = null } = input;
  const dataKey = await unwrapDataKey(core, source.encryption, sourceKey);
  const kept =
    wish === null || dataKey === null
      ? null
      : await wrapDataKey(core, target.record().ownerId, wish, dataKey.bytes);
  const digests = await digestsOfCopy(core, input);
  const newReferences = await referenceForeignBlobs(core, target.record(), source.segments);
  const { segments, inlineBytes, sizeBytes } = source;
  const body = { segments, inlineBytes } as ObjectBody;
  return {
    content: { ...body, ...digests, sizeBytes, encryption: kept?.encryption ?? null },
    newReferences,
  };
}

/**
 * New bytes, sealed otherwise. Like S3's copy it is one body, whatever parts the source came in.
 */
async function rewriteBytes(
  core: Core,
  target: BucketHandle,
  input: CopyObjectInput,
): Promise<CopiedBytes> {
  const { source, sourceKey = null, key, attributes } = input;
  if (source.sizeBytes > PUT_MAX_BYTES) throw tooLargeToCopy();
  openWithCustomerKey(source.encryption, sourceKey);
  const home = target.record();
  const kept = await makeDataKey(core, home.ownerId, input.encryption ?? null);
  const algorithm = input.checksumAlgorithm ?? source.checksum?.algorithm ?? null;
  const whole = { offsetBytes: 0, lengthBytes: source.sizeBytes };
  const { body, sizeBytes, etag, checksum, newReferences } = await writeBody(
    core,
    home,
    bodySource(core, source, whole, sourceKey),
    {
      expectation: {
        contentMd5Hex: null,
        checksum: algorithm === null ? null : { algorithm, expected: () => null },
      },
      inlineMaxBytes: core.settings.inlineBodyMaxBytes,
      kept,
      identity: identityOfBlob(home, key, attributes),
    },
  );
  const content = {
    ...body,
    sizeBytes,
    etag,
    checksum: checksum === null ? null : { ...checksum, type: 'FULL_OBJECT' as const },
    parts: null,
    encryption: kept?.encryption ?? null,
  };
  return { content, newReferences };
}

/** A source whose bytes have to be written anew and are too many for one blob. */
function tooLargeToCopy(): StorageError {
  return new StorageError('InvalidRequest', {
    detail: `The specified copy source is larger than the maximum allowable size for a copy source: ${PUT_MAX_BYTES}`,
  });
}

/**
 * Entity tag, checksum and parts of the copy: the source's, or computed afresh for another checksum
 * algorithm.
 */
async function digestsOfCopy(
  core: Core,
  { source, sourceKey = null, checksumAlgorithm }: CopyObjectInput,
): Promise<Pick<ObjectVersion, 'etag' | 'checksum' | 'parts'>> {
  const { etag, checksum, parts } = source;
  const isAsWanted =
    checksumAlgorithm === null ||
    (checksum?.algorithm === checksumAlgorithm && checksum.type === 'FULL_OBJECT');
  if (isAsWanted) return { etag, checksum, parts };
  const whole = bodySource(
    core,
    source,
    { offsetBytes: 0, lengthBytes: source.sizeBytes },
    sourceKey,
  );
  const { checksumBase64 } = await digestSource(whole, checksumAlgorithm);
  return {
    etag,
    parts,
    checksum: { algorithm: checksumAlgorithm, type: 'FULL_OBJECT', value: checksumBase64 ?? '' },
  };
}

/** Reads a body to compute its MD5 and, if asked, a checksum. Nothing is written. */
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
 * Takes holds on the blobs whose home is another bucket and lists them as arrivals.
 * ServiceUnavailable.
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
 * The same for the bodies of several objects, in their order. ServiceUnavailable. Cost: one commit
 * of each home.
 */
export async function referenceForeignBlobsOf(
  core: Core,
  holder: Pick<BucketRecord, 'id' | 'name'>,
  bodies: readonly (readonly Segment[])[],
): Promise<readonly (readonly NewBlobReference[])[]> {
  const { clock, metadataIndex } = core.ports;
  const holderAddress: BucketAddress = { id: holder.id, name: holder.name };
  const newReferences = bodies.map((segments) => foreignBlobs(holder, segments));
  const byHome = new Map<
    string,
    { home: BucketAddress; blobIds: Set<NewBlobReference['blobId']> }
  >();
  for (const { blobId } of newReferences.flat()) {
    const home = ownerBucketOfBlob(blobId);
    const group = byHome.get(home.id) ?? { home, blobIds: new Set() };
    group.blobIds.add(blobId);
    byHome.set(home.id, group);
  }
  for (const { home, blobIds } of byHome.values()) {
    const held = { home, blobIds: [...blobIds], holder: holderAddress, nowMs: clock.nowMs() };
    try {
      await metadataIndex.call(home.name, 'addRemoteReferences', held);
    } catch (error) {
      throw asGoneMeanwhile(error);
    }
  }
  return newReferences;
}

function foreignBlobs(
  holder: Pick<BucketRecord, 'id'>,
  segments: readonly Segment[],
): readonly NewBlobReference[] {
  return blobsOf(segments).flatMap((blobId) => {
    const home = ownerBucketOfBlob(blobId);
    if (home.id === holder.id) return [];
    const sizeBytes = segments.reduce(
      (sum, segment) => (segment.blobId === blobId ? sum + segment.lengthBytes : sum),
      0,
    );
    return [{ blobId, sizeBytes, home }];
  });
}

/**
 * A blob that was condemned between the read and the commit: rare (the grace lies between), so the
 * client retries.
 */
export function asGoneMeanwhile(error: unknown): unknown {
  const isGone = hasCode(error, 'NoSuchBlob');
  return isGone
    ? new StorageError('ServiceUnavailable', {
        detail: 'The source changed. Please try again.',
        cause: error,
      })
    : error;
}
