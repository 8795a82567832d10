// The scrub: reads in the background, at a bounded rate, what every row of the
// index refers to, and proves it as `npm run check -- --bodies` does. It reports
// hurt objects by name and changes nothing. upkeep.ts runs it.
import { join } from 'node:path';
import { DAY_MS } from '../../../domain/time.ts';
import {
  cursorBehind,
  filterReferenced,
  listCurrentVersions,
  listOlderVersions,
  readBlobRow,
} from '../../../index/maintenance/inventory.ts';
import { listStoredParts } from '../../../index/maintenance/inventory-parts.ts';
import { type MetricFamily, metricFamily } from '../../../ports/metrics.ts';
import type { ObjectDamage, OperatorWork } from '../../../ports/operator-work.ts';
import type { Sql } from '../../../ports/sql.ts';
import type { Clock } from '../../../ports/system.ts';
import { createDecompressingBlobStore } from '../../shared/decompressing-blob-store.ts';
import { checkBlob } from '../check/check-blobs.ts';
import { type CheckableRow, rowOfPart, rowOfVersion } from '../check/check-rows.ts';
import { createReadOnlyBlobs } from '../check/read-only-blobs.ts';
import { INDEX_NAME } from '../disk/data-folder.ts';
import { openSqlite } from '../index/node-sqlite.ts';
import { createPace, type Pace, pacedBlobs } from './pace.ts';
import {
  cursorBehindPhase,
  FIRST_CURSOR,
  readScrubState,
  type ScrubCursor,
  type ScrubState,
  writeScrubState,
} from './scrub-cursor.ts';

type ScrubWork = Pick<OperatorWork, 'objectHurt' | 'proveBody'>;

/** What a pass works with. */
type Pass = {
  readonly index: Sql;
  readonly blobRoot: string;
  readonly pace: Pace;
  readonly work: ScrubWork;
};

export type Scrub = {
  /**
   * Continues the pass under way, or begins one that is due; until it is over, or
   * stopped.
   */
  run(work: ScrubWork, stopping: AbortSignal): Promise<void>;
  families(): readonly MetricFamily[];
};

/** Rows read at a time; inline bodies of 16 KiB may come along. */
const PAGE = 50;
/** Least time from one pass's begin to the next, milliseconds. */
const PASS_EVERY_MS = DAY_MS;
/**
 * Least time between two writes of the cursor, ms; after a kill the rows since are
 * repeated.
 */
const SAVE_EVERY_MS = 5000;
/**
 * Bytes that a row, and each of its segments, count at the pace besides their own.
 */
const LOOK_BYTES = 4096;

/** A row, and the cursor behind it. */
type ScrubRow = { readonly row: CheckableRow; readonly cursor: ScrubCursor };

/** Makes the scrub of a data folder. `bytesPerSecond` 0: it never runs. */
export function createScrub(dataDir: string, bytesPerSecond: number, clock: Clock): Scrub {
  const statePath = join(dataDir, 'scrub.json');
  const blobRoot = join(dataDir, 'blobs');
  const totals = { proved: 0, unproved: 0, hurt: 0, bytes: 0, passes: 0 };

  async function scrubRow(pass: Pass, row: CheckableRow): Promise<void> {
    const { pace, work } = pass;
    const blobs = createDecompressingBlobStore(pacedBlobs(createReadOnlyBlobs(blobRoot), pace));
    await pace.spend(LOOK_BYTES + (row.body.inlineBytes?.length ?? 0));

    let isProved = true;
    const damage = await damageOf(pass, row, async () => {
      const proof = await work.proveBody(blobs, row.body);
      // A proof that a stop cut short says nothing.
      pace.throwIfStopped();
      isProved = proof !== 'unproved';
      return typeof proof === 'string' ? null : { kind: 'damaged', detail: proof.detail };
    });

    totals.bytes += row.body.sizeBytes;
    if (damage === null) {
      totals[isProved ? 'proved' : 'unproved'] += 1;
    } else {
      totals.hurt += 1;
      await work.objectHurt({ ...row.named, ...damage });
    }
  }

  async function scrubFrom(
    state: ScrubState,
    work: ScrubWork,
    stopping: AbortSignal,
  ): Promise<void> {
    const index = openSqlite(join(dataDir, INDEX_NAME), { readOnly: true });
    const pace = createPace(bytesPerSecond, stopping);
    const pass: Pass = { index, blobRoot, pace, work };
    let { cursor } = state;
    let savedAtMs = performance.now();
    try {
      while (cursor !== null) {
        await pace.spend(LOOK_BYTES);
        const page = readPage(index, cursor);
        for (const scrubbed of page.rows) {
          await scrubRow(pass, scrubbed.row);
          cursor = scrubbed.cursor;
        }
        cursor = page.next;
        if (performance.now() - savedAtMs < SAVE_EVERY_MS) continue;
        savedAtMs = performance.now();
        await writeScrubState(statePath, { ...state, cursor });
      }
      totals.passes += 1;
    } catch (error) {
      if (!stopping.aborted) throw error;
    } finally {
      await writeScrubState(statePath, { ...state, cursor });
      index.close();
    }
  }

  return {
    async run(work, stopping) {
      if (bytesPerSecond === 0) return;
      const stored = readScrubState(statePath);
      const isOver = stored === null || stored.cursor === null;
      if (isOver && stored !== null && clock.nowMs() < stored.startedAtMs + PASS_EVERY_MS) return;
      const state = isOver ? { startedAtMs: clock.nowMs(), cursor: FIRST_CURSOR } : stored;
      await scrubFrom(state, work, stopping);
    },
    families: () => scrubFamilies(totals),
  };
}

