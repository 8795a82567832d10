// A folder as a list of rows that are loaded where they are looked at. Rows next to
// loaded ones come by the cursor of their page, others by their rank. A folder of up
// to 10,000 names is loaded whole behind the first rows, and then sorted as people do.

import { signal } from '@preact/signals';
import type { Answer } from 'quayside/client';
import { client } from '../../../api/client.ts';
import { waitVisible } from '../../../app/visible.ts';
import { type Entry, indexOfName, keyOf, type RowList } from './row-list.ts';
import { mergeSorted, nameOrder } from './sort-names.ts';

export type FolderPage = Answer<'GET /buckets/{bucket}/objects'>;
export type SortBy = 'name' | 'size' | 'modified' | 'type';
export type FolderQuery = {
  readonly bucket: string;
  readonly prefix: string;
  readonly sort: SortBy;
  readonly isDescending: boolean;
};

/** Rows of one chunk, the unit in which rows are kept and let go. */
export const CHUNK = 250;
/** Rows of the first page, and of each where all are loaded: the API's most. */
const PAGE = 1000;
/** Largest folder that is sorted as people do. */
export const PEOPLES_ORDER_MAX = 10_000;
/** Chunks that are kept: 50,000 rows. */
const CHUNKS_MAX = 200;
/** Shortest time between two requests while the list flies past, milliseconds. */
const REQUEST_EVERY_MS = 40;
/** How soon a folder that is still being counted is read again, milliseconds. */
const RECOUNT_MS = 700;

/** Reads the first rows; views keep them by `useQuery`. */
export const readFirstPage = (query: FolderQuery, stop: AbortSignal): Promise<FolderPage> =>
  requestPage(query, { limit: PAGE }, stop);

function requestPage(
  { bucket, prefix, sort, isDescending }: FolderQuery,
  range: { limit: number; at?: number; cursor?: string; from?: string },
  stop: AbortSignal,
): Promise<FolderPage> {
  return client.request('GET /buckets/{bucket}/objects', {
    path: { bucket },
    query: {
      prefix,
      delimiter: '/',
      sort,
      order: isDescending ? 'desc' : 'asc',
      include: 'readers',
      ...range,
    },
    signal: stop,
  });
}

export type RowSource = RowList & {
  /** Takes the first page, also a newer one: what is shown stays until it is read anew. */
  begin(page: FolderPage): void;
  error(): unknown;
  /** Whether the rows stand as people sort; false: in the bucket's own order. */
  isPeoplesOrder(): boolean;
  /** False: size and date sort the first 10,000 names only. */
  isComplete(): boolean;
  retry(): void;
  close(): void;
};

export function createRowSource(query: FolderQuery): RowSource {
  return new FolderRows(query);
}

class FolderRows implements RowSource {
  readonly version = signal(0);
  readonly isFiltered = false;
  readonly #query: FolderQuery;
  #chunks = new Map<number, readonly Entry[]>();
  /** Chunks of before a reload, shown until newer ones are there. */
  #staleChunks = new Map<number, readonly Entry[]>();
  /** Cursors of the pages that begin with a chunk. */
  #cursors = new Map<number, string>();
  #sorted: readonly Entry[] | null = null;
  /** Rank of the folder's own object, `a/` in `a/`, which is no row of it; null: none is known. */
  #markerRank: number | null = null;
  #total: number | null = null;
  #isTotalExact = false;
  #isSortComplete = true;
  #error: unknown = null;
  #stop = new AbortController();
  #flight: { first: number; end: number; stop: AbortController } | null = null;
  #wanted: { first: number; end: number } | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastRequestMs = 0;

  constructor(query: FolderQuery) {
    this.#query = query;
  }

