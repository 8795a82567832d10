// Looks, before a byte flows, which keys have an object already: by listing where
// much is sent or little is there, else key by key. Nothing is locked by looking:
// the conditions of plan.ts make it safe.
import type { QueueFile } from 'quayside/client';
import { client, QuaysideError } from '../../../api/client.ts';
import { keyOf, type UploadTarget } from '../send/upload-store.ts';

export type Existing = {
  readonly sizeBytes: number;
  readonly modifiedAt: string;
  readonly etag: string;
};

/** What is there, by key; null: the role may not look. */
export type LookAhead = ReadonlyMap<string, Existing> | null;

/** Requests for single keys at once. */
const LOOKS_AT_ONCE = 6;
/** Up to so many files each key is looked at: one round of requests. */
const FEW_FILES = 12;
/** Objects on a page of a listing, which costs about as much as a look at one key. */
const PAGE_OBJECTS = 1000;
/** Prefixes that sizes are asked for at once. Source: the API's bound. */
const SIZES_AT_ONCE = 100;

export async function lookAhead(
  target: UploadTarget,
  files: readonly QueueFile[],
  signal: AbortSignal,
): Promise<LookAhead> {
  const { bucket, prefix } = target;
  const found = new Map<string, Existing>();
  const wanted = new Set(files.map((file) => keyOf(target, file)));
  const list = async (below: string) => {
    const query = { prefix: below, delimiter: '' };
    for await (const entry of client.objects.list(bucket, { query, signal })) {
      if (entry.kind === 'object' && wanted.has(entry.key)) found.set(entry.key, existing(entry));
    }
  };
  try {
    if (wanted.size <= FEW_FILES) await lookAtEach(bucket, [...wanted], found, signal);
    else {
      for (const { prefix: below, keys, objects } of await countGroups(bucket, prefix, wanted)) {
        if (objects === 0) continue;
        if (objects / PAGE_OBJECTS <= keys.length) await list(below);
        else await lookAtEach(bucket, keys, found, signal);
      }
    }
    return found;
  } catch (error) {
    if (error instanceof QuaysideError && error.status === 403) return null;
    throw error;
  }
}

type Entry = { readonly size: string; readonly lastModified: string; readonly etag: string };

const existing = ({ size, lastModified, etag }: Entry): Existing => ({
  sizeBytes: Number(size),
  modifiedAt: lastModified,
  etag,
});

async function lookAtEach(
  bucket: string,
  keys: readonly string[],
  found: Map<string, Existing>,
  signal: AbortSignal,
): Promise<void> {
  const left = keys.values();
  const lookOn = async () => {
    for (const key of left) {
      const detail = await client.objects
        .get(bucket, { query: { key }, signal })
        .catch((error: unknown) => {
          if (error instanceof QuaysideError && error.status === 404) return null;
          throw error;
        });
      if (detail !== null) found.set(key, existing(detail));
    }
  };
  await Promise.all(Array.from({ length: LOOKS_AT_ONCE }, lookOn));
}

type Group = { readonly prefix: string; readonly keys: string[]; readonly objects: number };

/** The keys by the folder that they begin with, and what stands below each. */
async function countGroups(
  bucket: string,
  prefix: string,
  keys: ReadonlySet<string>,
): Promise<Group[]> {
  const groups = new Map<string, string[]>();
  for (const key of keys) {
    const end = key.indexOf('/', prefix.length);
    const below = end < 0 ? prefix : key.slice(0, end + 1);
    const group = groups.get(below);
    if (group === undefined) groups.set(below, [key]);
    else group.push(key);
  }
  const counts = new Map<string, number>();
  const prefixes = [...groups.keys()];
  for (let at = 0; at < prefixes.length; at += SIZES_AT_ONCE) {
    const some = prefixes.slice(at, at + SIZES_AT_ONCE);
    const { items } = await client.objects.sizes(bucket, { query: { prefix: some } });
    for (const item of items ?? []) counts.set(item.prefix, item.objects);
  }
  // A bucket that is still being counted is listed.
  return [...groups].map(([below, group]) => ({
    prefix: below,
    keys: group,
    objects: counts.get(below) ?? PAGE_OBJECTS,
  }));
}
