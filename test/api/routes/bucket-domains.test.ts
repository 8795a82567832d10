// Hosts of a bucket as a console sees them where settings and directory say different things, as
// after a crash between both.
import { expect, it } from 'vitest';
import type { BucketName } from '../../../src/domain/nouns.ts';
import { startMemoryApi } from '../memory-api.ts';

it('a host shows whether it is bound to this incarnation of the bucket', async () => {
  const api = await startMemoryApi();
  const { directory, metadataIndex } = api.core.ports;
  const name = 'fuzz-bucket-one' as BucketName;
  const path = `/buckets/${name}`;
  const domains = ['a', 'b'].map((label) => ({ host: `${label}.example.org`, prefix: '' }));
  const headers = { 'content-type': 'application/json', 'if-match': '*' };
  const bind = async () => {
    const reply = await api.send({
      method: 'PATCH',
      path,
      headers,
      body: JSON.stringify({ hosting: { domains } }),
    });
    expect([reply.status, reply.json]).toMatchObject([200, {}]);
  };
  const seen = async () => {
    const reply = await api.send({
      method: 'GET',
      path: `${path}/domains`,
      headers: {},
      body: null,
    });
    return reply.json.items.map(({ host, isBound }: { host: string; isBound: boolean }) => [
      host[0],
      isBound,
    ]);
  };
  await bind();
  expect(await seen()).toEqual([
    ['a', true],
    ['b', true],
  ]);
  const record = await metadataIndex.call(name, 'getBucket', { name });
  const bucket = { id: record?.id ?? ('' as never), name };
  await directory.call('bindHosts', { bucket, domains: domains.slice(0, 1), mayTake: [] });
  expect(await seen()).toEqual([
    ['a', true],
    ['b', false],
  ]);
  await bind();
  expect(await seen()).toEqual([
    ['a', true],
    ['b', true],
  ]);
});
