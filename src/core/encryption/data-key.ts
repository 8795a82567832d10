// The data key of envelope encryption. Each version and each upload has one of its
// own, fresh and random. Every blob takes keys derived from it and from its id,
// which is never reused. How a data key is wrapped is decided in envelope.ts.
import { hmacSha256Hex } from '../../crypto/hash.ts';
import { deriveKey } from '../../crypto/key-wrap.ts';
import type { BlobId } from '../../domain/nouns.ts';
import type { ObjectEncryption } from '../../domain/object-facts.ts';
import type { Layers } from './encrypted-layout.ts';

/** The key that the bytes of a version are encrypted with, unwrapped. */
export type DataKey = {
  /** 32 bytes. Never stored but wrapped, never logged. */
  readonly bytes: Uint8Array;
  readonly layers: Layers;
  /**
   * Whether the entity tag of what it encrypts may be the MD5 of the plain bytes.
   */
  readonly showsMd5: boolean;
};

/** The id of a body that stands in its index row; a blob id has a slash. */
export const INLINE_BODY = 'inline' as BlobId;

/**
 * Makes a data key of its bytes and of the version's encryption. Source for
 * `showsMd5`: https://docs.aws.amazon.com/AmazonS3/latest/API/API_Object.html
 */
export function toDataKey(bytes: Uint8Array, encryption: ObjectEncryption): DataKey {
  return { bytes, layers: layersOf(encryption), showsMd5: encryption.kind === 'server' };
}

function layersOf(encryption: ObjectEncryption): Layers {
  return encryption.kind === 'named' && encryption.isDoubled ? 2 : 1;
}

/**
 * Derives the keys of one body, from the innermost layer to the outermost. Cost: 7
 * µs each.
 */
export function bodyKeys({ bytes, layers }: DataKey, blobId: BlobId): readonly Uint8Array[] {
  const inner = deriveKey(bytes, `quayside body 1 inner ${blobId}`);
  return layers === 1 ? [inner] : [inner, deriveKey(bytes, `quayside body 1 outer ${blobId}`)];
}

/**
 * Makes the entity tag, without quotes, of what is encrypted: the MD5 of the plain
 * bytes, or where that may not be shown an HMAC of it in the same form.
 */
export function etagOf(dataKey: DataKey, md5Hex: string): string {
  if (dataKey.showsMd5) return md5Hex;
  return hmacSha256Hex(deriveKey(dataKey.bytes, 'quayside etag 1'), md5Hex).slice(0, md5Hex.length);
}
