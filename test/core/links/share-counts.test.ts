// How counts of visitors of share links are brought to the indexes of many buckets.
import { expect, it } from 'vitest';
import { createShareCounter } from '../../../src/core/links/share/share-counts.ts';
import type { LinkEntry, LinkId } from '../../../src/domain/links/link-ids.ts';
import type { ShareDay } from '../../../src/domain/links/share-records.ts';
import type { AccountId, BucketId, BucketName } from '../../../src/domain/nouns.ts';
import { createMemoryCore, withPorts } from '../memory-core.ts';

type Brought = { readonly bucket: string; readonly opened: number };

const entryOf = (name: string): LinkEntry => ({
  id: `link-of-${name}` as LinkId,
  kind: 'share',
  bucket: { id: `id-of-${name}` as BucketId, name: name as BucketName },
  accountId: 'account' as AccountId,
  createdAtMs: 0,
});

/** A core whose index holds each call until it is let go. */
function world() {
  const memory = createMemoryCore();
  const brought: Brought[] = [];
  const waiting: (() => void)[] = [];
  const events: string[] = [];
  const metadataIndex = {
    ...memory.ports.metadataIndex,
    call: async (name: string, _call: string, { days }: { days: readonly ShareDay[] }) => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      for (const { opened } of days) brought.push({ bucket: name, opened });
      return [];
    },
  } as unknown as typeof memory.ports.metadataIndex;
  const log = { info: () => undefined, error: (event: string) => void events.push(event) };
  const core = withPorts(memory, { metadataIndex, log });
  return { counter: createShareCounter(core), brought, waiting, events };
}

const soon = () => new Promise((resolve) => setTimeout(resolve, 0));

it('a flush brings counts to six buckets at once, and those not begun stay', async () => {
  const { counter, brought, waiting } = world();
  const entries = Array.from({ length: 10 }, (_, at) => entryOf(`bucket-${at}`));
  for (const entry of entries) counter.count(entry, null, { opened: 1 }, null);
  const flushing = counter.flush();
  await soon();
  expect(waiting).toHaveLength(6);

  // The last bucket waits for its turn; the first one is being brought.
  for (const at of [9, 0]) {
    const entry = entries[at];
    if (entry !== undefined) counter.count(entry, null, { opened: 10 }, null);
  }
  while (waiting.length > 0) {
    for (const go of waiting.splice(0)) go();
    await soon();
  }
  await flushing;
  expect(brought).toHaveLength(10);
  expect(brought).toContainEqual({ bucket: 'bucket-9', opened: 11 });
  expect(counter.isAnythingLeft()).toBe(true);

  const again = counter.flush();
  await soon();
  for (const go of waiting.splice(0)) go();
  await again;
  expect(brought.at(-1)).toEqual({ bucket: 'bucket-0', opened: 10 });
  expect(counter.isAnythingLeft()).toBe(false);
});

it('two flushes at once bring nothing twice', async () => {
  const { counter, brought, waiting } = world();
  for (let at = 0; at < 10; at++) counter.count(entryOf(`bucket-${at}`), null, { opened: 1 }, null);
  const both = Promise.all([counter.flush(), counter.flush()]);
  for (await soon(); waiting.length > 0; await soon()) for (const go of waiting.splice(0)) go();
  await both;
  expect(brought.map(({ bucket }) => bucket).toSorted()).toEqual(
    Array.from({ length: 10 }, (_, at) => `bucket-${at}`),
  );
});

it('a flush says that counts were lost for want of room', async () => {
  const { counter, events, waiting } = world();
  for (let at = 0; at <= 10_000; at++)
    counter.count(entryOf(`bucket-${at % 2}-${at}`), null, { opened: 1 }, null);
  void counter.flush();
  await soon();
  expect([events, waiting.length]).toEqual([['share-counts-lost'], 6]);
});
