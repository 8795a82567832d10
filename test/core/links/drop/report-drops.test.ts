// What webhooks hear of a dropped file, and of a limit that is near, is there as soon as the file
// is, whatever comes after.
import { expect, it } from 'vitest';
import { changeDropLink } from '../../../../src/core/links/drop/drop-links.ts';
import { createWebhook } from '../../../../src/core/outbox/webhooks.ts';
import { addDrop, becomeSender, createLinkApp } from '../../../http/links/kit/link-app.ts';

/** Links whose webhook hears of all, of a process that does nothing behind its responses. */
async function silentApp() {
  const app = await createLinkApp();
  const { core, bucket } = app;
  const { id: queueId, name, ownerId } = bucket.record();
  const url = 'https://hooks.example.org/drops';
  await createWebhook(core, ownerId, { url, types: ['drop.*'], isEnabled: true, description: '' });
  core.ports.background.run = () => {};
  const heard = async () =>
    (await core.ports.metadataIndex.call(name, 'countDeliveries', { queueId })).waiting;
  return { ...app, app, heard };
}

it('a file that ends is reported in its commit, and once when its end is repeated', async () => {
  const { app, heard } = await silentApp();
  const link = await addDrop(app);
  const headers = await becomeSender(app, link);
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
  expect([begun.status, await heard()]).toEqual([201, 1]);
  expect((await app.ask({ method: 'HEAD', target, headers })).status).toBe(200);
  expect(await heard()).toBe(1);
});

it('a limit that is near is reported in the commit that brings it there, and once', async () => {
  const { app, core, bucket, heard } = await silentApp();
  const limits = { fileBytes: null, files: 5, totalBytes: null, types: null };
  const link = await addDrop(app, {
    limits: { ...limits, senderFiles: null, senderBytes: null },
  });
  const headers = await becomeSender(app, link);
  const begin = async (): Promise<string> => {
    const begun = await app.ask({
      method: 'POST',
      target: `/-/d/${link.id}/files`,
      headers: { ...headers, 'upload-length': '5', 'upload-metadata': `filename ${btoa('a.txt')}` },
    });
    expect(begun.status).toBe(201);
    return begun.headers.get('location') ?? '';
  };
  for (const _ of [1, 2, 3]) await begin();
  expect(await heard()).toBe(0);
  // Two at once: both pass it or come behind it, and one of them reports.
  const [fourth] = await Promise.all([begin(), begin()]);
  expect(await heard()).toBe(1);

  // Whoever gives up files and begins them again passes it as often as he likes.
  for (let target = fourth, times = 0; times < 3; times++) {
    expect((await app.ask({ method: 'DELETE', target, headers })).status).toBe(204);
    target = await begin();
  }
  expect(await heard()).toBe(1);

  await changeDropLink(core, bucket, {
    id: link.id,
    revision: null,
    changer: { memberId: null, accessKeyId: null },
    change: (settings) => ({ ...settings, limits: { ...settings.limits, files: 6 } }),
  });
  await begin();
  expect(await heard()).toBe(2);
});
