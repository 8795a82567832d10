// Pages of a folder that begin at a position or a name, as a console scrolls.
import { expect, it } from 'vitest';
import { type ApiClient, tokenClient } from '../kit/clients/json-api.ts';
import { client, describeCore } from '../kit/clients/suite.ts';

/** Files f000 to f119, of sizes in no order, and folders g00/ to g29/, each with two. */
const FILES = Array.from({ length: 120 }, (_, at) => `f${String(at).padStart(3, '0')}`);
const FOLDERS = Array.from({ length: 30 }, (_, at) => `g${String(at).padStart(2, '0')}/`);
const NAMES = [...FILES, ...FOLDERS];

async function filledBucket(api: ApiClient): Promise<string> {
  const bucket = `wire-seek-${crypto.randomUUID().slice(0, 13)}`;
  expect((await api.call('POST', '/buckets', { name: bucket })).status).toBe(201);
  const keys = [...FILES, ...FOLDERS.flatMap((folder) => [`${folder}1`, `${folder}2`])];
  for (let at = 0; at < keys.length; at += 20) {
    const requests = keys.slice(at, at + 20).map((key) => ({ operation: 'put', key }));
    const { json } = await api.call('POST', `/buckets/${bucket}/presigned-urls`, { requests });
    await Promise.all(
      json.items.map(async ({ method, url }: { method: string; url: string }, offset: number) => {
        const body = 'x'.repeat(((at + offset) * 37) % 101);
        expect((await fetch(url, { method, body })).status).toBe(200);
      }),
    );
  }
  return bucket;
}

describeCore('a folder that is sought in', () => {
  it('begins anywhere, tells where that is, and goes on behind it', async () => {
    const api = await tokenClient(client);
    const bucket = await filledBucket(api);
    const ask = async (query: string) => {
      const { status, json } = await api.call('GET', `/buckets/${bucket}/objects?${query}`);
      const names = (json.items ?? []).map(
        (item: { key?: string; prefix?: string }) => item.key ?? item.prefix,
      );
      return { ...json, status, names };
    };
    const exact = { total: 150, totalIsExact: true };

    const middle = await ask('at=75&limit=50');
    expect(middle).toMatchObject({ ...exact, rank: 75, names: NAMES.slice(75, 125) });
    const cursor = encodeURIComponent(middle.nextCursor);
    const onwards = await ask(`limit=50&cursor=${cursor}`);
    expect(onwards).toMatchObject({ names: NAMES.slice(125), nextCursor: null, total: null });
    expect(await ask('at=25&limit=50')).toMatchObject({ rank: 25, names: NAMES.slice(25, 75) });
    expect(await ask('at=149')).toMatchObject({ rank: 149, names: ['g29/'], nextCursor: null });
    expect(await ask('at=999')).toMatchObject({ ...exact, rank: 150, names: [] });
    expect(await ask('from=g&limit=2')).toMatchObject({ rank: 120, names: ['g00/', 'g01/'] });
    expect(await ask('from=g07/5&limit=1')).toMatchObject({ rank: 128, names: ['g08/'] });
    expect(await ask('limit=1000')).toMatchObject({ ...exact, rank: 0 });

    const back = NAMES.toReversed();
    const down = await ask('order=desc&at=20&limit=20');
    expect(down).toMatchObject({ ...exact, rank: 20, names: back.slice(20, 40) });
    const downCursor = encodeURIComponent(down.nextCursor);
    const further = await ask(`order=desc&limit=20&cursor=${downCursor}`);
    expect(further).toMatchObject({ rank: 40, names: back.slice(40, 60) });
    expect(await ask('order=desc&from=f050&limit=2')).toMatchObject({ names: ['f050', 'f049'] });
    expect(await ask('order=desc&from=f0505&limit=1')).toMatchObject({ names: ['f050'] });
    expect(await ask('delimiter=&at=121&limit=1')).toMatchObject({ total: 180, names: ['g00/2'] });
    expect(await ask('prefix=g03/&at=1')).toMatchObject({ total: 2, names: ['g03/2'] });

    const types = await ask('sort=type&limit=33');
    expect(types).toMatchObject({ ...exact, names: [...FOLDERS, ...FILES.slice(0, 3)] });
    for (const order of ['asc', 'desc']) {
      const sizes: number[] = [];
      const names: string[] = [];
      for (let query = ''; ; ) {
        const page = await ask(`sort=size&order=${order}&limit=29${query}`);
        expect(page).toMatchObject({ ...exact, sortIsExact: true, rank: names.length });
        names.push(...page.names);
        sizes.push(...page.items.flatMap(({ size }: { size?: string }) => (size ? [+size] : [])));
        if (page.nextCursor === null) break;
        query = `&cursor=${encodeURIComponent(page.nextCursor)}`;
      }
      expect(names.slice(0, 30)).toEqual(FOLDERS);
      expect(names.toSorted()).toEqual(NAMES.toSorted());
      expect(sizes).toEqual(sizes.toSorted((a, b) => (order === 'asc' ? a - b : b - a)));
    }

    for (const wrong of ['at=-1', 'at=x', 'at=1&from=f', `at=1&cursor=${cursor}`]) {
      expect([wrong, (await ask(wrong)).status]).toEqual([wrong, 400]);
    }
    expect(await ask('sort=size&from=f')).toMatchObject({ status: 400, code: 'InvalidInput' });
  });
});
