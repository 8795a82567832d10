// What the lists of the JSON API hold, in each of their orders: a table of queries and answers, and
// each list read page by page, in steps of any size, as it is read at once.
import { beforeAll, describe, expect, it } from 'vitest';
import { deleteObjects } from '../../../src/core/objects/delete-objects.ts';
import { openBucket } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { parseBucketName } from '../../../src/core/parse-names.ts';
import { key, putBytes, sampleBytes } from '../../core/memory-core.ts';
import { putPart, startUpload } from '../../core/multipart-kit.ts';
import { startMemoryApi } from '../memory-api.ts';

const api = await startMemoryApi();
const BUCKET = '/buckets/lists';

async function call(method: string, path: string, body: object | null = null) {
  const headers = {
    ...(body === null ? {} : { 'content-type': 'application/json' }),
    ...(method === 'GET' ? {} : { 'if-match': '*' }),
  };
  const text = body === null ? null : JSON.stringify(body);
  const reply = await api.send({ method, path, headers, body: text });
  expect([path, reply.status < 300, reply.json]).toEqual([path, true, reply.json]);
  return reply.json;
}
const get = (path: string, query: Readonly<Record<string, string | number>> = {}) =>
  call('GET', `${path}?${new URLSearchParams(Object.entries(query).map(([k, v]) => [k, `${v}`]))}`);

const handle = (name = 'lists') => openBucket(api.core, parseBucketName(name), () => undefined);

/** Sizes by key, in the order in which they are stored; two versions of the last. */
const OBJECTS: readonly (readonly [string, number])[] = [
  ['d.jpg', 5],
  ['a.txt', 3],
  ['b/1', 7],
  ['c.TXT', 40],
  ['b/10', 9],
  ['e', 1],
  ['b/1', 8],
];
const DELETED: readonly (readonly [string, number])[] = [
  ['old/y', 2],
  ['old/x', 6],
  ['old/z', 4],
];

beforeAll(async () => {
  await call('POST', '/buckets', { name: 'lists' });
  await call('PATCH', BUCKET, { versioning: 'enabled' });
  const bucket = await handle();
  for (const [name, size] of [...OBJECTS, ...DELETED]) {
    api.core.advanceSeconds(10);
    await putBytes(api.core, bucket, name, sampleBytes(size));
  }
  for (const [name] of DELETED.toReversed()) {
    api.core.advanceSeconds(10);
    await deleteObjects(api.core, bucket, [{ key: key(name) }]);
  }
  const upload = await startUpload(api.core, bucket, 'u/half');
  await putPart(api.core, bucket, upload, 1, sampleBytes(11));
});

type Entry = { readonly key?: string; readonly prefix?: string };
const nameOf = ({ key, prefix }: Entry) => key ?? prefix;
const namesOf = ({ items }: { readonly items: readonly Entry[] }) => items.map(nameOf);

