// Pages of pointers: what a bucket's Durable Object says of some neighbouring keys,
// as the colo and KV keep it. A page says which keys it covers, so it also proves
// that a key between them does not exist. It never says until when it is true: the
// change feed does (bucket-feeds.ts). Texts are JSON; inline bodies are base64.
import { sha256Hex } from '../../../crypto/hash.ts';
import { compareUtf8 } from '../../../domain/keys/compare-utf8.ts';
import type { BucketId, BucketName, ObjectKey, Pointer } from '../../../domain/nouns.ts';

/**
 * Pointers of all keys from `from` on and before `to` (null: to the end), in byte
 * order of the key, as they were at `sequence` of the feed.
 */
export type PointerPage = {
  readonly feedId: string;
  readonly sequence: number;
  /** When the object read it by its own clock, milliseconds since 1970. */
  readonly readAtMs: number;
  readonly bucketId: BucketId;
  /** Revision of the bucket; a change of its settings ends every page. */
  readonly revision: number;
  readonly from: ObjectKey;
  readonly to: string | null;
  /**
   * The page has one key that a link leads to and that nobody else may read, for
   * readers who come by a link. Absent: what nobody may read is not in the page.
   */
  readonly isInvited?: true;
  readonly pointers: ReadonlyMap<ObjectKey, Pointer>;
};

/**
 * How long a page may be used at all, seconds. Blobs are deleted a day after
 * nothing refers to them, so what a page names is there.
 */
export const PAGE_MAX_AGE_SECONDS = 3600;

/** Estimate of one pointer in memory. */
const POINTER_BYTES = 1536;

/** Format of the texts; a reader takes another version for a miss. */
const VERSION = 1;
/** Names above it have a digest. KV takes 512 bytes, of which the prefix needs some. */
const PLAIN_NAME_MAX = 200;

/** The name of a key in URLs of the Cache API and in KV. */
export function keyName(key: string): string {
  const name = encodeURIComponent(key);
  return name.length <= PLAIN_NAME_MAX ? `k-${name}` : `h-${sha256Hex(key)}`;
}

/** What tells apart the pages of one bucket that begin at a key. */
export type PageName = Pick<PointerPage, 'from' | 'isInvited'>;

/** The KV name of the page that begins at a key. */
export function kvPageName(bucket: BucketName, from: string): string {
  return `q/${bucket}/${keyName(from)}`;
}

/** Whether the page says what is at that key. */
export function coversKey({ from, to }: PointerPage, key: ObjectKey): boolean {
  return compareUtf8(from, key) <= 0 && (to === null || compareUtf8(key, to) < 0);
}

/** Estimated bytes of a page in memory. */
export function sizeOfPage({ pointers }: PointerPage): number {
  let sizeBytes = POINTER_BYTES;
  for (const { inlineBytes } of pointers.values())
    sizeBytes += POINTER_BYTES + (inlineBytes?.length ?? 0);
  return sizeBytes;
}

type PointerJson = Omit<Pointer, 'inlineBytes'> & { readonly inlineBytes: string | null };
type PageJson = Omit<PointerPage, 'pointers'> & {
  readonly v: number;
  readonly pointers: readonly PointerJson[];
};

export function encodePage(page: PointerPage): string {
  const pointers = [...page.pointers.values()].map((pointer) => ({
    ...pointer,
    inlineBytes: pointer.inlineBytes?.toBase64() ?? null,
  }));
  return JSON.stringify({ ...page, v: VERSION, pointers } satisfies PageJson);
}

/** The page, or null for anything that this version did not write. */
export function decodePage(text: string | null): PointerPage | null {
  return decodeJson(text, VERSION, ({ v: _v, pointers, ...page }: PageJson) => {
    const decoded = pointers.map((pointer): [ObjectKey, Pointer] => {
      const { key, inlineBytes } = pointer;
      const bytes = inlineBytes === null ? null : Uint8Array.fromBase64(inlineBytes);
      return [key, { ...pointer, inlineBytes: bytes } as Pointer];
    });
    return { ...page, pointers: new Map(decoded) };
  });
}

/** What `build` makes of a JSON text with that `v`; null for any other text. */
export function decodeJson<Json extends { readonly v: number }, Value>(
  text: string | null,
  version: number,
  build: (json: Json) => Value,
): Value | null {
  if (text === null) return null;
  try {
    const json: Json | null = JSON.parse(text);
    return json?.v === version ? build(json) : null;
  } catch {
    return null;
  }
}
