// What the app writes into the log: every failure that a client is told nothing of; and pages that
// there are not.
import { expect, it } from 'vitest';
import { createApp } from '../src/app.ts';
import { parseConfig } from '../src/config.ts';
import { StorageError } from '../src/domain/errors.ts';
import { createMemoryCore, withPorts } from './core/memory-core.ts';
import { makeRequest } from './http/s3/kit/make-request.ts';

async function logged(failure: unknown) {
  const core = createMemoryCore();
  const faults: unknown[] = [];
  const { ports } = withPorts(core, {
    hotMetadata: { ...core.ports.hotMetadata, find: () => Promise.reject(failure) },
    log: {
      info: () => undefined,
      error: (event: string, fields?: object) => void faults.push([event, fields]),
    },
  });
  const config = { ...parseConfig({}), ...core.settings };
  const app = createApp(ports, config, () =>
    makeRequest({ target: '/bkt/key', headers: { host: 'h' } }),
  );
  const { status } = await app.fetch(new Request('http://h/bkt/key'), {});
  return [status, faults.length];
}

it.each<[unknown, number, number]>([
  [new Error('no disk'), 500, 1],
  [new StorageError('InternalError'), 500, 1],
  [new StorageError('BucketChanged'), 500, 1],
  [new StorageError('NoSuchBlob'), 500, 1],
  [new StorageError('SlowDown'), 503, 0],
])('a failure has its status, and is logged where it is ours: %s', async (failure, status, lines) =>
  expect(await logged(failure)).toEqual([status, lines]),
);

it.each(['/-/', '/-/healthy', '/-/health/', '/-/metrics', '/-/api', '/-/none'])(
  '%s is no page of the service',
  async (target) => {
    const core = createMemoryCore();
    const config = { ...parseConfig({}), ...core.settings };
    const app = createApp(core.ports, config, () =>
      makeRequest({ target, headers: { host: 'h' } }),
    );
    const response = await app.fetch(new Request(`http://h${target}`), {});
    expect([response.status, await response.text()]).toEqual([
      404,
      expect.stringContaining('<Code>NoSuchKey</Code>'),
    ]);
  },
);
