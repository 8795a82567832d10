// The bytes of a pack: small bodies in their slots, zeros where some are gone, then
// the directory: JSON of `[offset, length, key, headers, user metadata]` of each, and
// blanks up to the settled size. Called by write-pack.ts, and by repack.ts of the sweep.
import { StorageError } from '../../domain/errors.ts';
import type { BucketName, ObjectKey } from '../../domain/nouns.ts';
import type { BlobIdentity } from '../../ports/blob-store.ts';
import type { PackContent, WaitingBody } from '../../ports/index-calls/pack-calls.ts';

/** A body with its slot in a pack. */
export type PackedBody = Omit<WaitingBody, 'id'>;
type Content = Omit<PackContent, 'bodies'> & { readonly bodies: readonly PackedBody[] };
/** A body as a directory lists it. */
export type DirectoryEntry = {
  readonly offsetBytes: number;
  readonly key: ObjectKey;
  /** JSON of key, headers and user metadata, in an array. */
  readonly subject: string;
};

const encoder = new TextEncoder();

/** The text of a body in the directory. */
const entryOf = ({ offsetBytes, bytes, subject }: PackedBody): string =>
  `[${offsetBytes},${bytes.length},${subject.slice(1)}`;

/** How many bytes a body takes of a pack, with its entry and what parts that from others. */
export const spaceOf = (body: PackedBody): number =>
  body.bytes.length + encoder.encode(entryOf(body)).length + 1;

/** The bytes of a pack; its directory has room up to the size. */
export function encodePack({ bodies, endBytes, sizeBytes }: Content): Uint8Array {
  const bytes = new Uint8Array(sizeBytes);
  for (const { offsetBytes, bytes: body } of bodies) bytes.set(body, offsetBytes);
  bytes.fill(0x20, endBytes);
  bytes.set(encoder.encode(`[${bodies.map(entryOf).join()}]`), endBytes);
  return bytes;
}

/** What the blob says of itself: the key of its first body, and where all are listed. */
export function identityOfPack(bucket: BucketName, { bodies, endBytes }: Content): BlobIdentity {
  const [key] = JSON.parse(bodies[0]?.subject ?? '[""]') as [ObjectKey];
  const directory = { offsetBytes: endBytes };
  return { bucket, key, headers: {}, userMetadata: {}, part: null, encryption: null, directory };
}

/** Reads a directory. ObjectDamaged when it is none. */
export function decodeDirectory(bytes: Uint8Array): DirectoryEntry[] {
  try {
    const entries = JSON.parse(new TextDecoder().decode(bytes)) as [
      number,
      number,
      ObjectKey,
      ...unknown[],
    ][];
    return entries.map(([offsetBytes, , ...subject]) => ({
      offsetBytes,
      key: subject[0],
      subject: JSON.stringify(subject),
    }));
  } catch (cause) {
    throw new StorageError('ObjectDamaged', { cause });
  }
}
