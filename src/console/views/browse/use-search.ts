// What the filter of a folder, or the search of its bucket, leaves. A folder that is
// loaded whole is filtered here, any other by the API; each new text aborts the request
// of the one before.
import { signal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { ObjectSummary } from 'quayside/client';
import { client } from '../../api/client.ts';
import { type Query, useQuery } from '../../api/query.ts';
import { query } from '../../app/router.ts';
import { changeAddress } from './folder-address.ts';
import { type Entry, listOf, nameIn, type RowList } from './list/row-list.ts';
import type { RowSource } from './list/row-source.ts';

export type Search = {
  readonly text: string;
  readonly isWholeBucket: boolean;
  readonly list: RowList;
  /** Whether the response to this text is still awaited. */
  readonly isLoading: boolean;
  readonly error: unknown;
  /** Whether there are more matches than are shown. */
  readonly hasMore: boolean;
  /** Whether more matches come, while the bucket is still being indexed. */
  readonly isIndexing: boolean;
  /** Whether rows are keys of any depth, and not entries of the folder. */
  readonly isDeep: boolean;
};

/** Matches that are shown at most: one page of the API. */
const MATCHES_MAX = 1000;
/** How long pages are read on without an index, milliseconds. */
const SCAN_MS = 1500;
/** How soon a bucket is searched again whose index is being built, milliseconds. */
const INDEXED_AFTER_MS = 1000;

type Found = {
  readonly items: readonly ObjectSummary[];
  /** Whether not all there is was looked at. */
  readonly hasMore: boolean;
};

/** Reads matches page by page: without an index a page looks at some thousand names. */
async function findKeys(
  { bucket, prefix, text }: { bucket: string; prefix: string; text: string },
  stop: AbortSignal,
): Promise<Found> {
  const items: ObjectSummary[] = [];
  const until = performance.now() + SCAN_MS;
  for (let cursor: string | undefined; ; ) {
    const page = await client.request('GET /buckets/{bucket}/search', {
      path: { bucket },
      query: { prefix, text, limit: MATCHES_MAX, cursor },
      signal: stop,
    });
    items.push(...page.items);
    const hasMore = page.nextCursor !== null;
    const isEnough = items.length >= MATCHES_MAX || performance.now() > until;
    if (!hasMore || isEnough) return { items, hasMore };
    cursor = page.nextCursor ?? undefined;
  }
}

/** Searches again until the index of the bucket is there, which the first search began. */
function useAgainWhileIndexed({ data, reload }: Query<Found>): void {
  const found = data.value;
  const isShort = found?.hasMore === true && found.items.length < MATCHES_MAX;
  useEffect(() => {
    if (!isShort) return;
    const timer = setTimeout(reload, INDEXED_AFTER_MS);
    return () => clearTimeout(timer);
  }, [found]);
}

/** The field that was opened and is still empty, which no address says. */
const opened = signal<'folder' | 'bucket' | null>(null);

/** Opens the field of the filter, or of the search of the whole bucket. */
export function openFilter(isWholeBucket: boolean): void {
  opened.value = isWholeBucket ? 'bucket' : 'folder';
  const text = query.value.get('q') ?? query.value.get('filter');
  changeSearch(text ?? '', isWholeBucket);
}

/** Notes the text in the address. */
export const changeSearch = (text: string, isWholeBucket: boolean): void =>
  changeAddress({ q: isWholeBucket ? text : null, filter: isWholeBucket ? null : text });

export function closeFilter(): void {
  opened.value = null;
  changeSearch('', false);
}

/** The text that filters; null: nothing does, and no field is open. */
export function readSearch(): { readonly text: string; readonly isWholeBucket: boolean } | null {
  const wide = query.value.get('q');
  if (wide !== null) return { text: wide, isWholeBucket: true };
  const text = query.value.get('filter');
  if (text !== null) return { text, isWholeBucket: false };
  return opened.value === null ? null : { text: '', isWholeBucket: opened.value === 'bucket' };
}

export function useSearch(bucket: string, prefix: string, source: RowSource): Search | null {
  const asked = readSearch();
  const text = asked?.text.trim() ?? '';
  const isWholeBucket = asked?.isWholeBucket ?? false;
  const version = source.version.value;
  const isLocal = !isWholeBucket && source.isWhole();
  const below = isWholeBucket ? '' : prefix;
  const key = text === '' || isLocal ? null : `search ${bucket} ${below} ${text}`;
  const found = useQuery(key, (stop) => findKeys({ bucket, prefix: below, text }, stop));
  useAgainWhileIndexed(found);
  // Matches of the text before stay until those of the new one are there.
  const kept = useRef(found.data.value);
  kept.current = found.data.value ?? (key === null ? null : kept.current);
  const answer = kept.current;
  const list = useMemo(() => {
    if (text === '') return null;
    const entries = isLocal
      ? matching(source, prefix, text)
      : (answer?.items.filter(({ key }) => key !== below).map(entryOf) ?? []);
    return listOf(entries, signal(0));
  }, [text, isLocal, answer, isLocal ? version : 0]);
  if (asked === null || list === null) return null;
  return {
    text,
    isWholeBucket,
    list,
    isLoading:
      key !== null &&
      found.error.value === null &&
      (found.data.value === null || (found.data.value.hasMore && list.count() === 0)),
    error: key === null ? null : found.error.value,
    hasMore:
      key !== null && answer !== null && (answer.hasMore || answer.items.length >= MATCHES_MAX),
    isIndexing: key !== null && answer?.hasMore === true && answer.items.length < MATCHES_MAX,
    isDeep: !isLocal,
  };
}

/** An object that was found; the own object of a folder is shown as that folder. */
const entryOf = (item: ObjectSummary): Entry =>
  item.key.endsWith('/')
    ? { kind: 'folder', prefix: item.key, readers: null }
    : { kind: 'object', ...item };

function matching(source: RowSource, prefix: string, text: string): readonly Entry[] {
  const wanted = fold(text);
  const entries: Entry[] = [];
  for (let index = 0; index < source.count(); index++) {
    const entry = source.row(index);
    if (entry !== undefined && fold(nameIn(prefix, entry)).includes(wanted)) entries.push(entry);
  }
  return entries;
}

/** Without case and accents, as the search of the API compares. */
const fold = (text: string): string =>
  text.normalize('NFKD').replace(/\p{M}/gu, '').toLocaleLowerCase();
