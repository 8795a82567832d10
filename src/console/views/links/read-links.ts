// The links of all buckets, of both kinds, each as its bucket describes it.
import type { DropLink, Item } from 'quayside/client';
import { client } from '../../api/client.ts';

export type ListedShare = Item<'GET /buckets/{bucket}/share-links'>;
export type ShareRow = {
  readonly kind: 'share';
  readonly bucket: string;
  readonly link: ListedShare;
};
export type DropRow = {
  readonly kind: 'drop';
  readonly bucket: string;
  readonly link: DropLink;
  /** Objects in its quarantine; null: it has none, or nobody counted them yet. */
  readonly waiting: number | null;
};
export type Row = ShareRow | DropRow;

/** Links whose buckets are asked, and links of a bucket that are read: one page each. */
const PAGE = 100;
/** Lists of buckets that are asked at once. */
const AT_ONCE = 6;

export type Links = { readonly rows: readonly Row[]; readonly hasMore: boolean };

/** The newest links of the account, and whether it has more. */
export async function readLinks(signal: AbortSignal): Promise<Links> {
  const page = await client.request('GET /links', { query: { limit: PAGE }, signal });
  const { items, nextCursor } = page;
  const lists = new Map(items.map(({ kind, bucket }) => [`${kind} ${bucket}`, { kind, bucket }]));
  const left = [...lists.values()];
  const rows: Row[] = [];
  const readNext = async (): Promise<void> => {
    for (let list = left.pop(); list !== undefined; list = left.pop())
      rows.push(...(await READS[list.kind](list.bucket, signal)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, readNext));
  rows.sort((a, b) => b.link.createdAt.localeCompare(a.link.createdAt));
  return { rows, hasMore: nextCursor !== null };
}

const READS = { share: readShares, drop: readDrops } as const;

async function readShares(bucket: string, signal: AbortSignal): Promise<readonly Row[]> {
  const { items } = await client.request('GET /buckets/{bucket}/share-links', {
    path: { bucket },
    query: { limit: PAGE },
    signal,
  });
  return items.map((link) => ({ kind: 'share', bucket, link }));
}

async function readDrops(bucket: string, signal: AbortSignal): Promise<readonly Row[]> {
  const { items } = await client.request('GET /buckets/{bucket}/drop-links', {
    path: { bucket },
    query: { limit: PAGE },
    signal,
  });
  const quarantines = items.flatMap(({ quarantine }) => quarantine ?? []);
  const waiting = await readSizes(bucket, quarantines, signal);
  return items.map((link) => ({
    kind: 'drop',
    bucket,
    link,
    waiting: waiting.get(link.quarantine ?? '') ?? null,
  }));
}

/** Objects below prefixes; nothing of a bucket that nobody may list, or that is being counted. */
async function readSizes(
  bucket: string,
  prefix: string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  if (prefix.length === 0) return new Map();
  const sizes = await client
    .request('GET /buckets/{bucket}/sizes', { path: { bucket }, query: { prefix }, signal })
    .catch(() => ({ items: null }));
  return new Map((sizes.items ?? []).map((size) => [size.prefix, size.objects]));
}
