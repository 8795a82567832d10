// The scrub: reads in the background, at a bounded rate, what every row of the index refers to, and
// proves it as `npm run check -- --bodies` does. What is hurt is reported by name. It changes
// nothing.
import { join } from 'node:path';
import { DAY_MS } from '../../../domain/time.ts';
import {
  cursorBehind,
  filterReferenced,
  listCurrentVersions,
  listOlderVersions,
  listStoredParts,
  readBlobRow,
} from '../../../index/maintenance/inventory.ts';
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
  FIRST_PLACE,
  placeBehind,
  readScrubState,
  type ScrubCursor,
  type ScrubState,
  writeScrubState,
} from './scrub-cursor.ts';

type ScrubWork = Pick<OperatorWork, 'objectHurt' | 'proveBody'>;

export type Scrub = {
  /** Goes on with the pass under way, or begins one that is due; until it is over, or stopped. */
  run(work: ScrubWork, stopping: AbortSignal): Promise<void>;
  families(): readonly MetricFamily[];
};

/** Rows read at a time; inline bodies of 16 KiB may come along. */
const PAGE = 50;
/** Passes begin no more often, milliseconds. */
const PASS_EVERY_MS = DAY_MS;
/** The cursor is written no more often, milliseconds; a kill repeats what came since. */
const SAVE_EVERY_MS = 5000;
/**
 * What a row, and each of its segments, costs the pace besides bytes: a page of the index, a look
 * at a file.
 */
const LOOK_BYTES = 4096;

/** A row, and the place behind it. */
type PlacedRow = { readonly row: CheckableRow; readonly behind: ScrubCursor };

/** `bytesPerSecond` 0: it never runs. */
export function createScrub(dataDir: string, bytesPerSecond: number, clock: Clock): Scrub {
  const statePath = join(dataDir, 'scrub.json');
  const blobRoot = join(dataDir, 'blobs');
  const totals = { proved: 0, unproved: 0, hurt: 0, bytes: 0, passes: 0 };

  /**
   * What is wrong with a row; null: nothing, or it went meanwhile. A failure that passes is none.
   */
  async function damageOf(
    index: Sql,
    row: CheckableRow,
    pace: Pace,
    prove: () => Promise<ObjectDamage | null>,
  ) {
    const found = (await fileDamageOf(index, row, pace)) ?? (await prove());
    if (found === null) return null;
    const again = (await fileDamageOf(index, row, pace)) ?? (await prove());
    return again !== null && isReferenced(index, row) ? again : null;
  }

  /** An object may have 70,000 segments, so their files are looked at at the pace, too. */
  async function fileDamageOf(
    index: Sql,
    { bucket, body }: CheckableRow,
    pace: Pace,
  ): Promise<ObjectDamage | null> {
    for (const { blobId, lengthBytes } of body.segments) {
      await pace.spend(LOOK_BYTES);
      const sizeBytes = readBlobRow(index, bucket, blobId)?.sizeBytes ?? lengthBytes;
      const damage = checkBlob(blobRoot, blobId, sizeBytes);
      if (damage !== null) return damage;
    }
    return null;
  }

  async function scrubRow(index: Sql, row: CheckableRow, pace: Pace, work: ScrubWork) {
    const blobs = createDecompressingBlobStore(pacedBlobs(createReadOnlyBlobs(blobRoot), pace));
    await pace.spend(LOOK_BYTES + (row.body.inlineBytes?.length ?? 0));
    let isProved = true;
    const damage = await damageOf(index, row, pace, async () => {
      const proof = await work.proveBody(blobs, row.body);
      // A proof that a stop cut short says nothing.
      pace.throwIfStopped();
      isProved = proof !== 'unproved';
      return typeof proof === 'string' ? null : { kind: 'damaged', detail: proof.detail };
    });
    totals.bytes += row.body.sizeBytes;
    if (damage === null) totals[isProved ? 'proved' : 'unproved'] += 1;
    else {
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
    let place = state.place;
    let savedAtMs = performance.now();
    try {
      while (place !== null) {
        await pace.spend(LOOK_BYTES);
        const page = readPage(index, place);
        for (const { row, behind } of page.rows) {
          await scrubRow(index, row, pace, work);
          place = behind;
        }
        place = page.behind;
        if (performance.now() - savedAtMs < SAVE_EVERY_MS) continue;
        savedAtMs = performance.now();
        await writeScrubState(statePath, { ...state, place });
      }
      totals.passes += 1;
    } catch (error) {
      if (!stopping.aborted) throw error;
    } finally {
      await writeScrubState(statePath, { ...state, place });
      index.close();
    }
  }

  return {
    async run(work, stopping) {
      if (bytesPerSecond === 0) return;
      const known = readScrubState(statePath);
      const isOver = known === null || known.place === null;
      if (isOver && known !== null && clock.nowMs() < known.startedAtMs + PASS_EVERY_MS) return;
      const state = isOver ? { startedAtMs: clock.nowMs(), place: FIRST_PLACE } : known;
      await scrubFrom(state, work, stopping);
    },
    families: () => [
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
    ],
  };
}

/** The next rows of the phase, and the place behind all of them; null where the pass ends. */
function readPage(
  index: Sql,
  { phase, after }: ScrubCursor,
): { rows: PlacedRow[]; behind: ScrubCursor | null } {
  if (phase === 'parts') {
    const rows = listStoredParts(index, { after, limit: PAGE }).map((part) => {
      const { bucket, uploadId, partNumber } = part;
      return { row: rowOfPart(part), behind: { phase, after: { bucket, uploadId, partNumber } } };
    });
    const last = rows.length < PAGE ? undefined : rows.at(-1);
    return { rows, behind: last?.behind ?? placeBehind(phase) };
  }
  const list = phase === 'objects' ? listCurrentVersions : listOlderVersions;
  const { versions, next } = list(index, { after, limit: PAGE, withBodies: true });
  const rows = versions.map((version) => ({
    row: rowOfVersion(version),
    behind: { phase, after: cursorBehind(version) },
  }));
  return { rows, behind: next === null ? placeBehind(phase) : { phase, after: next } };
}

/**
 * Whether what the row refers to is still wanted: it may have been deleted, and swept, meanwhile.
 */
function isReferenced(index: Sql, { body }: CheckableRow): boolean {
  const blobIds = body.segments.map(({ blobId }) => blobId);
  return filterReferenced(index, blobIds).size === new Set(blobIds).size;
}
