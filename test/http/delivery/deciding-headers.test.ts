// The hot lane answers whatever has none of DECIDING_HEADERS without asking for any other header. So no public read may
// look at a header outside of that list: here the app is watched while it answers reads of every kind.
import { describe, expect, it } from 'vitest';
import { createApp } from '../../../src/app.ts';
import { parseConfig } from '../../../src/config.ts';
import { DECIDING_HEADERS } from '../../../src/http/delivery/deciding-headers.ts';
import type { HttpRequest } from '../../../src/http/request.ts';
import { createStockedCore } from '../../node/hot-lane/doors.ts';
import { makeRequest } from '../s3/make-request.ts';

const ETAG = '"x"';

describe('a public read', () => {
  it('looks at no header but Host, If-None-Match and the deciding ones', async () => {
    const core = await createStockedCore();
    const looked = new Set<string>();
    let request: HttpRequest = makeRequest({ target: '/' });
    const app = createApp(core.ports, { ...parseConfig({}), ...core.settings }, () => ({
      ...request,
      header(name) {
        looked.add(name);
        return request.header(name);
      },
      headerNames() {
        throw new Error('a public read must not go through the headers of a request');
      },
    }));
    const statuses: number[] = [];
    for (const method of ['GET', 'HEAD']) {
      for (const rawPath of [
        '/pub/inline',
        '/pub/inline',
        '/pub/big',
        '/pub/empty',
        '/pub/missing',
        '/private/inline',
      ]) {
        for (const headers of [{}, { 'if-none-match': ETAG }, { 'if-none-match': '*' }, { range: 'bytes=0-1' }]) {
          request = makeRequest({ method, target: rawPath, headers: { host: 'h', ...headers } });
          const answer = await app.fetch(new Request(`http://h${rawPath}`, { method }), {});
          statuses.push(answer.status);
        }
      }
    }
    expect(new Set(statuses)).toEqual(new Set([200, 206, 304, 404, 403, 416]));
    expect([...looked].filter((name) => ![...DECIDING_HEADERS, 'if-none-match'].includes(name))).toEqual([]);
  });
});
