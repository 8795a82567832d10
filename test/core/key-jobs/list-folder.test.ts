// Where a page of a folder begins that is asked for by a name, in both orders.
import { expect, it } from 'vitest';
import { listFolder } from '../../../src/core/key-jobs/list-folder.ts';
import { createMemoryCore, openTestBucket, putBytes } from '../memory-core.ts';

const NAMES = ['a', 'b', 'c', 'd/', 'e'];

async function openFolder() {
  const core = createMemoryCore();
  const bucket = await openTestBucket(core);
  for (const name of NAMES)
    await putBytes(core, bucket, name.endsWith('/') ? `${name}x` : name, new Uint8Array(1));
  return async (from: string, isDescending: boolean, limit: number) => {
    const input = { prefix: '', delimiter: '/', sort: 'name', cursor: '' } as const;
    const page = await listFolder(core, bucket, { ...input, isDescending, limit, start: { from } });
    return page.entries.map((entry) => (entry.kind === 'folder' ? entry.prefix : entry.object.key));
  };
}

it.each([...NAMES, '', 'A', 'bb', 'd', 'f'])('a page from %j begins there', async (from) => {
  const read = await openFolder();
  const behind = NAMES.filter((name) => name >= from);
  const before = NAMES.filter((name) => name <= from).toReversed();
  for (const limit of [1, 2, 100]) {
    expect(await read(from, false, limit)).toEqual(behind.slice(0, limit));
    expect(await read(from, true, limit)).toEqual(before.slice(0, limit));
  }
});
