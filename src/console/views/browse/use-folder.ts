// All that a folder's view holds: its rows, what filters them, what is selected, sizes,
// sums, and its layout. Restored from the address, and written there as it changes.
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Answer } from 'quayside/client';
import { client } from '../../api/client.ts';
import { useQuery } from '../../api/query.ts';
import { query } from '../../app/router.ts';
import {
  changeAddress,
  type Order,
  readOrder,
  readSelected,
  readView,
  type ViewKind,
  writeSelected,
} from './folder-address.ts';
import { createFolderSizes, type FolderSizes } from './folder-sizes.ts';
import { type Layout, layoutOf } from './layout.ts';
import type { GridHandle } from './list/grid.tsx';
import { keyOf, type RowList } from './list/row-list.ts';
import { createRowSource, type RowSource, readFirstPage } from './list/row-source.ts';
import { createSelection, type SelectionModel } from './selection-model.ts';
import { type Search, useSearch } from './use-search.ts';

export type PlaceSums = NonNullable<Answer<'GET /buckets/{bucket}/deletion-preview'>['preview']>;

export type FolderModel = {
  readonly bucket: string;
  readonly prefix: string;
  /** Names the folder's layout. */
  readonly place: string;
  readonly order: Order;
  readonly layout: Layout;
  readonly view: ViewKind;
  readonly source: RowSource;
  /** What is shown: the folder, or what its filter leaves. */
  readonly list: RowList;
  readonly search: Search | null;
  readonly selection: SelectionModel;
  readonly sizes: FolderSizes;
  /** Objects, bytes and money of the folder; null: not known, or not allowed to be. */
  readonly sums: PlaceSums | null;
  /** What everyone may read of the bucket; null: not known yet. */
  readonly publicAccess: 'none' | 'some' | 'read' | null;
  readonly versioning: 'off' | 'enabled' | 'suspended' | null;
  readonly grid: { current: GridHandle | null };
  /** Why nothing is shown; null: it is shown, or being read. */
  readonly error: unknown;
  readonly isLoaded: boolean;
  readonly reload: () => void;
};

/** The key and the request of the first rows, in the order that the address names. */
export function firstPageOf(bucket: string, prefix: string) {
  const { sort, isDescending } = readOrder();
  const key = `folder ${bucket} ${prefix} ${sort} ${isDescending}`;
  const load = (stop: AbortSignal) => readFirstPage({ bucket, prefix, sort, isDescending }, stop);
  return [key, load] as const;
}

export function useFolder(bucket: string, prefix: string): FolderModel {
  const order = readOrder();
  const { sort, isDescending } = order;
  const source = useMemo(
    () => createRowSource({ bucket, prefix, sort, isDescending }),
    [bucket, prefix, sort, isDescending],
  );
  useEffect(() => () => source.close(), [source]);
  const first = useQuery(...firstPageOf(bucket, prefix));
  const page = first.data.value;
  const begun = useRef<{ source: RowSource; page: typeof page } | null>(null);
  if (page !== null && (begun.current?.page !== page || begun.current.source !== source)) {
    // Before the first drawing, so that rows of memory are there at once.
    begun.current = { source, page };
    source.begin(page);
  }

  const sizes = useMemo(() => createFolderSizes(bucket), [bucket]);
  useEffect(() => () => sizes.close(), [sizes]);
  useEffect(() => sizes.refresh(), [page]);

  const search = useSearch(bucket, prefix, source);
  const list = search?.list ?? source;
  // Keys that were found in the whole bucket stand below it, and not below the folder.
  const below = search?.isWholeBucket === true ? '' : prefix;
  const latest = useRef({ list, below });
  latest.current = { list, below };
  const selection = useMemo(() => {
    const place = () => ({ bucket, prefix: latest.current.below });
    return createSelection(place, () => latest.current.list, sizes.of);
  }, [bucket, prefix, sizes]);
  const grid = useRef<GridHandle | null>(null);
  const place = `${bucket}/${prefix}`;
  const layout = layoutOf(place);
  const searched = `${search?.isWholeBucket} ${search?.text}`;
  const before = useRef(searched);
  // With the new rows, before any key: what is no longer seen must not be changed with what is,
  // and what is selected among them must stay.
  useLayoutEffect(() => {
    if (before.current !== searched) selection.clear();
    before.current = searched;
  }, [searched]);
  useRestored({ prefix, source, selection, grid, isLoaded: page !== null });

  const sums = useQuery(`folder ${bucket} ${prefix} sums`, (signal) =>
    client.request('GET /buckets/{bucket}/deletion-preview', {
      path: { bucket },
      query: { prefix },
      signal,
    }),
  );
  const info = useQuery(`bucket ${bucket}`, (signal) =>
    client.request('GET /buckets/{bucket}', { path: { bucket }, signal }),
  );
  return {
    bucket,
    prefix,
    place,
    order,
    layout,
    view: readView() ?? layout.view,
    source,
    list,
    search,
    selection,
    sizes,
    sums: sums.data.value?.preview ?? null,
    publicAccess: info.data.value?.publicAccess ?? null,
    versioning: info.data.value?.versioning ?? null,
    grid,
    error: page === null ? first.error.value : null,
    isLoaded: page !== null,
    reload: first.reload,
  };
}

type Restored = {
  readonly prefix: string;
  readonly source: RowSource;
  readonly selection: SelectionModel;
  readonly grid: { current: GridHandle | null };
  readonly isLoaded: boolean;
};

/** Brings selection and scroll back from the address, then keeps them there. */
function useRestored({ prefix, source, selection, grid, isLoaded }: Restored): void {
  const isRestored = useRef(false);
  useLayoutEffect(() => {
    if (!isLoaded || isRestored.current) return;
    isRestored.current = true;
    const selected = readSelected(prefix);
    if (selected.length > 0) selection.restore(selected);
    const top = query.value.get('at') ?? selected[0]?.slice(prefix.length) ?? null;
    if (top !== null) void scrollToName(prefix + top, selected[0], { prefix, source, grid });
  }, [isLoaded]);
  const picked = selection.picked.value;
  useEffect(() => {
    if (isRestored.current) writeSelected(prefix, [...picked.keys()]);
  }, [picked]);
}

async function scrollToName(
  key: string,
  current: string | undefined,
  { prefix, source, grid }: Pick<Restored, 'prefix' | 'source' | 'grid'>,
): Promise<void> {
  let index = source.indexOfKey(key);
  try {
    if (index === -1) index = await source.seek(key.slice(prefix.length));
  } catch {
    // The list begins at its top then, and says what is wrong.
  }
  if (index < 0) return;
  if (key === current) {
    grid.current?.goTo(index);
  } else grid.current?.scrollTo(index);
}

/** Notes the row on top in the address; null: the list stands at its beginning. */
export function noteTop({ list, prefix, search }: FolderModel, topIndex: number): void {
  if (search !== null) return;
  const entry = topIndex === 0 ? undefined : list.row(topIndex);
  const name = entry === undefined ? null : keyOf(entry).slice(prefix.length);
  if (topIndex > 0 && name === null) return;
  if (query.value.get('at') !== name) changeAddress({ at: name });
}
