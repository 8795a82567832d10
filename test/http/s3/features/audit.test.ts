// The entries that changes of buckets leave in the audit log: how each ended.
import { expect, it } from 'vitest';
import { createTestSurface, OWNER } from '../kit/surface.ts';

it('an entry of the audit log says how its change of a bucket ended', async () => {
  const { core, send } = createTestSurface();
  const path = '/audited-bucket';
  expect((await send({ method: 'PUT', path })).status).toBe(200);
  expect((await send({ method: 'DELETE', path })).status).toBe(204);
  const filter = { action: null, memberId: null, accessKeyId: null, fromMs: null, toMs: null };
  const page = { accountId: OWNER.id, before: '', limit: 10, filter };
  const read = async () => {
    const entries = await core.ports.directory.call('listAudit', page);
    return entries.map(({ action, status }) => [action, status]);
  };
  const ended = [
    ['DeleteBucket', 204],
    ['CreateBucket', 200],
  ];
  await expect.poll(read).toEqual(ended);
});
