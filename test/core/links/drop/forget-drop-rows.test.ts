// The sweep and drop links: who never sent anything is forgotten, also where the link has ended.
import { expect, it } from 'vitest';
import { sweep } from '../../../../src/core/sweep/sweep.ts';
import { DROP_EMPTY_SENDER_LIFE_MS } from '../../../../src/domain/links/link-limits.ts';
import { addDrop, becomeSender, createLinkApp } from '../../../http/links/kit/link-app.ts';

it('the sweep forgets senders who sent nothing for a week', async () => {
  const app = await createLinkApp();
  const { core, bucket } = app;
  const link = await addDrop(app, { expiresAtMs: core.ports.clock.nowMs() + 60_000 });
  const headers = await becomeSender(app, link);
  const senders = async () =>
    (await bucket.call('getDropLink', { id: link.id, nowMs: core.ports.clock.nowMs() }))?.usage
      .senders ?? null;
  const receipt = async () =>
    (await app.ask({ target: `/-/d/${link.id}/receipt`, headers })).status;

  core.advanceSeconds(DROP_EMPTY_SENDER_LIFE_MS / 1000 - 1);
  await sweep(core);
  expect([await senders(), await receipt()]).toEqual([1, 200]);
  core.advanceSeconds(1);
  await sweep(core);
  expect([await senders(), await receipt()]).toEqual([0, 403]);
});
