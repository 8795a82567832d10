// Changes of one webhook that meet: none is lost, and none brings back what was deleted.
import { expect, it } from 'vitest';
import {
  createWebhook,
  deleteWebhook,
  rotateSecret,
  updateWebhook,
} from '../../../src/core/outbox/webhooks.ts';
import type { AccountId } from '../../../src/domain/nouns.ts';
import { createMemoryCore, type MemoryCore, withPorts } from '../memory-core.ts';

const accountId = 'alice' as AccountId;
const HOOK = { url: 'https://hooks.example.com/', description: '', types: [], isEnabled: true };

/** Makes a core in which something else happens once between a look at a webhook and its change. */
function interrupted(core: MemoryCore, between: () => Promise<unknown>): MemoryCore {
  const { directory } = core.ports;
  let isDone = false;
  return withPorts(core, {
    directory: {
      ...directory,
      async call(name, input) {
        const answer = await directory.call(name, input);
        if (name === 'getWebhook' && !isDone) {
          isDone = true;
          await between();
        }
        return answer;
      },
    },
  });
}

it('a secret that is rotated while the webhook is changed stays', async () => {
  const core = createMemoryCore();
  const { id } = (await createWebhook(core, accountId, HOOK)).webhook;
  const rotating = () => rotateSecret(core, accountId, id);
  await updateWebhook(interrupted(core, rotating), accountId, id, { description: 'changed' });
  const kept = await core.ports.directory.call('getWebhook', { id });
  expect(kept?.description).toBe('changed');
  expect(kept?.secrets).toHaveLength(2);
});

it('a change does not bring back a webhook that was deleted meanwhile', async () => {
  const core = createMemoryCore();
  const { id } = (await createWebhook(core, accountId, HOOK)).webhook;
  const deleting = () => deleteWebhook(core, accountId, id);
  const change = updateWebhook(interrupted(core, deleting), accountId, id, {
    description: 'changed',
  });
  await expect(change).rejects.toMatchObject({ code: 'NoSuchWebhook' });
  expect(await core.ports.directory.call('getWebhook', { id })).toBe(null);
});

it('many changes at once all take place', async () => {
  const core = createMemoryCore();
  const { id } = (await createWebhook(core, accountId, HOOK)).webhook;
  await Promise.all([
    updateWebhook(core, accountId, id, { description: 'changed' }),
    updateWebhook(core, accountId, id, { types: ['usage.*'] }),
    updateWebhook(core, accountId, id, { isEnabled: false }),
    rotateSecret(core, accountId, id),
  ]);
  const kept = await core.ports.directory.call('getWebhook', { id });
  expect(kept).toMatchObject({ description: 'changed', types: ['usage.*'], isEnabled: false });
  expect(kept?.secrets).toHaveLength(2);
});