  begin(page: FolderPage): void {
    this.#stop.abort();
    this.#stop = new AbortController();
    this.#flight = null;
    this.#error = null;
    this.#staleChunks = new Map([...this.#staleChunks, ...this.#chunks]);
    this.#chunks = new Map();
    this.#cursors = new Map();
    this.#markerRank = null;
    this.#isSortComplete = page.isComplete;
    this.#store(0, page);
    if (page.nextCursor === null) {
      this.#total = page.items.length;
      this.#isTotalExact = true;
      this.#staleChunks = new Map();
    } else if (page.total !== null) {
      this.#total = page.total;
      // Size and date sort what is counted here, also where that is not all.
      this.#isTotalExact = page.totalIsExact || this.#query.sort !== 'name';
    } else {
      this.#total = Math.max(this.#total ?? 0, page.items.length + 1);
      this.#isTotalExact = false;
    }
    if (page.nextCursor === null && this.#query.sort === 'name') {
      this.#sorted = this.#rowsOf(page.items).toSorted(this.#order());
    }
    this.#changed();
    if (page.nextCursor !== null) void this.#goOn(this.#stop.signal);
    if (this.#wanted !== null) this.#need(this.#wanted.first, this.#wanted.end);
  }

  count(): number {
    return (this.#total ?? 0) - (this.#markerRank === null ? 0 : 1);
  }

  isExact(): boolean {
    return this.#isTotalExact;
  }

  isWhole(): boolean {
    return this.#isTotalExact && this.#chunks.size * CHUNK >= (this.#total ?? 0);
  }

  isPeoplesOrder(): boolean {
    return this.#query.sort !== 'name' || this.#sorted !== null;
  }

  isComplete(): boolean {
    return this.#isSortComplete;
  }

  error(): unknown {
    return this.#error;
  }

  row(index: number): Entry | undefined {
    if (this.#sorted !== null) return this.#sorted[index];
    const rank = this.#rankOf(index);
    const chunk = Math.floor(rank / CHUNK);
    const rows = this.#chunks.get(chunk) ?? this.#staleChunks.get(chunk);
    return rows?.[rank % CHUNK];
  }

  indexOfKey(key: string): number {
    if (this.#sorted !== null) return this.#sorted.findIndex((entry) => keyOf(entry) === key);
    for (const [chunk, rows] of this.#chunks) {
      const at = rows.findIndex((entry) => keyOf(entry) === key);
      if (at !== -1) return this.#indexOf(chunk * CHUNK + at);
    }
    return -1;
  }

  async seek(name: string): Promise<number> {
    if (this.#sorted !== null) return indexOfName(this.#sorted, name);
    const { sort, prefix } = this.#query;
    if (sort !== 'name') {
      const loaded = this.#loaded().find(([, entry]) => nameBegins(entry, name));
      return loaded === undefined ? -1 : this.#indexOf(loaded[0]);
    }
    const range = { limit: 1, from: prefix + name };
    const { rank, total, totalIsExact } = await requestPage(this.#query, range, this.#stop.signal);
    this.#count(total, totalIsExact);
    return rank === null ? -1 : Math.min(this.#indexOf(rank), this.count() - 1);
  }

  need(first: number, end: number): void {
    this.#need(this.#rankOf(first), this.#rankOf(end));
  }

  #need(first: number, end: number): void {
    this.#wanted = { first, end };
    if (this.#sorted !== null && this.isWhole()) return;
    if (this.#missingChunk() === null) return;
    const flight = this.#flight;
    if (flight !== null) {
      if (flight.first < end && flight.end > first) return;
      flight.stop.abort();
      this.#flight = null;
    }
    clearTimeout(this.#timer);
    const waitMs = Math.max(0, this.#lastRequestMs + REQUEST_EVERY_MS - performance.now());
    if (waitMs === 0) void this.#fetchMissing();
    else this.#timer = setTimeout(() => void this.#fetchMissing(), waitMs);
  }

  async load(first: number, end: number): Promise<readonly Entry[]> {
    const { signal: stop } = this.#stop;
    for (let chunk = Math.floor(this.#rankOf(first) / CHUNK); ; chunk++) {
      if (chunk * CHUNK >= this.#rankOf(end)) break;
      if (this.#sorted !== null || this.#chunks.has(chunk)) continue;
      await this.#fetch(chunk * CHUNK, PAGE, stop);
    }
    const rows: Entry[] = [];
    for (let index = first; index < end; index++) {
      const entry = this.row(index);
      if (entry !== undefined) rows.push(entry);
    }
    return rows;
  }

  retry(): void {
    this.#error = null;
    this.#changed();
    if (this.#wanted !== null) this.#need(this.#wanted.first, this.#wanted.end);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#stop.abort();
    this.#flight?.stop.abort();
  }

  /** The row's place in the bucket's own listing, which has the folder's own object too. */
  #rankOf(index: number): number {
    return this.#markerRank !== null && index >= this.#markerRank ? index + 1 : index;
  }

  #indexOf(rank: number): number {
    return this.#markerRank !== null && rank > this.#markerRank ? rank - 1 : rank;
  }

  #rowsOf(entries: readonly Entry[]): readonly Entry[] {
    return entries.filter((entry) => keyOf(entry) !== this.#query.prefix);
  }

  #order() {
    return nameOrder(this.#query.prefix, this.#query.isDescending);
  }

  #changed(): void {
    this.version.value++;
  }

  #loaded(): readonly (readonly [number, Entry])[] {
    return [...this.#chunks].flatMap(([chunk, rows]) =>
      rows.map((entry, at) => [chunk * CHUNK + at, entry] as const),
    );
  }

  #count(total: number | null, isExact: boolean): void {
    if (total === null) return;
    this.#total = isExact ? total : Math.max(total, this.#total ?? 0);
    this.#isTotalExact = isExact || this.#query.sort !== 'name';
  }

  /** Keeps a page whose first row has that rank; a cut chunk is kept only at the end. */
  #store(rank: number, { items, nextCursor }: FolderPage): void {
    const marker = items.findIndex((entry) => keyOf(entry) === this.#query.prefix);
    if (marker !== -1) this.#markerRank = rank + marker;
    for (let at = 0; at < items.length; at += CHUNK) {
      const rows = items.slice(at, at + CHUNK);
      const chunk = (rank + at) / CHUNK;
      if (rows.length < CHUNK && nextCursor !== null) continue;
      this.#chunks.delete(chunk);
      this.#chunks.set(chunk, rows);
    }
    if (nextCursor !== null) this.#cursors.set((rank + items.length) / CHUNK, nextCursor);
    const [oldest] = this.#chunks.keys();
    if (this.#chunks.size > CHUNKS_MAX && oldest !== undefined) this.#chunks.delete(oldest);
  }

  /** The first chunk of those that are looked at that is not there. */
  #missingChunk(): number | null {
    const { first = 0, end = 0 } = this.#wanted ?? {};
    const last = Math.min(end, this.#total ?? 0);
    for (let chunk = Math.floor(first / CHUNK); chunk * CHUNK < last; chunk++) {
      if (!this.#chunks.has(chunk)) return chunk;
    }
    return null;
  }

  async #fetchMissing(): Promise<void> {
    const chunk = this.#missingChunk();
    if (chunk === null || this.#flight !== null || this.#error !== null) return;
    const stop = new AbortController();
    const first = chunk * CHUNK;
    this.#flight = { first, end: first + CHUNK, stop };
    this.#lastRequestMs = performance.now();
    const signals = AbortSignal.any([stop.signal, this.#stop.signal]);
    const isThere = await this.#fetch(first, CHUNK, signals);
    if (signals.aborted) return;
    this.#flight = null;
    if (isThere && this.#wanted !== null) this.#need(this.#wanted.first, this.#wanted.end);
  }

  /**
   * Reads rows from a rank on. False: they are not counted yet, or failed. Pages by a
   * cursor are quicker, but only a page by rank counts the folder.
   */
  async #fetch(
    first: number,
    limit: number,
    stop: AbortSignal,
    isCounting = false,
  ): Promise<boolean> {
    const cursor = isCounting ? undefined : this.#cursors.get(first / CHUNK);
    try {
      const range = cursor === undefined ? { limit, at: first } : { limit, cursor };
      const page = await requestPage(this.#query, range, stop);
      if (stop.aborted) return false;
      this.#count(page.total, page.totalIsExact);
      const isThere = cursor !== undefined || page.rank === first;
      if (isThere) this.#store(first, page);
      this.#changed();
      return isThere;
    } catch (cause) {
      if (stop.aborted) return false;
      this.#error = cause;
      this.#changed();
      return false;
    }
  }

  /** Counts the folder, and loads it whole where it is small enough. */
  async #goOn(stop: AbortSignal): Promise<void> {
    while (!this.#isTotalExact && this.#error === null) {
      await this.#fetch(PAGE, CHUNK, stop, true);
      if (stop.aborted) return;
      if (!this.#isTotalExact) await waitVisible(RECOUNT_MS);
    }
    if (stop.aborted || this.#query.sort !== 'name' || !this.#isTotalExact) return;
    if ((this.#total ?? 0) <= PEOPLES_ORDER_MAX) await this.#loadAll(stop);
    else if (this.#sorted !== null) {
      this.#sorted = null;
      this.#changed();
    }
  }

  async #loadAll(stop: AbortSignal): Promise<void> {
    for (let first = PAGE; first < (this.#total ?? 0); first += PAGE) {
      const isThere = await this.#fetch(first, PAGE, stop);
      if (stop.aborted || !isThere) return;
    }
    const order = this.#order();
    const lists = [...this.#chunks.values()].map((rows) => this.#rowsOf(rows).toSorted(order));
    const sorted = await mergeSorted(lists, order);
    if (stop.aborted) return;
    this.#sorted = sorted;
    this.#staleChunks = new Map();
    this.#changed();
  }
}

const nameBegins = (entry: Entry, text: string): boolean => indexOfName([entry], text) === 0;
