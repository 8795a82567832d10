// Jobs over many keys, as the JSON API starts, lists and undoes them: what each kind does on both
// platforms, beyond the moves of test/wire/s3/names.test.ts.
import { expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { freshBucketName } from '../kit/clients/client.ts';
import { type ApiClient, tokenClient } from '../kit/clients/json-api.ts';
import { client, describeCore } from '../kit/clients/suite.ts';

const { send } = client;
const fresh = () => `jobs-${crypto.randomUUID().slice(0, 8)}/`;

async function put(
  bucket: string,
  key: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  expect((await send({ method: 'PUT', bucket, key, body, headers })).status).toBe(200);
}
const get = (bucket: string, key: string) => send({ method: 'GET', bucket, key });
const textAt = async (bucket: string, key: string) => {
  const { status, text } = await get(bucket, key);
  return status === 200 ? text : status;
};

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

describeCore('jobs by JSON', () => {
  const bucket = useBucket(client);
  const other = useBucket(client);
  const base = `/buckets/${bucket}`;

  it('are listed over all buckets, newest first, in pages and by state', async () => {
    const api = await tokenClient(client);
    const folder = fresh();
    const here = await run(api, `${base}/jobs`, { kind: 'delete', prefix: folder });
    const there = await run(api, `/buckets/${other}/jobs`, { kind: 'delete', prefix: folder });
    expect(here.finishedAt).toBe(here.updatedAt);
    // The end of a job is noted behind it: a list of all asks where that is missing.
    const all = (await api.call('GET', '/jobs')).json.items;
    expect(all.slice(0, 2).map(({ id }: { id: string }) => id)).toEqual([there.id, here.id]);
    const first = (await api.call('GET', '/jobs?limit=1&state=done')).json;
    expect(first.items).toMatchObject([{ id: there.id, bucket: other, state: 'done' }]);
    const rest = await api.call('GET', `/jobs?limit=1&state=done&cursor=${first.nextCursor}`);
    expect(rest.json.items).toMatchObject([{ id: here.id, bucket, startedBy: here.startedBy }]);
    const running = (await api.call('GET', '/jobs?state=running')).json.items;
    expect(running.map(({ id }: { id: string }) => id)).not.toContain(here.id);
    expect((await api.call('GET', '/jobs?state=asleep')).json.code).toBe('InvalidInput');
  });

  it('copy what is selected, here and into another bucket, and take that back', async () => {
    const api = await tokenClient(client);
    const folder = fresh();
    const large = 'large '.repeat(5000);
    const metadata = { 'x-amz-meta-kind': 'photo', 'content-type': 'image/png' };
    await put(bucket, `${folder}from/a`, large, metadata);
    await put(bucket, `${folder}from/a/1`, 'one');
    await put(bucket, `${folder}from/b/1`, 'two');
    await put(bucket, `${folder}to/b/1`, 'in the way');
    const task = {
      kind: 'copy',
      prefix: `${folder}from/`,
      keys: [`${folder}from/a`, `${folder}from/none`],
      prefixes: [`${folder}from/b/`],
      to: `${folder}to/`,
    };
    const job = await run(api, `${base}/jobs`, task);
    expect(job).toMatchObject({
      state: 'done',
      listed: { keys: 2, prefixes: 1 },
      total: 3,
      counts: { done: 1, conflicts: 1, missing: 1 },
      canUndo: true,
    });
    const failures = (await api.call('GET', `${base}/jobs/${job.id}/failures`)).json.items;
    expect(failures).toEqual([
      { key: `${folder}from/none`, reason: 'missing' },
      { key: `${folder}from/b/1`, reason: 'conflict' },
    ]);
    const copy = await get(bucket, `${folder}to/a`);
    expect([copy.text === large, copy.headers['x-amz-meta-kind']]).toEqual([true, 'photo']);
    expect(await textAt(bucket, `${folder}from/a`)).toBe(large);
    expect(await textAt(bucket, `${folder}to/a/1`)).toBe(404);
    await run(api, `${base}/jobs/${job.id}/undo`);
    expect(await textAt(bucket, `${folder}to/a`)).toBe(404);
    expect(await textAt(bucket, `${folder}to/b/1`)).toBe('in the way');

    const across = await run(api, `${base}/jobs`, { ...task, toBucket: other });
    expect(across.counts).toMatchObject({ done: 2, conflicts: 0, missing: 1 });
    expect(await textAt(other, `${folder}to/a`)).toBe(large);
    expect(await textAt(other, `${folder}to/b/1`)).toBe('two');
    expect(await textAt(bucket, `${folder}from/b/1`)).toBe('two');
    const undone = await run(api, `${base}/jobs/${across.id}/undo`);
    expect(undone).toMatchObject({ toBucket: null, undoes: across.id, counts: { done: 2 } });
    expect(await textAt(other, `${folder}to/a`)).toBe(404);
  });

  it('take thousands of listed keys, and say which lists are none', async () => {
    const api = await tokenClient(client);
    const folder = fresh();
    const keys = Array.from({ length: 2100 }, (_, at) => `${folder}${at}`);
    await put(bucket, keys[2050] as string, 'there');
    const job = await run(api, `${base}/jobs`, { kind: 'delete', prefix: folder, keys });
    expect(job).toMatchObject({ listed: { keys: 2100 }, counts: { done: 1, missing: 2099 } });
    const failures = (await api.call('GET', `${base}/jobs/${job.id}/failures`)).json.items;
    expect(failures).toHaveLength(100);
    const refused = async (body: object) =>
      (await api.call('POST', `${base}/jobs`, { kind: 'delete', prefix: folder, ...body })).json
        .code;
    expect(await refused({ prefixes: ['elsewhere/'] })).toBe('InvalidRequest');
    expect(await refused({ prefixes: [] })).toBe('InvalidInput');
    const many = Array.from({ length: 10_001 }, (_, at) => `${at}`);
    expect(await refused({ prefix: '', keys: many })).toBe('InvalidInput');
  });

  it('rename by a pattern what a preview shows, and take that back', async () => {
    const api = await tokenClient(client);
    const folder = fresh();
    for (const name of ['IMG_1.jpeg', 'IMG_2.jpeg', 'note.txt'])
      await put(bucket, folder + name, name);
    await put(bucket, `${folder}sea-002.jpg`, 'in the way');
    const pattern = { find: 'IMG_*.jpeg', replace: 'sea-00$1.jpg' };
    const task = { prefix: folder, pattern };
    const preview = (await api.call('POST', `${base}/rename-preview`, task)).json;
    expect(preview).toEqual({
      total: 2,
      names: [
        { key: `${folder}IMG_1.jpeg`, toKey: `${folder}sea-001.jpg`, clash: null },
        { key: `${folder}IMG_2.jpeg`, toKey: `${folder}sea-002.jpg`, clash: 'taken' },
      ],
    });
    const job = await run(api, `${base}/jobs`, { kind: 'rename', ...task });
    expect(job).toMatchObject({ kind: 'rename', counts: { done: 1, conflicts: 1 } });
    expect(await textAt(bucket, `${folder}sea-001.jpg`)).toBe('IMG_1.jpeg');
    expect(await textAt(bucket, `${folder}sea-002.jpg`)).toBe('in the way');
    await run(api, `${base}/jobs/${job.id}/undo`);
    expect(await textAt(bucket, `${folder}IMG_1.jpeg`)).toBe('IMG_1.jpeg');
    const nothing = { ...task, pattern: { find: 'absent', replace: 'x' } };
    const refused = await api.call('POST', `${base}/jobs`, { kind: 'rename', ...nothing });
    expect(refused.json.code).toBe('InvalidRequest');
  });

  it('change headers, metadata and tags of many, and put the old ones back', async () => {
    const api = await tokenClient(client);
    const folder = fresh();
    const before = { 'content-type': 'image/png', 'x-amz-meta-kind': 'photo' };
    for (const name of ['a', 'b']) await put(bucket, folder + name, 'x'.repeat(20_000), before);
    const change = {
      contentType: 'text/plain',
      cacheControl: 'no-cache',
      metadata: { kind: null, artist: 'Zoë' },
      tags: { year: '2026' },
      storageClass: 'STANDARD_IA',
    };
    const task = { kind: 'edit', prefix: folder, change };
    const job = await run(api, `${base}/jobs`, task);
    expect(job).toMatchObject({ kind: 'edit', counts: { done: 2 }, totalBytes: '40000' });
    const path = `${base}/object?key=${encodeURIComponent(`${folder}b`)}`;
    expect((await api.call('GET', path)).json).toMatchObject({
      contentType: 'text/plain',
      cacheControl: 'no-cache',
      metadata: { artist: 'Zoë' },
      tags: { year: '2026' },
      storageClass: 'STANDARD_IA',
      size: '20000',
    });
    expect(await textAt(bucket, `${folder}b`)).toBe('x'.repeat(20_000));
    await run(api, `${base}/jobs/${job.id}/undo`);
    expect((await api.call('GET', path)).json).toMatchObject({
      contentType: 'image/png',
      cacheControl: null,
      metadata: { kind: 'photo' },
      tags: {},
      storageClass: 'STANDARD',
    });
    const refused = async (wrong: object) =>
      (await api.call('POST', `${base}/jobs`, { ...task, change: wrong })).json.code;
    expect(await refused({})).toBe('InvalidRequest');
    expect(await refused({ storageClass: 'TAPE' })).toBe('InvalidStorageClass');
    expect(await refused({ tags: { 'aws:x': '1' } })).toBe('InvalidTag');
  });

  it('lock many versions, never shorter without the bypass, and take that back', async () => {
    const api = await tokenClient(client);
    const locked = await api.call('POST', '/buckets', { name: freshBucketName() });
    const path = `/buckets/${locked.json.name}`;
    await api.call('PATCH', path, { versioning: 'enabled', objectLock: {} }, { 'if-match': '*' });
    for (const name of ['a', 'b']) await put(locked.json.name, name, name);
    const start = (change: object) => ({ kind: 'edit', prefix: '', change });
    const facts = async (name: string) => {
      const { retention, legalHold } = (await api.call('GET', `${path}/object?key=${name}`)).json;
      return { retention, legalHold };
    };

    const plain = await api.call('POST', `${base}/jobs`, start({ legalHold: true }));
    expect(plain.json).toMatchObject({ code: 'InvalidRequest' });
    const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
    const [long, short] = [inHours(2), inHours(1)].map((until) => ({ mode: 'GOVERNANCE', until }));
    const job = await run(api, `${path}/jobs`, start({ retention: long, legalHold: true }));
    expect(job).toMatchObject({ counts: { done: 2, locked: 0 }, canUndo: true });
    expect(await facts('a')).toEqual({ retention: long, legalHold: true });

    const refused = await run(api, `${path}/jobs`, start({ retention: short }));
    expect(refused.counts).toMatchObject({ done: 0, locked: 2 });
    const { json } = await api.call('GET', `${path}/jobs/${refused.id}/failures`);
    expect(json.items).toContainEqual({ key: 'a', reason: 'locked' });
    const undone = await run(api, `${path}/jobs/${job.id}/undo`);
    expect(undone.counts).toMatchObject({ done: 0, locked: 2 });
    await run(api, `${path}/jobs/${job.id}/undo?bypassGovernance=1`);
    expect(await facts('b')).toEqual({ retention: null, legalHold: false });
    const empty = { kind: 'empty', allVersions: true, confirm: locked.json.name };
    expect((await run(api, `${path}/jobs`, empty)).counts).toMatchObject({ done: 2 });
    await client.send({ method: 'DELETE', bucket: locked.json.name });
  });

  it('empty a bucket of all versions, once its name is repeated', async () => {
    const api = await tokenClient(client);
    const path = `/buckets/${other}/jobs`;
    await api.call('PUT', `/buckets/${other}/trash/settings`, { days: 7 });
    for (const body of ['one', 'two']) await put(other, 'erased', body);
    await run(api, path, { kind: 'delete', prefix: 'erased' });
    await put(other, 'erased', 'three');
    const wrong = { kind: 'empty', allVersions: true, confirm: bucket };
    expect((await api.call('POST', path, wrong)).json.code).toBe('InvalidRequest');
    const job = await run(api, path, { ...wrong, confirm: other });
    expect(job).toMatchObject({ kind: 'empty', state: 'done', canUndo: false });
    const versions = await send({ method: 'GET', bucket: other, query: { versions: '' } });
    expect([versions.status, /<Version>|<DeleteMarker>/.test(versions.text)]).toEqual([200, false]);
  });
});