function scrubFamilies(
  totals: Readonly<Record<'proved' | 'unproved' | 'hurt' | 'bytes' | 'passes', number>>,
): readonly MetricFamily[] {
  return [
    metricFamily(
      'counter',
      'quayside_scrubbed_bodies_total',
      'Bodies that the scrub has read, by what it found.',
      [
        [{ result: 'proved' }, totals.proved],
        [{ result: 'unproved' }, totals.unproved],
        [{ result: 'hurt' }, totals.hurt],
      ],
    ),
    metricFamily('counter', 'quayside_scrubbed_bytes_total', 'Bytes of them.', [
      [{}, totals.bytes],
    ]),
    metricFamily('counter', 'quayside_scrub_passes_total', 'Passes over everything that ended.', [
      [{}, totals.passes],
    ]),
  ];
}

/**
 * Damage of a row; null: none, or the row went meanwhile. A failure counts only
 * when it repeats, so a transient one is none. `prove` reads the body.
 */
async function damageOf(
  pass: Pass,
  row: CheckableRow,
  prove: () => Promise<ObjectDamage | null>,
): Promise<ObjectDamage | null> {
  const first = (await fileDamageOf(pass, row)) ?? (await prove());
  if (first === null) return null;
  const second = (await fileDamageOf(pass, row)) ?? (await prove());
  return second !== null && isReferenced(pass.index, row) ? second : null;
}

/**
 * Damage of a row's files. An object may have 70,000 segments, so these looks are
 * paced, too.
 */
async function fileDamageOf(
  { index, blobRoot, pace }: Pass,
  { bucket, body }: CheckableRow,
): Promise<ObjectDamage | null> {
  for (const { blobId, lengthBytes } of body.segments) {
    await pace.spend(LOOK_BYTES);
    const sizeBytes = readBlobRow(index, bucket, blobId)?.sizeBytes ?? lengthBytes;
    const damage = checkBlob(blobRoot, blobId, sizeBytes);
    if (damage !== null) return damage;
  }
  return null;
}

/**
 * The next rows of the phase, and the cursor behind them; null where the pass ends.
 */
function readPage(
  index: Sql,
  { phase, after }: ScrubCursor,
): { rows: ScrubRow[]; next: ScrubCursor | null } {
  if (phase === 'parts') {
    const rows = listStoredParts(index, { after, limit: PAGE }).map((part) => {
      const { bucket, uploadId, partNumber, joinedKey } = part;
      const ofRow = { bucket, uploadId, partNumber };
      const behind = joinedKey === undefined ? ofRow : { ...ofRow, joinedKey };
      return { row: rowOfPart(part), cursor: { phase, after: behind } };
    });
    const last = rows.length < PAGE ? undefined : rows.at(-1);
    return { rows, next: last?.cursor ?? cursorBehindPhase(phase) };
  }

  const list = phase === 'objects' ? listCurrentVersions : listOlderVersions;
  const { versions, next } = list(index, { after, limit: PAGE, withBodies: true });
  const rows = versions.map((version) => ({
    row: rowOfVersion(version),
    cursor: { phase, after: cursorBehind(version) },
  }));
  return { rows, next: next === null ? cursorBehindPhase(phase) : { phase, after: next } };
}

/**
 * Whether the row's blobs are still referenced: they may have been deleted, and
 * swept.
 */
function isReferenced(index: Sql, { body }: CheckableRow): boolean {
  const blobIds = body.segments.map(({ blobId }) => blobId);
  return filterReferenced(index, blobIds).size === new Set(blobIds).size;
}
