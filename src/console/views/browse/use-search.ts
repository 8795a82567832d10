// What the filter of a folder, or the search of its bucket, leaves. A folder that is
// loaded whole is filtered here, any other by the API; each new text aborts the request
// of the one before.
import { signal } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import { client } from '../../api/client.ts';
import { useQuery } from '../../api/query.ts';
import { query } from '../../app/router.ts';
import { changeAddress } from './folder-address.ts';
import { type Entry, listOf, nameIn, type RowList } from './list/row-list.ts';
import type { RowSource } from './list/row-source.ts';

export type Search = {
  readonly text: string;
  readonly isWholeBucket: boolean;
  readonly list: RowList;
  /** Whether the answer to this text is still awaited. */
  readonly isLoading: boolean;
  readonly error: unknown;
  /** Whether there are more matches than are shown. */
  readonly hasMore: boolean;
  /** Whether rows are keys of any depth, and not entries of the folder. */
  readonly isDeep: boolean;
};

/** Matches that are asked for at most: one page of the API. */
const MATCHES_MAX = 1000;

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
  const found = useQuery(key, (stop) =>
    client.request('GET /buckets/{bucket}/search', {
      path: { bucket },
      query: { prefix: below, text, limit: MATCHES_MAX },
      signal: stop,
    }),
  );
  // Matches of the text before stay until those of the new one are there.
  const kept = useRef(found.data.value);
  kept.current = found.data.value ?? (key === null ? null : kept.current);
  const answer = kept.current;
  const list = useMemo(() => {
    if (text === '') return null;
    const entries = isLocal
      ? matching(source, prefix, text)
      : (answer?.items.map((item): Entry => ({ kind: 'object', ...item })) ?? []);
    return listOf(entries, signal(0));
  }, [text, isLocal, answer, isLocal ? version : 0]);
  if (asked === null || list === null) return null;
  return {
    text,
    isWholeBucket,
    list,
    isLoading: key !== null && found.data.value === null && found.error.value === null,
    error: key === null ? null : found.error.value,
    hasMore: key !== null && answer !== null && answer.nextCursor !== null,
    isDeep: !isLocal,
  };
}

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
