// Counts of visitors of share links, summed in memory and brought to the index of
// each bucket in batches, along with usage. A process that dies loses what it has not
// brought, as with usage. A batch whose outcome nobody knows is brought again, and may
// count twice: these are statistics, limits are counted elsewhere.
import type { LabelId, LinkEntry } from '../../../domain/links/link-ids.ts';
import { LINK_TOP_MAX } from '../../../domain/links/link-limits.ts';
import { NO_COUNTS, type ShareCounts, type ShareDay } from '../../../domain/links/share-records.ts';
import type { BucketAddress } from '../../../domain/nouns.ts';
import { DAY_MS } from '../../../domain/time.ts';
import type { Core } from '../../core.ts';
import type { UsageCompanion } from '../../metering/flush-usage.ts';
import { reportFirstOpened } from './report-share.ts';

/** Who opened a link, from where. */
export type ShareVisitor = {
  /** The host of the page that led here; null: nobody says. */
  readonly referrer: string | null;
  readonly country: string | null;
};

export type ShareCounter = UsageCompanion & {
  /** Adds to the counts of a link's day. No I/O. Cost: 0.2 µs. */
  count(
    entry: LinkEntry,
    labelId: LabelId | null,
    counts: Partial<ShareCounts>,
    visitor: ShareVisitor | null,
  ): void;
};

/** Rows of days that wait at most, about 1 KB each; beyond them counts are lost. */
const ROWS_MAX = 10_000;
/** Rows of one call of the index. */
const ROWS_PER_CALL = 200;
/** Buckets whose rows are brought at once: the connections of a Worker. */
const BUCKETS_AT_ONCE = 6;

type Row = {
  readonly entry: LinkEntry;
  readonly labelId: LabelId | null;
  readonly dayMs: number;
  readonly counts: { -readonly [Name in keyof ShareCounts]: number };
  readonly referrers: Map<string, number>;
  readonly countries: Map<string, number>;
};

/** Makes the counter of a process. */
export function createShareCounter(core: Core): ShareCounter {
  const { clock, log, metadataIndex } = core.ports;
  const rows = new Map<string, Row>();
  /** Counts that found no room since the last flush. */
  let lost = 0;
  /** The rows of today without a label, so that a hot link needs no name made. */
  let today = { endMs: 0, rows: new Map<LinkEntry, Row>() };

  function rowOf(entry: LinkEntry, labelId: LabelId | null): Row | null {
    const nowMs = clock.nowMs();
    const hot = labelId === null && nowMs < today.endMs ? today.rows.get(entry) : undefined;
    if (hot !== undefined) return hot;
    const dayMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
    if (nowMs >= today.endMs) today = { endMs: dayMs + DAY_MS, rows: new Map() };
    const name = nameOf({ entry, labelId, dayMs });
    const known = rows.get(name);
    if (known !== undefined && labelId === null) today.rows.set(entry, known);
    if (known !== undefined || rows.size >= ROWS_MAX) return known ?? null;
    const row = emptyRow(entry, labelId, dayMs);
    rows.set(name, row);
    return row;
  }

  async function bring(bucket: BucketAddress, own: readonly Row[]): Promise<void> {
    for (let at = 0; at < own.length; at += ROWS_PER_CALL) {
      const days = own.slice(at, at + ROWS_PER_CALL);
      try {
        const first = await metadataIndex.call(bucket.name, 'addShareCounts', {
          bucket,
          days: days.map(toDay),
          nowMs: clock.nowMs(),
        });
        // A link has a row for each label and day.
        const entries = new Map(days.map(({ entry }) => [entry.id, entry]));
        for (const id of first) {
          const entry = entries.get(id);
          if (entry !== undefined) reportFirstOpened(core, entry);
        }
      } catch (cause) {
        log.error('share-counts-not-brought', { bucket: bucket.name, cause });
        for (const row of days) restore(row);
      }
    }
  }

  /** Adds a row that was not brought to what was counted meanwhile. */
  function restore(back: Row): void {
    const row = rows.get(nameOf(back));
    if (row !== undefined) addRow(row, back);
    else if (rows.size < ROWS_MAX) rows.set(nameOf(back), back);
    else lost += 1;
  }

  /** Takes rows out, as far as they are still there: from now on they are counted anew. */
  function drain(own: readonly Row[]): readonly Row[] {
    const there = own.filter((row) => rows.get(nameOf(row)) === row);
    for (const row of there) rows.delete(nameOf(row));
    today.rows.clear();
    return there;
  }

  async function flush(): Promise<void> {
    if (lost > 0) log.error('share-counts-lost', { counts: lost, rows: rows.size });
    lost = 0;
    // A name may have had several buckets.
    const byBucket = Map.groupBy(rows.values(), ({ entry }) => entry.bucket.id).values();
    const bringNext = async (): Promise<void> => {
      for (const own of byBucket) {
        const [first, ...rest] = drain(own);
        if (first !== undefined) await bring(first.entry.bucket, [first, ...rest]);
      }
    };
    // All take from one iterator. What is not begun stays, should the process end.
    await Promise.all(Array.from({ length: BUCKETS_AT_ONCE }, bringNext));
  }

  return {
    count(entry, labelId, counts, visitor) {
      const row = rowOf(entry, labelId);
      if (row === null) {
        lost += 1;
        return;
      }
      addCounts(row.counts, counts);
      if (visitor?.referrer != null) addTop(row.referrers, visitor.referrer, 1);
      if (visitor?.country != null) addTop(row.countries, visitor.country, 1);
    },
    flush,
    isAnythingLeft: () => rows.size > 0,
  };
}

const nameOf = ({ entry, labelId, dayMs }: Pick<Row, 'entry' | 'labelId' | 'dayMs'>): string =>
  `${entry.id}${labelId ?? ''}${dayMs}`;

function emptyRow(entry: LinkEntry, labelId: LabelId | null, dayMs: number): Row {
  const counts = { ...NO_COUNTS };
  return { entry, labelId, dayMs, counts, referrers: new Map(), countries: new Map() };
}

function addRow(row: Row, { counts, referrers, countries }: Row): void {
  addCounts(row.counts, counts);
  for (const [host, count] of referrers) addTop(row.referrers, host, count);
  for (const [country, count] of countries) addTop(row.countries, country, count);
}

function addCounts(sum: Row['counts'], counts: Partial<ShareCounts>): void {
  sum.opened += counts.opened ?? 0;
  sum.started += counts.started ?? 0;
  sum.completed += counts.completed ?? 0;
  sum.aborted += counts.aborted ?? 0;
  sum.bytes += counts.bytes ?? 0;
}

/** Counts a name; of too many the ones that came first are counted. */
function addTop(tops: Map<string, number>, name: string, count: number): void {
  const known = tops.get(name);
  if (known === undefined && tops.size >= LINK_TOP_MAX) return;
  tops.set(name, (known ?? 0) + count);
}

function toDay({ entry, labelId, dayMs, counts, referrers, countries }: Row): ShareDay {
  return {
    linkId: entry.id,
    labelId,
    dayMs,
    ...counts,
    referrers: Object.fromEntries(referrers),
    countries: Object.fromEntries(countries),
  };
}
