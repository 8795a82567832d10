// What the account of a share link hears of it, and when: once, behind the visit that did it.
import { expect, it, vi } from 'vitest';
import { makeShare } from '../../../src/core/links/share/change-share.ts';
import { reportShareEvents } from '../../../src/core/links/share/report-share.ts';
import { createShareCounter } from '../../../src/core/links/share/share-counts.ts';
import { createUsageFlusher } from '../../../src/core/metering/flush-usage.ts';
import type { LabelId, LinkEntry } from '../../../src/domain/links/link-ids.ts';
import { shareLinkOf } from '../../contract/index/share-links.contract.ts';
import { createMemoryCore, openTestBucket, putBytes, withPorts } from '../memory-core.ts';
import { NOBODY, SHARE_INPUT } from './share-kit.ts';

type Message = { readonly type: string; readonly data: Readonly<Record<string, unknown>> };

/** A core whose account has a webhook for everything; `messages` are what it would get. */
async function world() {
  const memory = createMemoryCore();
  const messages: Message[] = [];
  const directory = {
    ...memory.ports.directory,
    call: (async (name: string, input: never) => {
      if (name === 'listWebhooks') return [{ id: 'w', isEnabled: true, types: ['*'] }];
      if (name !== 'enqueueDeliveries') return memory.ports.directory.call(name as never, input);
      const { deliveries } = input as { deliveries: readonly { payload: string }[] };
      for (const { payload } of deliveries) messages.push(JSON.parse(payload) as Message);
      return undefined;
    }) as unknown as typeof memory.ports.directory.call,
  };
  const core = withPorts(memory, { directory, clock: { nowMs: () => Date.now() } });
  const bucket = await openTestBucket(core);
  await putBytes(core, bucket, 'a', new Uint8Array(1));
  const target = { kind: 'object', key: 'a', versionId: null } as const;
  const link = await makeShare(core, bucket, { ...SHARE_INPUT, target }, NOBODY);
  const { id, name, ownerId: accountId } = bucket.record();
  const entry: LinkEntry = {
    id: link.id,
    kind: 'share',
    bucket: { id, name },
    accountId,
    createdAtMs: 0,
  };
  return { core, messages, entry };
}

it('a link is opened for the first time once, whichever of its recipients open it', async () => {
  const { core, messages, entry } = await world();
  const counter = createShareCounter(core);
  const visit = (labelId: string | null) =>
    counter.count(entry, labelId as LabelId | null, { opened: 1 }, null);
  for (const label of ['label-01', 'label-02', null]) visit(label);
  await counter.flush();
  visit('label-03');
  await counter.flush();
  await core.settle();
  expect(messages).toEqual([
    expect.objectContaining({
      type: 'link.opened',
      data: { linkId: entry.id, bucket: entry.bucket.name },
    }),
  ]);
});

it('a visit that is the only one is brought behind its response, as usage is', async () => {
  vi.useFakeTimers();
  try {
    const { core, messages, entry } = await world();
    const companion = createShareCounter(core);
    const { flushSoon } = createUsageFlusher(core, {
      source: 'isolate',
      intervalMs: 60_000,
      companion,
    });
    companion.count(entry, null, { opened: 1 }, null);
    flushSoon();
    // No response comes after it, and the runtime ends work behind one after 30 s.
    await vi.advanceTimersByTimeAsync(29_000);
    expect(messages.map(({ type }) => type)).toEqual(['link.opened']);
    expect(companion.isAnythingLeft()).toBe(false);
  } finally {
    vi.useRealTimers();
  }
});

it('a limit is near once, also where what passes it was broken off', async () => {
  const { core, messages, entry } = await world();
  const limits = { downloads: null, bytes: 1000, moneyMicro: null, moneyBytes: null };
  const link = shareLinkOf({ limits });
  const label = { id: 'label-01' as LabelId, name: 'Ada', createdAtMs: 0, revokedAtMs: null };
  const report = reportShareEvents(core);
  const steps = [0, 400, 799, 800, 900, 1000];
  for (const [at, bytes] of steps.slice(1).entries()) {
    const before = { downloads: 0, bytes: steps[at] ?? 0 };
    const usage = { downloads: 0, bytes };
    report({ entry, link, label }, { completed: bytes === 400, before, usage });
  }
  await core.settle();
  const facts = { linkId: entry.id, bucket: entry.bucket.name, label: 'Ada', downloads: 0 };
  expect(messages.map(({ type, data }) => [type, data])).toEqual([
    ['link.downloaded', { ...facts, bytes: '400' }],
    ['link.limit-near', { ...facts, bytes: '800' }],
  ]);
});
