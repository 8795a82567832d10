import { expect, it } from 'vitest';
import { answerDocs } from '../../src/api/docs-page.ts';
import { makeRequest } from '../http/s3/make-request.ts';

const NO_FILES = { read: async () => null };
const ask = (path: string, method = 'GET', headers: Record<string, string> = {}, files = NO_FILES) =>
  answerDocs(makeRequest({ method, target: `/-${path}`, headers, body: [] }), path, { files, requestId: 'R' });

it('is not modified by any form of its tag', async () => {
  const etag = (await ask('/docs')).headers.get('etag') ?? '';
  for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    expect((await ask('/docs', 'GET', { 'if-none-match': tag })).status).toBe(304);
  }
  expect((await ask('/docs', 'GET', { 'if-none-match': '"other"' })).status).toBe(200);
});

it('fails for HEAD without a body', async () => {
  const missing = await ask('/docs/none', 'HEAD');
  expect([missing.status, await missing.text()]).toEqual([404, '']);
  const refused = await ask('/docs', 'DELETE');
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

it('leaves faults of ours to whoever logs them', async () => {
  const broken = { read: () => Promise.reject(new Error('no disk')) };
  await expect(ask('/docs/scalar.js', 'GET', {}, broken)).rejects.toThrow('no disk');
});
