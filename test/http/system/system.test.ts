// What /-/ready says: whether the server can serve and write, and what kind of thing keeps it from
// that.
import { describe, expect, it } from 'vitest';
import { createSystemSurface } from '../../../src/http/system/system.ts';
import type { NotReadyReason } from '../../../src/ports/readiness.ts';
import { VERSION } from '../../../src/ports/version.ts';
import { makeRequest } from '../s3/kit/make-request.ts';

const KEY = { rootAccessKey: 'root', rootSecretKey: 'root-secret', metricsToken: null };

async function ask(
  reasons: readonly NotReadyReason[],
  settings: Partial<Record<keyof typeof KEY, string | null>> = {},
) {
  const notReady = () => reasons;
  const answer = createSystemSurface({ ...KEY, ...settings }, async () => [], { notReady });
  const request = makeRequest({ method: 'GET', target: '/-/ready' });
  const response = await answer(request, '/ready', 'request-1');
  return {
    status: response.status,
    body: JSON.parse(await response.text()),
    headers: response.headers,
    request,
  };
}

async function health(query: string) {
  const answer = createSystemSurface(KEY, async () => [], { notReady: () => [] });
  const request = makeRequest({ method: 'GET', target: `/-/health${query}` });
  return (await answer(request, '/health', 'request-1')).json();
}

describe('health', () => {
  it.each(['?verbose', '?verbose=1', '?a=b&verbose'])(
    'names the version with %s',
    async (query) => {
      expect(await health(query)).toEqual({ status: 'ok', version: VERSION });
    },
  );

  it.each(['', '?', '?verbosely', '?a=verbose'])(
    'says only that it is well with "%s"',
    async (query) => {
      expect(await health(query)).toEqual({ status: 'ok' });
    },
  );
});

describe('readiness', () => {
  it('is 200 as long as nothing speaks against it, and not to be kept by caches', async () => {
    const { status, body, headers, request } = await ask([]);
    expect([status, body]).toEqual([200, { status: 'ready' }]);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(request.notes.operation).toBe('Ready');
  });

  it('is 503 with the reasons otherwise', async () => {
    const { status, body } = await ask(['disk-full', 'index-stalled']);
    expect([status, body]).toEqual([
      503,
      { status: 'not-ready', reasons: ['disk-full', 'index-stalled'] },
    ]);
  });

  it('wants the whole root key', async () => {
    const { status, body } = await ask([], { rootSecretKey: null });
    expect([status, body]).toEqual([503, { status: 'not-ready', reasons: ['root-key-missing'] }]);
  });
});
