// What a share link gives to strangers beside its files: its logo, and what is shown in place.
import { beforeEach, describe, expect, it } from 'vitest';
import { createApp } from '../../../../src/app.ts';
import { parseConfig } from '../../../../src/config.ts';
import { makeShare } from '../../../../src/core/links/share/change-share.ts';
import type { ShareInput } from '../../../../src/core/links/share/share-input.ts';
import { LINK_LOGO_MAX_BYTES } from '../../../../src/domain/links/link-limits.ts';
import { NOBODY, SHARE_INPUT } from '../../../core/links/share-kit.ts';
import { createMemoryCore, openTestBucket, putBytes } from '../../../core/memory-core.ts';
import { makeRequest } from '../../s3/kit/make-request.ts';

async function world() {
  const core = createMemoryCore();
  const config = parseConfig(
    { QUAYSIDE_ROOT_ACCESS_KEY: 'root-key', QUAYSIDE_ROOT_SECRET_KEY: 'root-secret' },
    'node',
  );
  const app = createApp(core.ports, config, () => makeRequest({ target: '/' }));
  const bucket = await openTestBucket(core);
  const put = (key: string, bytes: Uint8Array) => putBytes(core, bucket, key, bytes);
  await put('a/k', new TextEncoder().encode('ten bytes!'));
  const target = { kind: 'folder', prefix: 'a/' } as const;
  const open = async (
    change: Partial<ShareInput>,
    rest: string,
    method = 'GET',
    more: Readonly<Record<string, string>> = {},
  ) => {
    const { id } = await makeShare(core, bucket, { ...SHARE_INPUT, target, ...change }, NOBODY);
    const headers = { host: 'files.test', ...more };
    return app.fastPath.answerFully(makeRequest({ method, target: `/-/s/${id}${rest}`, headers }));
  };
  return { put, open };
}

describe('a share link', () => {
  let here: Awaited<ReturnType<typeof world>>;
  beforeEach(async () => {
    here = await world();
  });

  it('shows a logo of 1 MiB, and none that is larger: it counts against no limit', async () => {
    const { put, open } = here;
    const page = { ...SHARE_INPUT.page, logoKey: 'logo.png' };
    const limits = { downloads: 1, bytes: 5, moneyMicro: null };
    await put('logo.png', new Uint8Array(LINK_LOGO_MAX_BYTES));
    const shown = await open({ page, limits }, '?logo=1');
    expect([shown.status, (await shown.arrayBuffer()).byteLength]).toEqual([
      200,
      LINK_LOGO_MAX_BYTES,
    ]);
    await put('logo.png', new Uint8Array(LINK_LOGO_MAX_BYTES + 1));
    for (const method of ['GET', 'HEAD'])
      expect((await open({ page, limits }, '?logo=1', method)).status).toBe(404);
    expect((await open({ page: { ...page, logoKey: 'gone' } }, '?logo=1')).status).toBe(404);
  });

  it('shows files that run nothing and load nothing from elsewhere', async () => {
    const reply = await here.open({}, '/k?show=1');
    expect([reply.status, reply.headers.get('content-disposition')]).toEqual([
      200,
      'inline; filename="k"',
    ]);
    const policy = reply.headers.get('content-security-policy')?.split('; ') ?? [];
    expect(policy).toEqual(expect.arrayContaining(['sandbox', "default-src 'none'"]));
    const sources = policy.flatMap((directive) => directive.split(' ').slice(1));
    expect(new Set(sources)).toEqual(new Set(["'none'", "'self'", 'data:', "'unsafe-inline'"]));
  });

  it('gives no script of a service worker, which would act on the whole origin', async () => {
    const script = { 'service-worker': 'script' };
    for (const rest of ['/k', '/k?show=1'])
      expect((await here.open({}, rest, 'GET', script)).status).toBe(403);
  });
});
