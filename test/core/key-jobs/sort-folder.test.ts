// What a page of a sorted folder costs is counted before it is spent, slice by slice.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openSqlite } from '../../../src/adapters/node/index/node-sqlite.ts';
import { sortFolder } from '../../../src/core/key-jobs/sort-folder.ts';
import { createMemoryCore, openTestBucket } from '../memory-core.ts';

it('a sorted page counts each slice before it reads it, and ends at a refusal', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quayside-sort-'));
  const path = join(folder, 'index.sqlite');
  const bucket = await openTestBucket(createMemoryCore(path));
  const sql = openSqlite(path, { readOnly: false });
  sql.all(
    `WITH RECURSIVE i (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM i WHERE i + 1 < 60000)
     INSERT INTO objects (bucket, key, version_id, is_null, size_bytes, etag, last_modified_ms,
       storage_class) SELECT 1, printf('%06d', i), '', 0, i, '', 0, 'STANDARD' FROM i`,
  );
  let left = 0;
  let reads = 0;
  const countSlice = () => {
    if (left-- === 0) throw new Error('too many');
  };
  const call: typeof bucket.call = (name, input) => {
    reads++;
    return bucket.call(name, input);
  };
  const common = { prefix: '', delimiter: '', limit: 2, cursor: '', isDescending: true };
  const sort = () => sortFolder({ ...bucket, call }, { ...common, sort: 'size', countSlice });

  left = 10;
  const { objects } = await sort();
  expect(objects.map(({ key }) => key)).toEqual(['059999', '059998']);
  const slices = 10 - left;
  expect(slices).toBeGreaterThanOrEqual(3);
  expect(reads).toBe(slices);
  left = slices - 1;
  await expect(sort()).rejects.toThrow('too many');
  expect(reads).toBe(2 * slices - 1);
  sql.close();
  await rm(folder, { recursive: true });
});
