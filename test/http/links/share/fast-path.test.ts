// The fast path of share links: it answers exactly what the full path does, of links that nothing
// of a visitor matters to, and leaves all others alone.
import { beforeEach, describe, expect, it } from 'vitest';
import { createApp } from '../../../../src/app.ts';
import { parseConfig } from '../../../../src/config.ts';
import { changeShare, makeShare } from '../../../../src/core/links/share/change-share.ts';
import type { ShareInput } from '../../../../src/core/links/share/share-input.ts';
import type { ShareLink } from '../../../../src/domain/links/share-links.ts';
import type { PlainRead } from '../../../../src/http/delivery/fast-path/fast-path.ts';
import { NOBODY, SHARE_INPUT } from '../../../core/links/share-kit.ts';
import { createMemoryCore, openTestBucket, putBytes } from '../../../core/memory-core.ts';
import { makeRequest } from '../../s3/kit/make-request.ts';

const BYTES = new TextEncoder().encode('ten bytes!');

async function world() {
  const core = createMemoryCore();
  const config = parseConfig(
    {
      QUAYSIDE_ROOT_ACCESS_KEY: 'root-key',
      QUAYSIDE_ROOT_SECRET_KEY: 'root-secret',
      QUAYSIDE_COUNTRY_HEADER: 'x-country',
    },
    'node',
  );
  const app = createApp(core.ports, config, () => makeRequest({ target: '/' }));
  const bucket = await openTestBucket(core);
  for (const key of ['a/k', 'a/b/k']) await putBytes(core, bucket, key, BYTES);
  const target = { kind: 'object', key: 'a/k', versionId: null } as const;
  const make = (change: Partial<Parameters<typeof makeShare>[2]> = {}) =>
    makeShare(core, bucket, { ...SHARE_INPUT, target, ...change }, NOBODY);
  const readOf = (rawPath: string, headers: Record<string, string>, method: string): PlainRead => ({
    isHead: method === 'HEAD',
    rawPath,
    host: 'files.test',
    ifNoneMatch: headers['if-none-match'] ?? null,
    range: headers.range ?? null,
    header: (name) => headers[name] ?? null,
  });
  const full = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const request = makeRequest({
      method,
      target: path,
      headers: { host: 'files.test', ...headers },
    });
    const response = await app.fastPath.answerFully(request);
    const { 'x-amz-request-id': _id, ...shown } = Object.fromEntries(response.headers);
    return { status: response.status, headers: shown, body: await response.text() };
  };
  const fast = (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const response = app.fastPath.answer(readOf(path, headers, method));
    if (response === null) return null;
    const { kind } = response;
    if (kind === 'later' || kind === 'borrowed' || kind === 'document') return null;
    const body = response.body === null ? '' : new TextDecoder().decode(response.body);
    return { status: response.status, headers: { ...response.headers }, body };
  };
  const pathOf = ({ id }: ShareLink, rest = '') => `/-/s/${id}${rest}`;
  return { core, app, bucket, make, full, fast, pathOf };
}