/** All pages of a list, in steps. */
async function paged(path: string, query: object, limit: number): Promise<unknown[]> {
  const items: unknown[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: { items: unknown[]; nextCursor: string | null } = await get(path, {
      ...query,
      limit,
      ...(cursor === '' ? {} : { cursor }),
    });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    // A page that ends nothing is full.
    if (page.nextCursor !== null) expect(page.items).toHaveLength(limit);
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return items;
}

describe('a folder', () => {
  const whole = { isComplete: true, sortIsExact: true, totalIsExact: true, nextCursor: null };
  const all = ['a.txt', 'b/', 'c.TXT', 'd.jpg', 'e'];

  it.each<[Readonly<Record<string, string | number>>, readonly string[], object]>([
    [{}, all, { total: 5, rank: 0 }],
    [{ order: 'desc' }, all.toReversed(), { total: 5, rank: 0 }],
    [{ prefix: 'b/' }, ['b/1', 'b/10'], { total: 2, rank: 0 }],
    [{ delimiter: '' }, ['a.txt', 'b/1', 'b/10', 'c.TXT', 'd.jpg', 'e'], { total: 6, rank: 0 }],
    [{ prefix: 'nothing/' }, [], { total: 0, rank: 0 }],
    [{ at: 2 }, ['c.TXT', 'd.jpg', 'e'], { total: 5, rank: 2 }],
    [{ at: 4 }, ['e'], { total: 5, rank: 4 }],
    [{ at: 5 }, [], { total: 5, rank: 5 }],
    [{ at: 1, order: 'desc' }, ['d.jpg', 'c.TXT', 'b/', 'a.txt'], { total: 5, rank: 1 }],
    [{ from: 'c' }, ['c.TXT', 'd.jpg', 'e'], { total: 5, rank: 2 }],
    [{ from: 'd.jpg' }, ['d.jpg', 'e'], { total: 5, rank: 3 }],
    [{ from: 'd.jpg', order: 'desc' }, ['d.jpg', 'c.TXT', 'b/', 'a.txt'], { total: 5, rank: 1 }],
    [{ from: 'd', order: 'desc' }, ['c.TXT', 'b/', 'a.txt'], { total: 5, rank: 2 }],
    [{ from: 'z' }, [], { total: 5, rank: 5 }],
    [{ sort: 'size' }, ['b/', 'e', 'a.txt', 'd.jpg', 'c.TXT'], { total: 5, rank: 0 }],
    [
      { sort: 'size', order: 'desc' },
      ['b/', 'c.TXT', 'd.jpg', 'a.txt', 'e'],
      { total: 5, rank: 0 },
    ],
    [{ sort: 'modified' }, ['b/', 'd.jpg', 'a.txt', 'c.TXT', 'e'], { total: 5, rank: 0 }],
    [{ sort: 'size', at: 3 }, ['d.jpg', 'c.TXT'], { total: 5, rank: 3 }],
    [{ sort: 'modified', delimiter: '', prefix: 'b/' }, ['b/10', 'b/1'], { total: 2, rank: 0 }],
  ])('with %j has %j', async (query, names, place) => {
    const page = await get(`${BUCKET}/objects`, query);
    expect(namesOf(page)).toEqual(names);
    expect(page).toMatchObject({ ...whole, ...place });
  });

  it('by type has what has none, then each type whatever its case', async () => {
    expect(namesOf(await get(`${BUCKET}/objects`, { sort: 'type' }))).toEqual(
      expect.arrayContaining(all),
    );
    const names = namesOf(await get(`${BUCKET}/objects`, { sort: 'type', order: 'desc' }));
    expect(names.indexOf('a.txt') - names.indexOf('c.TXT')).toBeOneOf([1, -1]);
  });

  it.each(
    ['name', 'size', 'modified', 'type'].flatMap((sort) =>
      ['asc', 'desc'].flatMap((order) => [1, 2, 3, 4, 5].map((limit) => [sort, order, limit])),
    ),
  )('by %s, %s, is the same in pages of %d', async (sort, order, limit) => {
    const query = { sort, order } as const;
    const { items } = await get(`${BUCKET}/objects`, query as never);
    expect(await paged(`${BUCKET}/objects`, query, Number(limit))).toEqual(items);
  });

  it.each([
    [{ at: '1', from: 'a' }, 'Send one of cursor, at and from.'],
    [{ from: 'a', sort: 'size' }, 'from needs a folder sorted by name.'],
    [{ at: '10000', sort: 'size' }, 'at is up to 10000 less the limit'],
  ])('can’t begin at %j', async (query, detail) => {
    const search = new URLSearchParams(query as Record<string, string>);
    const reply = await api.send({
      method: 'GET',
      path: `${BUCKET}/objects?${search}`,
      headers: {},
      body: null,
    });
    expect([reply.status, reply.json.code]).toEqual([400, 'InvalidInput']);
    expect(reply.json.detail).toContain(detail);
  });
});

describe('readers of a folder', () => {
  const readers = async (prefix = '') => {
    const { items } = await get(`${BUCKET}/objects`, { prefix, include: 'readers' });
    return Object.fromEntries(
      items.map((item: Entry & { readers: string | null }) => [nameOf(item), item.readers]),
    );
  };
  const setPolicy = (resources: readonly string[], Condition?: object) =>
    call('PATCH', BUCKET, {
      policy: {
        Version: '2012-10-17',
        Statement: {
          Effect: 'Allow',
          Principal: '*',
          Action: 's3:GetObject',
          Resource: resources.map((name) => `arn:aws:s3:::lists/${name}`),
          ...(Condition === undefined ? {} : { Condition }),
        },
      },
    });
  const nobody = { 'a.txt': null, 'b/': null, 'c.TXT': null, 'd.jpg': null, e: null };

  it('are nobody at first', async () => {
    expect(await readers()).toEqual(nobody);
  });

  it('are everyone, or everyone in part, as the policy says', async () => {
    await setPolicy(['b/*']);
    expect(await readers()).toEqual({ ...nobody, 'b/': 'everyone' });
    expect(await readers('b/')).toEqual({ 'b/1': 'everyone', 'b/10': 'everyone' });
    await setPolicy(['b/1', 'e']);
    expect(await readers()).toEqual({ ...nobody, 'b/': 'part', e: 'everyone' });
    expect(await readers('b/')).toEqual({ 'b/1': 'everyone', 'b/10': null });
    await setPolicy(['a.txt', 'b/*'], { IpAddress: { 'aws:SourceIp': '192.0.2.0/24' } });
    expect(await readers()).toEqual({ ...nobody, 'a.txt': 'part', 'b/': 'part' });
  });
});

describe('the trash', () => {
  const TRASH = `${BUCKET}/trash`;

  it.each<[Readonly<Record<string, string>>, readonly string[]]>([
    [{}, ['old/x', 'old/y', 'old/z']],
    [{ order: 'desc' }, ['old/z', 'old/y', 'old/x']],
    [{ sort: 'size' }, ['old/y', 'old/z', 'old/x']],
    [{ sort: 'size', order: 'desc' }, ['old/x', 'old/z', 'old/y']],
    [{ sort: 'deleted' }, ['old/z', 'old/x', 'old/y']],
    [{ sort: 'deleted', order: 'desc' }, ['old/y', 'old/x', 'old/z']],
    [{ prefix: 'old/y' }, ['old/y']],
    [{ prefix: 'b/' }, []],
  ])('with %j has %j', async (query, names) => {
    const page = await get(TRASH, query);
    expect(namesOf(page)).toEqual(names);
    expect(page).toMatchObject({ nextCursor: null, isComplete: true });
    for (const limit of [1, 2, 3]) expect(await paged(TRASH, query, limit)).toEqual(page.items);
  });

  it('says what would come back', async () => {
    const { items } = await get(TRASH);
    expect(items.map(({ size }: { size: string }) => size)).toEqual(['6', '2', '4']);
    for (const item of items) {
      expect(item.etag).toMatch(/^[0-9a-f]{32}$/);
      expect(Date.parse(item.lastModified)).toBeLessThan(Date.parse(item.deletedAt));
    }
  });
});

describe('versions', () => {
  const VERSIONS = `${BUCKET}/versions`;
  type Version = { key: string; isLatest: boolean; isDeleteMarker: boolean; size: string };
  const shown = ({ items }: { items: readonly Version[] }) =>
    items.map(({ key, isLatest, isDeleteMarker, size }) => [
      key,
      isLatest,
      isDeleteMarker ? 'marker' : size,
    ]);

  it('are all, of each key the latest first', async () => {
    const page = await get(VERSIONS);
    expect(shown(page)).toEqual([
      ['a.txt', true, '3'],
      ['b/1', true, '8'],
      ['b/1', false, '7'],
      ['b/10', true, '9'],
      ['c.TXT', true, '40'],
      ['d.jpg', true, '5'],
      ['e', true, '1'],
      ...['x', 'y', 'z'].flatMap((name) => [
        [`old/${name}`, true, 'marker'],
        [`old/${name}`, false, `${DELETED.find(([key]) => key === `old/${name}`)?.[1]}`],
      ]),
    ]);
    expect(page.nextCursor).toBe(null);
    expect(page.items[1].replacedAt).toBe(null);
    expect(page.items[2].replacedAt).toBe(page.items[1].lastModified);
    for (const limit of [1, 2, 3, 5]) expect(await paged(VERSIONS, {}, limit)).toEqual(page.items);
  });

  it('of one key are its own, not those of a longer one', async () => {
    const page = await get(VERSIONS, { key: 'b/1' });
    expect(shown(page)).toEqual([
      ['b/1', true, '8'],
      ['b/1', false, '7'],
    ]);
    for (const limit of [1, 2, 3]) {
      const first = await get(VERSIONS, { key: 'b/1', limit });
      expect(first.items).toEqual(page.items.slice(0, limit));
      expect(first.nextCursor === null).toBe(limit > 2);
    }
    expect(shown(await get(VERSIONS, { key: 'nothing' }))).toEqual([]);
  });
});

describe('a preview of lifecycle', () => {
  it('names what goes, is hidden or moves, and why', async () => {
    const filter = (prefix: string) => ({ prefix });
    await call('PATCH', BUCKET, {
      lifecycle: [
        { id: 'hide', filter: filter('a'), expiration: { days: 1 } },
        { id: 'drop', filter: filter('b/'), noncurrentExpiration: { noncurrentDays: 1 } },
        {
          id: 'move',
          filter: { prefix: 'c', sizeGreaterThan: 1 },
          transitions: [{ days: 30, storageClass: 'STANDARD_IA' }],
        },
        { id: 'abort', filter: filter('u/'), abortUploadsAfterDays: 1 },
      ],
    });
    const at = new Date(api.core.ports.clock.nowMs() + 40 * 86_400_000).toISOString();
    const items = await pagesOfPreview(at);
    const versions: { key: string; versionId: string; size: string }[] = (
      await get(`${BUCKET}/versions`)
    ).items;
    const versionOf = (key: string, size: string) =>
      versions.find((version) => version.key === key && version.size === size)?.versionId;
    expect(items).toEqual([
      due('expire', 'a.txt', 'current', 'hide', '3', versionOf('a.txt', '3')),
      {
        ...due('transition', 'c.TXT', 'current', 'move', '40', versionOf('c.TXT', '40')),
        toStorageClass: 'STANDARD_IA',
      },
      due('remove', 'b/1', 'noncurrent', 'drop', '7', versionOf('b/1', '7')),
      {
        ...due('abort', 'u/half', 'upload', 'abort', null, null),
        uploadId: expect.stringMatching(/./),
        storageClass: null,
      },
    ]);
  });

  const due = (
    action: string,
    key: string,
    subject: string,
    ruleId: string,
    size: string | null,
    versionId: string | null | undefined,
  ) => ({
    action,
    subject,
    key,
    ruleId,
    versionId,
    uploadId: null,
    size,
    storageClass: 'STANDARD',
    toStorageClass: null,
  });

  async function pagesOfPreview(at: string): Promise<unknown[]> {
    const items: unknown[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: Record<string, string> = cursor === '' ? { at } : { at, cursor };
      const page = await get(`${BUCKET}/lifecycle-preview`, query);
      expect(page.at).toBe(at);
      items.push(...page.items);
      cursor = page.nextCursor;
    }
    return items;
  }
});

describe('buckets with totals', () => {
  it('say what is stored of each kind, and what a month of it costs', async () => {
    const { items } = await get('/buckets', { prefix: 'lists', include: 'totals' });
    expect(items).toEqual([
      {
        name: 'lists',
        createdAt: expect.any(String),
        totals: {
          publicAccess: expect.anything(),
          versioning: 'enabled',
          current: { objects: 6, bytes: '66' },
          noncurrent: { objects: expect.any(Number), bytes: '19' },
          uploads: { objects: 1, bytes: '11' },
          perMonthMicro: expect.stringMatching(/^\d+$/),
          currency: 'USD',
        },
      },
    ]);
    const bare = await get('/buckets', { prefix: 'lists' });
    expect(bare.items).toEqual([{ name: 'lists', createdAt: expect.any(String) }]);
  });
});
