import { beforeAll, expect, it } from 'vitest';
import { codeOf } from '../../kit/responses.ts';
import { createTestSurface } from '../../kit/surface.ts';

const { send } = createTestSurface();
const K = '/restore-bucket/key';
const restore = (body: string, path = K, as: 'owner' | 'stranger' = 'owner') =>
  send({ method: 'POST', path, query: { restore: '' }, body, as });
const DAYS =
  '<RestoreRequest><Days>2</Days><GlacierJobParameters><Tier>Bulk</Tier>' +
  '</GlacierJobParameters></RestoreRequest>';

beforeAll(async () => {
  await send({ method: 'PUT', path: '/restore-bucket' });
  await send({
    method: 'PUT',
    path: K,
    body: 'x',
    headers: { 'x-amz-storage-class': 'STANDARD_IA' },
  });
});

it('RestoreObject answers that no class here needs a restore', async () => {
  const { status, text } = await restore(DAYS);
  expect(status).toBe(403);
  expect(text).toContain('<Code>InvalidObjectState</Code>');
  expect(text).toContain('<StorageClass>STANDARD_IA</StorageClass>');
});

it.each([
  ['', 400, 'MalformedXML'],
  ['<RestoreRequest><Days>0</Days></RestoreRequest>', 400, 'MalformedXML'],
  ['<RestoreRequest><Tier>Fast</Tier></RestoreRequest>', 400, 'MalformedXML'],
  ['<RestoreRequest><Type>SELECT</Type></RestoreRequest>', 501, 'NotImplemented'],
])('RestoreObject refuses %s', async (body, status, code) => {
  const reply = await restore(body);
  expect(codeOf(reply)).toEqual([status, code]);
});

it('RestoreObject tells strangers nothing, and who may that there is no such key', async () => {
  expect((await restore(DAYS, K, 'stranger')).text).toContain('<Code>AccessDenied</Code>');
  expect((await restore(DAYS, '/restore-bucket/missing')).text).toContain('<Code>NoSuchKey</Code>');
});
