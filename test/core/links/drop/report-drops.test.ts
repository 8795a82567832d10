// What webhooks hear of a dropped file is there as soon as the file is, whatever comes after.
import { expect, it } from 'vitest';
import { createWebhook } from '../../../../src/core/outbox/webhooks.ts';
import { addDrop, becomeSender, createLinkApp } from '../../../http/links/kit/link-app.ts';

it('a file that ends is reported in its commit, and once when its end is repeated', async () => {
  const app = await createLinkApp();
  const { core, bucket } = app;
  const { id: queueId, name, ownerId } = bucket.record();
  const url = 'https://hooks.example.org/drops';
  await createWebhook(core, ownerId, { url, types: ['drop.*'], isEnabled: true, description: '' });
  const link = await addDrop(app);
  const headers = await becomeSender(app, link);
  // From here on the process does nothing behind its responses.
  core.ports.background.run = () => {};
  const begun = await app.ask({
    method: 'POST',
    target: `/-/d/${link.id}/files`,
    headers: {
      ...headers,
      'upload-length': '5',
      'upload-metadata': `filename ${btoa('a.txt')}`,
      'content-type': 'application/offset+octet-stream',
    },
    body: 'hello',
  });
  const target = begun.headers.get('location') ?? '';
  const heard = async () =>
    (await core.ports.metadataIndex.call(name, 'countDeliveries', { queueId })).waiting;
  expect([begun.status, await heard()]).toEqual([201, 1]);
  expect((await app.ask({ method: 'HEAD', target, headers })).status).toBe(200);
  expect(await heard()).toBe(1);
});
