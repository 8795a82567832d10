// The short way to the policy that lets everyone read: it stands for the whole policy, so it goes
// with no other.
import { expect, it } from 'vitest';
import { publicPolicy } from '../../access-samples.ts';
import { startMemoryApi } from '../memory-api.ts';

const { send } = await startMemoryApi();
const PATH = '/buckets/fuzz-bucket-one';
const own = JSON.parse(publicPolicy('fuzz-bucket-one', 'open/'));

it('publicAccess is refused beside a policy, in the request or in the bucket', async () => {
  const change = async (fields: object) => {
    const headers = { 'content-type': 'application/json', 'if-match': '*' };
    const { status, json } = await send({
      method: 'PATCH',
      path: PATH,
      headers,
      body: JSON.stringify(fields),
    });
    return [status, json.code ?? json.publicAccess];
  };
  expect(await change({ publicAccess: 'read' })).toEqual([200, 'read']);
  expect(await change({ publicAccess: 'read', policy: own })).toEqual([400, 'InvalidInput']);
  expect(await change({ policy: own })).toEqual([200, 'some']);
  expect(await change({ publicAccess: 'none' })).toEqual([400, 'InvalidInput']);
  expect(await change({ policy: null })).toEqual([200, 'none']);
  expect(await change({ publicAccess: 'read' })).toEqual([200, 'read']);
  expect(await change({ publicAccess: 'none' })).toEqual([200, 'none']);
});

it('a preview shows the caps that would hold: of the account and of the bucket', async () => {
  const json = async (method: string, path: string, body: object) => {
    const headers = { 'content-type': 'application/json', 'if-none-match': '*' };
    const reply = await send({ method, path, headers, body: JSON.stringify(body) });
    expect([reply.status, reply.json.code]).toEqual([expect.any(Number), undefined]);
    return reply.json;
  };
  await json('POST', '/buckets', { name: 'another-bucket' });
  const limit = { unit: 'bytes', limit: '1000000' };
  await json('PUT', '/caps/of-all', limit);
  await json('PUT', '/caps/of-this', { ...limit, bucket: 'fuzz-bucket-one' });
  await json('PUT', '/caps/of-another', { ...limit, bucket: 'another-bucket' });
  const { caps } = await json('POST', `${PATH}/public-access-preview`, {
    prefix: 'open/',
    what: 'read',
  });
  expect((caps as { id: string }[]).map(({ id }) => id).sort()).toEqual(['of-all', 'of-this']);
});
