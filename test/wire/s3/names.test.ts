// What a console does with many objects, through the JSON API: sizes, sorted folders, search,
// renames with undo, the trash, bulk deletion. S3 and public readers see each of it in the same
// moment.
import { expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { type ApiClient, apiClient, tokenClient } from '../kit/clients/json-api.ts';
import { client, describeCore } from '../kit/clients/suite.ts';
import { eventually } from '../kit/eventually.ts';

const { anonymous, send } = client;
const fresh = () => `names-${crypto.randomUUID().slice(0, 8)}/`;

async function put(bucket: string, key: string, body: string): Promise<void> {
  expect((await send({ method: 'PUT', bucket, key, body })).status).toBe(200);
}
const get = (bucket: string, key: string) => send({ method: 'GET', bucket, key });

/** Begins a job and waits for its end, asking as a console would. */
async function run(api: ApiClient, path: string, body?: unknown) {
  const begun = await api.call('POST', path, body);
  expect([begun.status, begun.json.code]).toEqual([202, undefined]);
  const jobs = path.replace(/\/jobs.*/, '/jobs');
  let job = begun.json;
  const state = async () => {
    job = (await api.call('GET', `${jobs}/${begun.json.id}`)).json;
    return job.state;
  };
  await expect.poll(state, { timeout: 20_000, interval: 25 }).not.toBe('running');
  return job;
}

describeCore('many objects by JSON', () => {
  const bucket = useBucket(client);
  const other = useBucket(client);
  const base = `/buckets/${bucket}`;

  it('are measured, exact to the last commit, for any prefix', async () => {
    const api = await tokenClient(client);
    const folder = fresh();
    for (const [name, body] of [
      ['a/1', 'xx'],
      ['a/2', 'yyy'],
      ['b', 'z'],
    ] as const)
      await put(bucket, folder + name, body);
    const sizes = async (...prefixes: string[]) => {
      const query = prefixes
        .map((prefix) => `prefix=${encodeURIComponent(folder + prefix)}`)
        .join('&');
      const { json } = await api.call('GET', `${base}/sizes?${query}`);
      return json.items.map((item: { objects: number; bytes: string }) => [
        item.objects,
        item.bytes,
      ]);
    };
    expect(await sizes('', 'a/', 'a/2', 'none')).toEqual([
      [3, '6'],
      [2, '5'],
      [1, '3'],
      [0, '0'],
    ]);
    await send({ method: 'DELETE', bucket, key: `${folder}a/2` });
    await put(bucket, `${folder}b`, 'zzzz');
    expect(await sizes('', 'a/')).toEqual([
      [2, '6'],
      [1, '2'],
    ]);
  });

  it('are listed by name, size and date, and found by a part of their name', async () => {
    const api = await tokenClient(client);
    const folder = fresh();
    for (const [name, size] of [
      ['b.txt', 5],
      ['Größe.TXT', 1],
      ['a.jpg', 3],
      ['sub/c.txt', 9],
    ] as const) {
      await put(bucket, folder + name, 'x'.repeat(size));
    }
    type Item = { kind?: string; prefix?: string; key: string };
    const names = (items: Item[]) =>
      items.map((item) => (item.prefix ?? item.key).slice(folder.length));
    const list = async (query: string) => {
      const { json } = await api.call(
        'GET',
        `${base}/objects?prefix=${encodeURIComponent(folder)}&${query}`,
      );
      return json;
    };
    expect(names((await list('')).items).toSorted()).toEqual([
      'Größe.TXT',
      'a.jpg',
      'b.txt',
      'sub/',
    ]);
    expect(names((await list('sort=size&order=desc')).items)).toEqual([
      'sub/',
      'b.txt',
      'a.jpg',
      'Größe.TXT',
    ]);
    expect(names((await list('sort=modified&delimiter=')).items)).toEqual([
      'b.txt',
      'Größe.TXT',
      'a.jpg',
      'sub/c.txt',
    ]);
    const first = await list('sort=size&limit=2');
    expect(names(first.items)).toEqual(['sub/', 'Größe.TXT']);
    expect(names((await list(`sort=size&limit=2&cursor=${first.nextCursor}`)).items)).toEqual([
      'a.jpg',
      'b.txt',
    ]);
    const search = async (text: string, query = '') => {
      const path =
        `${base}/search?prefix=${encodeURIComponent(folder)}&` +
        `text=${encodeURIComponent(text)}${query}`;
      const { json } = await api.call('GET', path);
      expect(json).toMatchObject({ isComplete: true });
      return json;
    };
    expect(names((await search('.TXT', '&sort=size')).items)).toEqual([
      'Größe.TXT',
      'b.txt',
      'sub/c.txt',
    ]);
    expect(names((await search('grosse')).items)).toEqual([]);
    expect(names((await search('GRÖ')).items)).toEqual(['Größe.TXT']);
    expect(names((await search('gro')).items)).toEqual(['Größe.TXT']);
    const page = await search('.txt', '&limit=2');
    const rest = await search('.txt', `&limit=2&cursor=${page.nextCursor}`);
    expect([...names(page.items), ...names(rest.items)]).toEqual([
      'Größe.TXT',
      'b.txt',
      'sub/c.txt',
    ]);
    expect((await api.call('GET', `${base}/search?text=`)).json.code).toBe('InvalidInput');
    expect((await api.call('GET', `${base}/objects?cursor=x.y`)).json.code).toBe('InvalidInput');
  });

  it('are renamed as a whole, with undo, and into another bucket', async () => {
    const api = await tokenClient(client);
    const [from, to] = [fresh(), fresh()];
    const large = 'large '.repeat(5000);
    await put(bucket, `${from}1`, large);
    await put(bucket, `${from}deep/2`, 'two');
    await put(bucket, `${to}deep/2`, 'in the way');
    const task = { kind: 'move', prefix: from, to };
    const job = await run(api, `${base}/jobs`, { ...task, conflict: 'keep-both' });
    expect(job).toMatchObject({ state: 'done', counts: { done: 2, conflicts: 0 }, canUndo: true });
    expect((await get(bucket, `${to}1`)).text).toBe(large);
    expect((await get(bucket, `${to}deep/2 (1)`)).text).toBe('two');
    expect((await get(bucket, `${from}1`)).status).toBe(404);
    expect(await run(api, `${base}/jobs/${job.id}/undo`)).toMatchObject({
      state: 'done',
      counts: { done: 2 },
    });
    expect([(await get(bucket, `${from}1`)).text, (await get(bucket, `${to}1`)).status]).toEqual([
      large,
      404,
    ]);
    const across = await run(api, `${base}/jobs`, { ...task, toBucket: other });
    expect(across).toMatchObject({ state: 'done', counts: { done: 2 } });
    expect([(await get(other, `${to}1`)).text, (await get(bucket, `${from}1`)).status]).toEqual([
      large,
      404,
    ]);
    const listed = (await api.call('GET', `${base}/jobs`)).json.items;
    expect(listed[0]).toMatchObject({ id: across.id, kind: 'move', toBucket: other });
  });

  it('are renamed for public readers too', async () => {
    const api = await tokenClient(client);
    const [from, to] = [fresh(), fresh()];
    const headers = { 'x-amz-acl': 'public-read' };
    await send({ method: 'PUT', bucket, key: `${from}page`, body: 'public', headers });
    const read = (folder: string) => anonymous({ method: 'GET', bucket, key: `${folder}page` });
    for (const _ of [1, 2]) expect((await read(from)).text).toBe('public');
    expect((await read(to)).status).not.toBe(200);
    await run(api, `${base}/jobs`, { kind: 'move', prefix: from, to });
    expect(
      (
        await eventually(
          () => read(to),
          ({ status }) => status === 200,
        )
      ).text,
    ).toBe('public');
    expect(
      (
        await eventually(
          () => read(from),
          ({ status }) => status !== 200,
        )
      ).status,
    ).not.toBe(200);
  });

  it('go to the trash, are restored, and go for good', async () => {
    const api = await tokenClient(client);
    const folder = fresh();
    const settings = `/buckets/${other}/trash/settings`;
    expect((await api.call('PUT', settings, { days: 30 })).json.code).toBe('PreconditionRequired');
    const seen = { 'if-match': (await api.call('GET', settings)).headers.etag ?? '' };
    expect((await api.call('PUT', settings, { days: 30 }, seen)).status).toBe(200);
    expect((await api.call('PUT', settings, { days: 3 }, seen)).json.code).toBe(
      'PreconditionFailed',
    );
    for (const name of ['1', '2', 'keep']) await put(other, folder + name, name);
    const path = `/buckets/${other}`;
    const { preview } = (await api.call('GET', `${path}/deletion-preview?prefix=${folder}`)).json;
    expect(preview).toMatchObject({ objects: 3, bytes: '6', goesToTrash: true, currency: 'USD' });
    const selection = { prefix: folder, keys: [`${folder}1`, `${folder}2`] };
    expect((await run(api, `${path}/jobs`, { kind: 'delete', ...selection })).counts.done).toBe(2);
    expect((await get(other, `${folder}1`)).status).toBe(404);
    const trash = async () =>
      (await api.call('GET', `${path}/trash?prefix=${folder}`)).json.items.map(
        ({ key, size }: { key: string; size: string }) => [key.slice(folder.length), size],
      );
    expect(await trash()).toEqual([
      ['1', '1'],
      ['2', '1'],
    ]);
    const newest = (
      await api.call('GET', `${path}/trash?prefix=${folder}&sort=deleted&order=desc&limit=1`)
    ).json;
    expect(newest).toMatchObject({ items: [{ size: '1' }], isComplete: true });
    const next =
      `${path}/trash?prefix=${folder}&sort=deleted&order=desc&` + `cursor=${newest.nextCursor}`;
    expect((await api.call('GET', next)).json.items).toHaveLength(1);
    const [{ noncurrent }] = (await api.call('GET', `${path}/totals`)).json.items;
    expect(noncurrent.objects).toBeGreaterThanOrEqual(2);
    await run(api, `${path}/jobs`, { kind: 'restore', prefix: folder, keys: [`${folder}1`] });
    expect((await get(other, `${folder}1`)).text).toBe('1');
    const former = await api.call('POST', `${path}/jobs`, { kind: 'purge', prefix: folder });
    expect(former.json.code).toBe('InvalidInput');
    await run(api, `${path}/jobs`, { kind: 'empty-trash', prefix: folder });
    expect(await trash()).toEqual([]);
    expect((await get(other, `${folder}2`)).status).toBe(404);
    expect((await api.call('GET', `${path}/trash/settings`)).json).toEqual({ days: 30 });
  });

  it('are nobody else’s, and refuse what can mean nothing', async () => {
    const api = await tokenClient(client);
    for (const path of ['objects', 'sizes', 'search?text=x', 'jobs', 'trash', 'deletion-preview']) {
      expect([path, (await apiClient(client).call('GET', `${base}/${path}`)).status]).toEqual([
        path,
        401,
      ]);
      expect([
        path,
        (await api.call('GET', `/buckets/no-such-bucket-here/${path}`)).json.code,
      ]).toEqual([path, 'NoSuchBucket']);
    }
    const wrong = [
      [{ kind: 'move', prefix: 'a/', to: 'a/' }, 'InvalidRequest'],
      [{ kind: 'move', prefix: 'a/', to: 'b/', toBucket: 'no-such-bucket-here' }, 'NoSuchBucket'],
      [{ kind: 'move', prefix: 'a/', to: 'b/', keys: ['b'] }, 'InvalidRequest'],
      [{ kind: 'explode', prefix: 'a/' }, 'InvalidInput'],
      [{ kind: 'delete' }, 'InvalidInput'],
      [{ kind: 'delete', prefix: 'a/', keys: [] }, 'InvalidInput'],
      [{ kind: 'delete', prefix: '\ud800' }, 'InvalidInput'],
    ] as const;
    for (const [body, code] of wrong) {
      expect([body, (await api.call('POST', `${base}/jobs`, body)).json.code]).toEqual([
        body,
        code,
      ]);
    }
    expect((await api.call('GET', `${base}/jobs/0`)).status).toBe(404);
    expect((await api.call('POST', `${base}/jobs/0/undo`)).status).toBe(404);
  });
});
