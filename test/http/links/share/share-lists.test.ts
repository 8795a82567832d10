// What share links say and list: pages of long lists, what counts, and how a terminal gives the
// password.
import { expect, it } from 'vitest';
import { addLabel, revokeBelow } from '../../../../src/core/links/share/change-share.ts';
import { LINK_PAGE_FILES } from '../../../../src/domain/links/link-limits.ts';
import { putBytes } from '../../../core/memory-core.ts';
import { addShare, createLinkApp, type LinkApp } from '../kit/link-app.ts';

const NOBODY = { memberId: null, accessKeyId: null };
const BROWSER = { accept: 'text/html,*/*;q=0.8' };
const COUNT = 2 * LINK_PAGE_FILES + 50;
const nameOf = (at: number) => `${String(at).padStart(4, '0')}.txt`;
const NAMES = Array.from({ length: COUNT }, (_, at) => nameOf(at));

async function openFull(): Promise<LinkApp> {
  const app = await createLinkApp();
  for (const name of NAMES)
    await putBytes(app.core, app.bucket, `z/sub/${name}`, new Uint8Array([1]));
  return app;
}

/** The names on each page, from the first one on; each by the link that leads there. */
async function pagesFrom({ ask }: LinkApp, target: string): Promise<readonly string[][]> {
  const pages: string[][] = [];
  for (let next: string | null = target; next !== null && pages.length < 10; ) {
    const reply = await ask({ target: next, headers: BROWSER });
    const html = await reply.text();
    pages.push(
      [...html.matchAll(/<bdi class="name">(\d{4}\.txt)<\/bdi>/g)].map(([, name = '']) => name),
    );
    const [, href] = /href="([^"]*)" rel="next"/.exec(html) ?? [];
    next = href?.replaceAll('&amp;', '&') ?? null;
  }
  return pages;
}

it('a long folder below the link is listed page by page', async () => {
  const app = await openFull();
  const { id } = await addShare(app, { target: { kind: 'folder', prefix: 'z/' } });
  const pages = await pagesFrom(app, `/-/s/${id}/sub/`);
  expect(pages.map(({ length }) => length)).toEqual([LINK_PAGE_FILES, LINK_PAGE_FILES, 50]);
  expect(pages.flat()).toEqual(NAMES);
});

it('a long set of objects is listed page by page', async () => {
  const app = await openFull();
  const keys = NAMES.map((name) => `z/sub/${name}`);
  const { id } = await addShare(app, { target: { kind: 'keys', keys } });
  const pages = await pagesFrom(app, `/-/s/${id}`);
  expect(pages.flat()).toEqual(NAMES);
});

it('a password leads to the page that was asked for', async () => {
  const app = await createLinkApp();
  await putBytes(app.core, app.bucket, 'a/sub/x', new Uint8Array([1]));
  const { id } = await addShare(app, { password: 'right one' });
  const reply = await app.ask({
    method: 'POST',
    target: `/-/s/${id}/sub/?after=sub%2Fw&q=x&lang=zh`,
    headers: { ...BROWSER, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'password=right+one',
  });
  const location = new URL(reply.headers.get('location') ?? '', 'https://files.test');
  expect([reply.status, location.pathname]).toEqual([303, `/-/s/${id}/sub/`]);
  expect(Object.fromEntries(location.searchParams)).toEqual({
    after: 'sub/w',
    q: 'x',
    lang: 'zh',
    t: expect.any(String),
  });
});

it('the page of a limited folder says what counts', async () => {
  const app = await createLinkApp();
  await putBytes(app.core, app.bucket, 'a/x', new Uint8Array([1]));
  const limits = { downloads: 5, bytes: null, moneyMicro: null };
  const pageOf = async (id: string, query = '') =>
    (await app.ask({ target: `/-/s/${id}${query}`, headers: BROWSER })).text();
  const limited = await addShare(app, { limits });
  const text = 'Looking at this list counts nothing; files that you open or download do.';
  expect(await pageOf(limited.id)).toContain(text);
  expect(await pageOf(limited.id, '?lang=zh')).toContain('浏览此列表不计入限额');
  const file = await addShare(app, {
    limits,
    target: { kind: 'object', key: 'a/x', versionId: null },
  });
  for (const id of [(await addShare(app)).id, file.id])
    expect(await pageOf(id)).not.toContain(text);
});

it('a terminal hears how to give a password, and that it was wrong', async () => {
  const app = await createLinkApp();
  await putBytes(app.core, app.bucket, 'a/x', new Uint8Array([1]));
  const { id } = await addShare(app, { password: 'right one' });
  const ask = async (password: string | null) => {
    const headers = password === null ? {} : { authorization: `Basic ${btoa(`:${password}`)}` };
    const reply = await app.ask({ target: `/-/s/${id}/x`, headers });
    return [reply.status, reply.headers.has('www-authenticate'), await reply.text()];
  };
  expect(await ask(null)).toEqual([
    401,
    true,
    'This link has a password. Give it so: curl -u :PASSWORD\n',
  ]);
  expect(await ask('wrong one')).toEqual([
    401,
    true,
    'The password is wrong. Give it so: curl -u :PASSWORD\n',
  ]);
  expect((await ask('right one'))[0]).toBe(200);
});

it('links that are revoked below a prefix are closed at once, labels too', async () => {
  const app = await createLinkApp();
  await putBytes(app.core, app.bucket, 'a/k', new Uint8Array(1));
  const { id: linkId } = await addShare(app);
  const label = await addLabel(app.core, app.bucket, { linkId, name: 'Ada' }, NOBODY);
  const other = await addShare(app, { target: { kind: 'folder', prefix: '' } });
  const statuses = async () => {
    const paths = [`${linkId}/k`, `${linkId}~${label.id}/k`, `${other.id}/a/k`];
    const replies = await Promise.all(paths.map((path) => app.ask({ target: `/-/s/${path}` })));
    return replies.map(({ status }) => status);
  };
  expect(await statuses()).toEqual([200, 200, 200]);
  expect(await revokeBelow(app.core, app.bucket, 'a/', NOBODY)).toBe(1);
  expect(await statuses()).toEqual([410, 410, 200]);
});