describe('the fast path of share links', () => {
  let here: Awaited<ReturnType<typeof world>>;
  beforeEach(async () => {
    here = await world();
  });

  it('answers as the full path does, once memory knows the link', async () => {
    const { make, full, fast, pathOf } = here;
    const path = pathOf(await make());
    expect(fast(path)).toBeNull();
    expect((await full(path)).body).toBe('ten bytes!');
    const first = await full(path);
    expect(fast(path)).toEqual(first);
    expect(fast(path, {}, 'HEAD')).toEqual(await full(path, {}, 'HEAD'));
    const { etag = '' } = first.headers;
    const known = { 'if-none-match': etag };
    expect(fast(path, known)).toEqual(await full(path, known));
    expect([fast(path, known)?.status, first.headers['content-disposition']]).toEqual([
      304,
      'attachment; filename="k"',
    ]);
  });

  it('serves files of a folder too', async () => {
    const { make, full, fast, pathOf } = here;
    const path = pathOf(await make({ target: { kind: 'folder', prefix: 'a/' } }), '/b/k');
    await full(path);
    expect(fast(path)?.body).toBe('ten bytes!');
    expect(fast(`${path}/`)).toBeNull();
  });

  it('sees a change at once', async () => {
    const { core, bucket, make, full, fast, pathOf } = here;
    const link = await make();
    const path = pathOf(link);
    await full(path);
    expect(fast(path)?.status).toBe(200);
    await changeShare(core, bucket, { id: link.id, change: { isRevoked: true } }, NOBODY);
    expect([fast(path), (await full(path)).status]).toEqual([null, 410]);
    await changeShare(core, bucket, { id: link.id, change: { isRevoked: false } }, NOBODY);
    await full(path);
    expect(fast(path)?.status).toBe(200);
    await putBytes(core, bucket, 'a/k', new TextEncoder().encode('others'));
    expect([(await full(path)).body, fast(path)?.body]).toEqual(['others', 'others']);
  });

  it('ends with its time', async () => {
    const { core, make, full, fast, pathOf } = here;
    const path = pathOf(await make({ expiresAtMs: core.ports.clock.nowMs() + 1000 }));
    await full(path);
    expect(fast(path)?.status).toBe(200);
    core.advanceSeconds(1);
    expect([fast(path), (await full(path)).status]).toEqual([null, 410]);
  });

  it.each<[string, Partial<ShareInput>]>([
    ['downloads', { limits: { downloads: 5, bytes: null, moneyMicro: null } }],
    ['bytes', { limits: { downloads: null, bytes: 500, moneyMicro: null } }],
    ['a password', { password: 'a password' }],
    ['addresses', { audience: { addresses: ['192.0.2.0/24'], countries: null } }],
    ['countries', { audience: { addresses: null, countries: ['CH'] } }],
  ])('leaves links with %s to the full path', async (_, change) => {
    const { make, full, fast, pathOf } = here;
    const path = pathOf(await make(change));
    await full(path);
    await full(path);
    expect(fast(path)).toBeNull();
  });

  it('leaves people and previews to the full path', async () => {
    const { make, full, fast, pathOf } = here;
    const path = pathOf(await make());
    await full(path);
    expect(fast(path, { accept: 'text/html,*/*;q=0.8' })).toBeNull();
    expect(fast(path, { accept: '*/*', 'user-agent': 'Twitterbot/1.0' })).toBeNull();
    expect(fast(path, { accept: '*/*', 'user-agent': 'curl/8' })?.status).toBe(200);
  });

  it('is counted with the full path, by day, referrer, country and label', async () => {
    const { app, core, bucket, make, full, fast, pathOf } = here;
    const link = await make();
    await full(pathOf(link), { referer: 'https://news.example/x?y', 'x-country': 'CH' });
    fast(pathOf(link), { referer: 'https://news.example/', 'x-country': 'CH' });
    fast(pathOf(link), {}, 'HEAD');
    await core.settle();
    await app.usage.flush();
    const days = await bucket.call('listShareDays', {
      id: link.id,
      fromDayMs: 0,
      before: null,
      limit: 10,
    });
    expect(days).toMatchObject([
      {
        ...{ started: 2, completed: 2, aborted: 0, bytes: 20 },
        ...{ referrers: { 'news.example': 2 }, countries: { CH: 2 } },
      },
    ]);
  });
});

describe('a cold share link', () => {
  it('costs one read of the index for a thousand readers at once', async () => {
    const { core, make, pathOf } = await world();
    const link = await make();
    const calls = new Map<string, number>();
    const metadataIndex: typeof core.ports.metadataIndex = {
      ...core.ports.metadataIndex,
      call(bucket, name, input) {
        calls.set(name, (calls.get(name) ?? 0) + 1);
        return core.ports.metadataIndex.call(bucket, name, input);
      },
    };
    const config = parseConfig(
      { QUAYSIDE_ROOT_ACCESS_KEY: 'root-key', QUAYSIDE_ROOT_SECRET_KEY: 'root-secret' },
      'node',
    );
    const app = createApp({ ...core.ports, metadataIndex }, config, () =>
      makeRequest({ target: '/' }),
    );
    const all = await Promise.all(
      Array.from({ length: 1000 }, async () => {
        const response = await app.fastPath.answerFully(makeRequest({ target: pathOf(link) }));
        return response.status;
      }),
    );
    expect(new Set(all)).toEqual(new Set([200]));
    expect([calls.get('findShareLink'), calls.get('resolve')]).toEqual([1, 1]);
  });
});
