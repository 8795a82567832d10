// What a terminal shows where a link gives nothing: one line, no document of S3.
import { expect, it } from 'vitest';
import { newLinkId } from '../../../src/core/links/new-link-ids.ts';
import { addShare, createLinkApp } from './kit/link-app.ts';

it('the failure of a link is one line of text, for both kinds of links', async () => {
  const app = await createLinkApp();
  const share = await addShare(app);
  for (const [target, line] of [
    [`/-/s/${newLinkId()}`, 'There is no such link.\n'],
    [`/-/s/${newLinkId()}/a.txt`, 'There is no such link.\n'],
    ['/-/s/none', 'There is no such link.\n'],
    [`/-/d/${newLinkId()}`, 'There is no such link.\n'],
    [`/-/d/${newLinkId()}/files`, 'There is no such link.\n'],
    [`/-/s/${share.id}/none.txt`, 'This link has no such file.\n'],
  ] as const) {
    const reply = await app.ask({ target });
    expect([target, reply.status, await reply.text()]).toEqual([target, 404, line]);
    expect(reply.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
    expect(reply.headers.get('cache-control')).toBe('no-store');
  }
  const head = await app.ask({ method: 'HEAD', target: `/-/s/${newLinkId()}` });
  expect([head.status, await head.text()]).toEqual([404, '']);
  const put = await app.ask({ method: 'PUT', target: `/-/s/${share.id}` });
  expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
  expect(await put.text()).not.toContain('<');
});

it('the failure of a link is a page for people', async () => {
  const app = await createLinkApp();
  const headers = { accept: 'text/html,*/*;q=0.8' };
  const reply = await app.ask({ target: `/-/d/${newLinkId()}`, headers });
  expect([reply.status, await reply.text()]).toEqual([404, expect.stringContaining('<html')]);
});
