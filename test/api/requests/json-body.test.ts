// What may not get in as the body of a request, although it would parse.
import { expect, it } from 'vitest';
import { readJsonBody } from '../../../src/api/requests/json-body.ts';
import { makeRequest } from '../../http/s3/kit/make-request.ts';
import { startMemoryApi } from '../memory-api.ts';

it('a body with half a character in an escape is refused before the route runs', async () => {
  const api = await startMemoryApi();
  const rule = { id: 'half \ud800', status: 'enabled', filter: {}, expiration: { days: 1 } };
  const reply = await api.send({
    method: 'PATCH',
    path: '/buckets/fuzz-bucket-one',
    headers: { 'content-type': 'application/json', 'if-match': '*' },
    body: JSON.stringify({ lifecycle: [rule] }),
  });
  expect([reply.status, reply.json.code, reply.json.detail]).toEqual([
    400,
    'InvalidInput',
    'The body has half a character.',
  ]);
});

it('what is no UTF-8 is refused', async () => {
  const headers = { 'content-type': 'application/json' };
  const sent = makeRequest({
    method: 'POST',
    target: '/',
    headers,
    body: [Uint8Array.of(0x22, 0xff, 0x22)],
  });
  await expect(readJsonBody(sent)).rejects.toMatchObject({
    code: 'InvalidInput',
    message: 'The body is not UTF-8.',
  });
});
