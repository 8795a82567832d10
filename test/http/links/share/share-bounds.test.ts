// What visitors of a share link may ask for often: lists of thousands of objects are not among it.
import { expect, it, vi } from 'vitest';
import {
  LINK_PAGE_FILES,
  LINK_RUNNING_PER_SOURCE,
  LINK_SEARCHES_PER_MINUTE,
  LINK_ZIPS_PER_MINUTE,
} from '../../../../src/domain/links/link-limits.ts';
import { putBytes } from '../../../core/memory-core.ts';
import { addShare, createLinkApp } from '../kit/link-app.ts';

const BROWSER = { accept: 'text/html,*/*;q=0.8' };
const SOURCE = '203.0.113.9';
const OTHER = '198.51.100.7';

async function open() {
  const app = await createLinkApp();
  await putBytes(app.core, app.bucket, 'a/one.txt', new Uint8Array([1]));
  await putBytes(app.core, app.bucket, 'a/two.txt', new Uint8Array([2]));
  const { id } = await addShare(app);
  const ask = (method: string, query: string, from = SOURCE, headers = {}) =>
    app.ask({ method, target: `/-/s/${id}?${query}`, headers, from });
  return { app, ask };
}

it('a share link lists a folder for its ZIP so often, by HEAD as by GET', async () => {
  const { app, ask } = await open();
  for (let count = 0; count < LINK_ZIPS_PER_MINUTE; count++)
    expect((await ask('HEAD', 'zip')).status).toBe(200);
  for (const method of ['HEAD', 'GET']) {
    const refused = await ask(method, 'zip');
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, 60]);
  }
  expect((await ask('HEAD', 'zip', OTHER)).status).toBe(200);
  app.core.advanceSeconds(60);
  expect((await ask('HEAD', 'zip')).status).toBe(200);
});

it('a share link searches a folder so often, and shows it all the same', async () => {
  const { app, ask } = await open();
  for (let count = 0; count < LINK_SEARCHES_PER_MINUTE; count++)
    expect((await ask('GET', 'q=one', SOURCE, BROWSER)).status).toBe(200);
  const refused = await ask('GET', 'q=one', SOURCE, BROWSER);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
  expect((await ask('GET', '', SOURCE, BROWSER)).status).toBe(200);
  expect((await ask('GET', 'q=one', OTHER, BROWSER)).status).toBe(200);
  app.core.advanceSeconds(60);
  expect((await ask('GET', 'q=one', SOURCE, BROWSER)).status).toBe(200);
});

it('a share link gives one source a part of what a limited link sends at once', async () => {
  const app = await createLinkApp();
  await putBytes(app.core, app.bucket, 'a/one.txt', new Uint8Array(100));
  const limits = { downloads: 10 * LINK_RUNNING_PER_SOURCE, bytes: null, moneyMicro: null };
  const { id } = await addShare(app, { limits });
  const begin = (from: string, agent: string) =>
    app.ask({ target: `/-/s/${id}/one.txt`, headers: { 'user-agent': agent }, from });
  const stalled: Response[] = [];
  for (let count = 0; count < LINK_RUNNING_PER_SOURCE; count++)
    stalled.push(await begin(SOURCE, `curl ${count}`));
  expect(new Set(stalled.map(({ status }) => status))).toEqual(new Set([200]));
  expect((await begin(SOURCE, 'curl more')).status).toBe(429);
  expect((await begin(OTHER, 'curl')).status).toBe(200);
  // What was read to its end makes room.
  await stalled[0]?.arrayBuffer();
  expect((await begin(SOURCE, 'curl more')).status).toBe(200);
});

it('a share link says that not all of a large folder was searched', async () => {
  const { app, ask } = await open();
  const NOTE = 'too large to be searched whole';
  const page = async () => (await ask('GET', 'q=%2E', SOURCE, BROWSER)).text();
  for (let count = 0; count < LINK_PAGE_FILES - 2; count++)
    await putBytes(app.core, app.bucket, `a/${count}.txt`, new Uint8Array([1]));
  expect(await page()).not.toContain(NOTE);
  await putBytes(app.core, app.bucket, 'a/last.txt', new Uint8Array([1]));
  expect(await page()).toContain(NOTE);
});

it('a share link says so where it has not looked at all keys', async () => {
  const { app, ask } = await open();
  const call = app.core.ports.metadataIndex.call;
  const list = vi.spyOn(app.core.ports.metadataIndex, 'call');
  list.mockImplementation(async (bucket, name, input) => {
    const result = await call(bucket, name, input);
    if (name !== 'listObjects') return result;
    return { ...(result as object), isTruncated: true, lastName: 'a/one.txt' } as never;
  });
  const found = await ask('GET', 'q=nothing', SOURCE, BROWSER);
  expect(await found.text()).toContain('too large to be searched whole');
});
