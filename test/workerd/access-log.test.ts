// The access log of the Worker: one line per answer of both doors, in the Worker's own log.
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, expect, it, vi } from 'vitest';
import worker from '../../src/worker.ts';
import { bucketObject, freshBucketName, objectOf, PUBLIC, recordOf, refOf } from './kit/bucket.ts';

const settings = {
  QUAYSIDE_ACCESS_LOG: 'json',
  QUAYSIDE_ROOT_ACCESS_KEY: 'workerd-tests',
  QUAYSIDE_ROOT_SECRET_KEY: 'workerd-tests-secret',
};

afterEach(() => {
  vi.restoreAllMocks();
});

it('the access log is written by both paths, with the client that Cloudflare names', async () => {
  const lines: Record<string, unknown>[] = [];
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(JSON.parse(line)));
  const name = freshBucketName();
  const { call } = bucketObject(name);
  const record = await call('createBucket', { bucket: recordOf(name, PUBLIC) });
  await call('commitObject', {
    bucket: refOf(record),
    object: objectOf('a', 'e1'),
    condition: null,
    newReferences: [],
  });
  // Bindings of its own make a Worker of its own.
  const bindings = { ...env, ...settings };
  const get = async (target: string) => {
    const headers = { host: 'h', 'cf-connecting-ip': '192.0.2.7', 'user-agent': 'x"y' };
    const answer = await worker.fetch(
      new Request(`http://h/${target}`, { headers }),
      bindings,
      createExecutionContext(),
    );
    return (await answer.arrayBuffer()).byteLength;
  };
  const size = await get(`${name}/a`);
  await get(`${name}/a`);
  const errorSize = await get(`${name}/missing?X-Amz-Signature=1`);
  const healthSize = await get('-/health');
  const common = {
    event: 'access',
    method: 'GET',
    remoteAddress: '192.0.2.7',
    userAgent: 'x"y',
    isWhole: null,
  };
  expect(healthSize).toBeGreaterThan(0);
  expect(lines).toMatchObject([
    {
      ...common,
      target: `/${name}/a`,
      status: 200,
      bodyBytes: size,
      bucket: name,
      metadataTier: 'index',
      bodyTier: 'index',
    },
    {
      ...common,
      target: `/${name}/a`,
      status: 200,
      bodyBytes: size,
      bucket: name,
      metadataTier: 'memory',
      bodyTier: 'memory',
    },
    {
      ...common,
      target: `/${name}/missing?X-Amz-Signature=[redacted]`,
      status: 400,
      bodyBytes: errorSize,
    },
    { ...common, target: '/-/health', status: 200, bodyBytes: healthSize },
  ]);
});
