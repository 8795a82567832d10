// The fast path answers whatever has none of DECIDING_HEADERS without asking for any other header.
// So no public read may look at a header outside of that list: here the app is watched while it
// answers reads of every kind.
import { describe, expect, it } from 'vitest';
import { createApp } from '../../../src/app.ts';
import { parseConfig } from '../../../src/config.ts';
import { DECIDING_HEADERS } from '../../../src/http/delivery/deciding-headers.ts';
import { SELECTING_HEADERS } from '../../../src/http/delivery/fast-path/fast-path.ts';
import type { HttpRequest } from '../../../src/http/request.ts';
import {
  createStockedCore,
  HOSTED_HOSTS,
  WEBSITE_DOMAIN,
} from '../../node/fast-path/both-paths.ts';
import { HOSTED_TARGETS } from '../../node/fast-path/fuzz-vocabulary.ts';
import { makeRequest } from '../s3/kit/make-request.ts';
import { ACCESS_KEY_ID, SECRET, signHeaders } from '../s3/kit/sign-for-test.ts';

const ETAG = '"x"';
/** The clock of the core stands still at it. */
const AMZ_DATE = '20261120T000000Z';

const ROOT = { rootAccessKey: ACCESS_KEY_ID, rootSecretKey: SECRET };

/** Conditions, which the fast path knows. */
const CONDITIONS = ['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since'];

/**
 * Say whether somebody looks at a failure in a browser; the fast path leaves the failures of all
 * who name HTML in the first of them.
 */
const OF_FAILURES: readonly string[] = ['accept', 'accept-language', 'sec-fetch-dest'];

/** The app over a stocked core, and the names of the headers that it looks at. */
async function watchedApp({ mayList = false } = {}) {
  const core = await createStockedCore();
  const looked = new Set<string>();
  let request: HttpRequest = makeRequest({ target: '/' });
  const config = parseConfig({ QUAYSIDE_WEBSITE_DOMAIN: WEBSITE_DOMAIN });
  const app = createApp(core.ports, { ...config, ...core.settings, ...ROOT }, () => ({
    ...request,
    header(name) {
      looked.add(name);
      return request.header(name);
    },
    headerNames() {
      if (mayList) return request.headerNames();
      throw new Error('a public read must not go through the headers of a request');
    },
  }));
  const ask = async (
    method: string,
    target: string,
    headers: Record<string, string>,
  ): Promise<number> => {
    request = makeRequest({ method, target, headers: { host: 'h', ...headers } });
    return (await app.fetch(new Request(`http://h${target}`, { method }), {})).status;
  };
  const others = (known: readonly string[]) => [...looked].filter((name) => !known.includes(name));
  return { ask, others };
}

describe('a public read', () => {
  it('looks at no header but Host, If-None-Match, Range and the deciding ones', async () => {
    const { ask, others } = await watchedApp();
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
        for (const headers of [
          {},
          { 'if-none-match': ETAG },
          { 'if-none-match': '*' },
          { range: 'bytes=0-1' },
        ]) {
          statuses.push(await ask(method, rawPath, headers));
        }
      }
    }
    expect(new Set(statuses)).toEqual(new Set([200, 206, 304, 404, 403, 416]));
    const known = [...DECIDING_HEADERS, ...CONDITIONS, 'range'];
    expect(others([...known, ...OF_FAILURES])).toEqual([]);
  });

  it('that succeeds does not look who asks, as a failure does', async () => {
    const { ask, others } = await watchedApp();
    for (const path of ['/pub/inline', '/pub/big', '/pub/empty'])
      expect(await ask('GET', path, {})).toBe(200);
    expect(others(DECIDING_HEADERS).filter((name) => OF_FAILURES.includes(name))).toEqual([]);
  });

  it('that is signed looks at what its own fast path knows besides, or leaves', async () => {
    const { ask, others } = await watchedApp({ mayList: true });
    const statuses = new Set<number>();
    for (const method of ['GET', 'HEAD']) {
      for (const path of ['/pub/inline', '/pub/big', '/private/inline', '/ruled/friends/a']) {
        for (const headers of [{}, { range: 'bytes=0-1' }, { 'if-none-match': '*' }]) {
          const signed = signHeaders(
            { method, path, headers: { host: 'h', ...headers } },
            { amzDate: AMZ_DATE },
          );
          statuses.add(await ask(method, path, signed));
        }
      }
    }
    expect([...statuses].toSorted()).toEqual([200, 206, 304]);
    const known = [...DECIDING_HEADERS, ...CONDITIONS, 'range', 'host', 'x-quayside-receipt'];
    // What a policy asks for is asked for by no other: fast-read-headers.ts leaves such a decision
    // alone.
    const ofPolicies = ['referer', 'user-agent'];
    expect(others([...known, ...ofPolicies]).filter((name) => !name.startsWith('x-amz-'))).toEqual(
      [],
    );
  });

  it('of a site looks at those besides that the hot answer can ask for', async () => {
    const { ask, others } = await watchedApp();
    const statuses = new Set<number>();
    for (const host of HOSTED_HOSTS) {
      for (const target of HOSTED_TARGETS) {
        for (const headers of [{}, { range: 'bytes=0-1' }, { referer: 'http://evil.test/' }]) {
          for (const method of ['GET', 'HEAD'])
            statuses.add(await ask(method, target, { host, ...headers }));
        }
      }
    }
    expect([...statuses].toSorted()).toEqual([200, 204, 206, 301, 302, 308, 403, 404]);
    expect(others([...DECIDING_HEADERS, ...SELECTING_HEADERS, 'if-none-match', 'range'])).toEqual(
      [],
    );
  });
});
