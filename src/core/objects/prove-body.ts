// Integrity check of a stored body: all of it is read, decrypted where it is
// encrypted, and compared with its entity tag. That is the MD5 of the plain bytes,
// or of the MD5s of the parts, or an HMAC of these by the data key. So every body
// but those of clients' own keys can be proved. `npm run check` calls it.
import { createDigestSet, multipartEtag } from '../../crypto/digest-set.ts';
import { StorageError } from '../../domain/errors.ts';
import type { ObjectBody, ObjectVersion } from '../../domain/nouns.ts';
import type { BlobStore } from '../../ports/blob-store.ts';
import { type DataKey, etagOf } from '../encryption/data-key.ts';
import { type BodyBytes, decryptBody } from '../encryption/decrypt-body.ts';
import { unwrapDataKey } from '../encryption/envelope.ts';
import type { KeyCore } from '../encryption/key-core.ts';
import { cutSegments } from './read-object.ts';

/** Bodies up to so many bytes are read in one piece. */
const WHOLE_MAX_BYTES = 1024 * 1024;

/**
 * The result of a proof. `unproved`: only a client's own key decrypts the body.
 * `detail`: what is wrong with it. `isOpened` false: its data key is missing or
 * damaged, which says nothing of its bytes.
 */
export type BodyProof =
  | 'proved'
  | 'unproved'
  | { readonly detail: string; readonly isOpened: boolean };

/** The part of the core that proofs need. */
export type ProvingCore = KeyCore & {
  readonly ports: { readonly blobStore: Pick<BlobStore, 'openRuns' | 'read'> };
};

/**
 * Proves a body, which it reads past all tiers. Never rejects. Cost: its bytes, and
 * their MD5.
 */
export async function proveBody(
  core: ProvingCore,
  body: ObjectBody & Pick<ObjectVersion, 'sizeBytes' | 'etag' | 'parts' | 'encryption'>,
): Promise<BodyProof> {
  if (body.encryption?.kind === 'customer') return 'unproved';
  let isOpened = false;
  try {
    const dataKey = await unwrapDataKey(core, body.encryption, null);
    isOpened = true;
    const md5s = await digestRuns(core, body, dataKey);
    if (possibleEtags(body, md5s, dataKey).includes(body.etag)) return 'proved';
    return {
      detail: `Its bytes do not have the entity tag ${body.etag} that the index says.`,
      isOpened,
    };
  } catch (error) {
    return { detail: error instanceof StorageError ? error.message : String(error), isOpened };
  }
}

type Provable = Parameters<typeof proveBody>[1];

const isComposite = ({ etag, parts }: Provable): boolean => parts !== null && etag.includes('-');

/** Computes the MD5 of the stored bytes, or of each part. */
async function digestRuns(
  core: ProvingCore,
  body: Provable,
  dataKey: DataKey | null,
): Promise<readonly string[]> {
  const parts = isComposite(body) ? body.parts : null;
  const digests = createRunDigests(parts?.map(({ sizeBytes }) => sizeBytes) ?? [body.sizeBytes]);
  if (body.sizeBytes > 0) {
    for await (const chunk of chunksOf(await openWhole(core, body, dataKey))) digests.update(chunk);
  }
  return digests.finish();
}

/**
 * Lists the entity tags that the body may have. One that was made before the
 * version got another kind of key stays, so either form may be stored.
 */
function possibleEtags(
  body: Provable,
  md5s: readonly string[],
  dataKey: DataKey | null,
): readonly string[] {
  const join = (etags: readonly string[]) =>
    isComposite(body) ? multipartEtag(etags) : (etags[0] ?? '');
  if (dataKey === null) return [join(md5s)];
  return [join(md5s), join(md5s.map((md5Hex) => etagOf({ ...dataKey, showsMd5: false }, md5Hex)))];
}

async function openWhole(
  core: ProvingCore,
  body: Provable,
  dataKey: DataKey | null,
): Promise<BodyBytes> {
  const whole = { offsetBytes: 0, lengthBytes: body.sizeBytes };
  const read = async (range: typeof whole): Promise<{ body: BodyBytes }> => {
    if (body.inlineBytes !== null) {
      return {
        body: body.inlineBytes.subarray(range.offsetBytes, range.offsetBytes + range.lengthBytes),
      };
    }
    const runs = cutSegments(body.segments, range);
    const [only, another] = runs;
    const isSmall =
      only !== undefined && another === undefined && only.lengthBytes <= WHOLE_MAX_BYTES;
    // A stream costs more than the reading of a small file.
    if (isSmall) return { body: await core.ports.blobStore.read(only.blobId, only) };
    return { body: await core.ports.blobStore.openRuns(runs) };
  };
  const opened =
    dataKey === null ? await read(whole) : await decryptBody(body, whole, dataKey, read);
  return opened.body;
}

async function* chunksOf(body: BodyBytes): AsyncGenerator<Uint8Array> {
  if (body instanceof Uint8Array) yield body;
  else yield* body;
}

/** Computes the MD5s of runs of these lengths, one behind the other. */
function createRunDigests(lengths: readonly number[]) {
  const start = () => createDigestSet({ md5: true, sha256: false, checksum: null });
  const md5s: string[] = [];
  let running = start();
  let left = lengths[0] ?? 0;

  /** Ends each run that is complete, an empty one included. */
  function end(): void {
    while (left === 0 && md5s.length < lengths.length) {
      md5s.push(running.finish().md5Hex ?? '');
      running = start();
      left = lengths[md5s.length] ?? 0;
    }
  }

  return {
    update(chunk: Uint8Array): void {
      for (let at = 0; at < chunk.length; ) {
        end();
        if (md5s.length === lengths.length)
          throw new StorageError('InternalError', { detail: 'It has too many bytes.' });
        const piece = chunk.subarray(at, at + left);
        running.update(piece);
        left -= piece.length;
        at += piece.length;
      }
    },
    finish(): readonly string[] {
      end();
      if (md5s.length < lengths.length)
        throw new StorageError('InternalError', { detail: 'It has too few bytes.' });
      return md5s;
    },
  };
}
