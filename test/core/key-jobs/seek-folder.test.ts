// Seeks in a folder while it is counted, and the end of counts that nobody uses.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openSqlite } from '../../../src/adapters/node/index/node-sqlite.ts';
import { forgetUnusedLevels, seekFolder } from '../../../src/core/key-jobs/seek-folder.ts';
import { LEVELS_MAX } from '../../../src/index/keys/key-levels.ts';
import { createMemoryCore, openTestBucket } from '../memory-core.ts';

/** More than a page waits for: steps count 20,000 rows each. */
const ROWS = 160_000;

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

async function openFilled() {
  const folder = await mkdtemp(join(tmpdir(), 'quayside-seek-'));
  folders.push(folder);
  const path = join(folder, 'index.sqlite');
  const core = createMemoryCore(path);
  const bucket = await openTestBucket(core);
  const sql = openSqlite(path, { readOnly: false });
  sql.all(
    `WITH RECURSIVE i (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM i WHERE i + 1 < ${ROWS})
     INSERT INTO objects (bucket, key, version_id, is_null, size_bytes, etag, last_modified_ms,
       storage_class) SELECT 1, printf('%06d', i), '', 0, 1, '', 0, 'STANDARD' FROM i`,
  );
  const at = (rank: number, isFromEnd = false) => ({
    prefix: '',
    delimiter: '/',
    limit: 2,
    start: { by: 'rank', rank, isFromEnd } as const,
  });
  const levels = () => sql.all<{ used_at_ms: number }>('SELECT used_at_ms FROM key_levels');
  return { core, bucket, at, levels, close: () => sql.close() };
}

describe('a seek in a large folder', () => {
  it('gives a page before all is counted, and counts the rest behind it', async () => {
    const { core, bucket, at, close } = await openFilled();
    const first = await seekFolder(core, bucket, at(0));
    expect(first).toMatchObject({ rank: 0, isExact: false });
    expect(first.total).toBeGreaterThan(2000);
    expect(first.total).toBeLessThan(ROWS);
    await core.settle();
    expect(await seekFolder(core, bucket, at(99_999))).toMatchObject({
      rank: 99_999,
      total: ROWS,
      isExact: true,
      lastName: '100000',
    });
    close();
  });

  it('waits for the place that it jumps to, from either end', async () => {
    for (const isFromEnd of [false, true]) {
      const { core, bucket, at, close } = await openFilled();
      const page = await seekFolder(core, bucket, at(150_000, isFromEnd));
      expect(page.rank).toBe(150_000);
      expect(page.objects[0]?.key).toBe(isFromEnd ? '009998' : '150000');
      await core.settle();
      close();
    }
  });

  it('notes its use once a day, and what is not used for a week is deleted', async () => {
    const { core, bucket, at, levels, close } = await openFilled();
    const record = bucket.record();
    await seekFolder(core, bucket, at(159_999));
    await core.settle();
    const [before] = levels();
    if (before === undefined) throw new Error('no level');
    core.advanceSeconds(3600);
    await seekFolder(core, bucket, at(5));
    await core.settle();
    expect(levels()).toEqual([before]);
    core.advanceSeconds(86_400);
    await seekFolder(core, bucket, at(5));
    await core.settle();
    const [noted] = levels();
    expect(noted?.used_at_ms).toBe(before.used_at_ms + 90_000_000);

    core.advanceSeconds(6 * 86_400);
    await forgetUnusedLevels(core, record, noted?.used_at_ms ?? 0);
    expect(levels()).toHaveLength(1);
    core.advanceSeconds(2 * 86_400);
    await forgetUnusedLevels(core, record, noted?.used_at_ms ?? 0);
    expect(levels()).toEqual([]);
    close();
  });

  it('ends its counting, however many folders are sought in at once', async () => {
    const { core, bucket, at, levels, close } = await openFilled();
    let steps = 0;
    const call: typeof bucket.call = (name, input) => {
      if (name === 'countLevel') steps++;
      if (steps > 1000) throw new Error('it counts for ever');
      return bucket.call(name, input);
    };
    const counting = { ...bucket, call };
    const seek = (delimiter: string) => seekFolder(core, counting, { ...at(159_000), delimiter });
    const seeks = Array.from({ length: LEVELS_MAX + 4 }, (_, i) => seek(`/${i}`));
    const pages = await Promise.all(seeks);
    await core.settle();
    expect(levels()).toHaveLength(LEVELS_MAX);
    expect(pages.filter(({ rank }) => rank === 159_000)).toHaveLength(LEVELS_MAX);

    // Whoever goes on to other folders counts none of them before some time has passed.
    const counted = steps;
    expect(await seek('/other')).toMatchObject({ isExact: false });
    await core.settle();
    expect(steps).toBeLessThanOrEqual(counted + 2);
    core.advanceSeconds(601);
    expect(await seek('/other')).toMatchObject({ rank: 159_000 });
    close();
  });
});
