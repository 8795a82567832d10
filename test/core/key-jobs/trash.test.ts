// The trash of a bucket, previews of deletions, and listings of folders.
import { describe, expect, it } from 'vitest';
import { RATE_CARDS } from '../../../src/core/billing/prices/rate-cards.ts';
import type { Core } from '../../../src/core/core.ts';
import { type FolderPage, listFolder } from '../../../src/core/key-jobs/list-folder.ts';
import { previewDeletion, priceOf } from '../../../src/core/key-jobs/preview-deletion.ts';
import { SORT_MAX_KEYS } from '../../../src/core/key-jobs/sorted-page.ts';
import { setTrash } from '../../../src/core/key-jobs/trash.ts';
import { deleteObjects } from '../../../src/core/objects/delete-objects.ts';
import { type BucketHandle, openBucket } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { sweep } from '../../../src/core/sweep/sweep.ts';
import { objectOf } from '../../contract/index/samples.ts';
import { createMemoryCore, key, openTestBucket } from '../memory-core.ts';

const DAY_SECONDS = 86_400;

const commit = (
  core: Core,
  bucket: BucketHandle,
  name: string,
  sizeBytes = 3,
  storageClass = 'STANDARD',
) =>
  bucket.call('commitObject', {
    object: objectOf(name, { sizeBytes, storageClass, lastModifiedMs: core.ports.clock.nowMs() }),
    condition: null,
    newReferences: [],
  });

async function versionsOf(bucket: BucketHandle): Promise<string[]> {
  const page = {
    prefix: '',
    delimiter: '',
    afterKey: '',
    afterVersionId: '',
    maxKeys: 100,
  } as const;
  const { versions } = await bucket.call('listVersions', page);
  return versions.map((version) => `${version.key}${version.isMarker ? ' marker' : ''}`);
}

describe('the trash', () => {
  it('keeps what is deleted or replaced for its days, then the sweep empties it', async () => {
    const core = createMemoryCore();
    const made = await openTestBucket(core);
    await setTrash(core, made, 7);
    const bucket = await openBucket(core, made.record().name, () => undefined);
    expect(bucket.record().settings).toMatchObject({ versioning: 'enabled', trash: { days: 7 } });
    for (const name of ['gone', 'replaced', 'replaced', 'stays']) await commit(core, bucket, name);
    await deleteObjects(core, bucket, [{ key: key('gone') }]);
    const all = ['gone marker', 'gone', 'replaced', 'replaced', 'stays'];
    for (const days of [1, 5]) {
      core.advanceSeconds(days * DAY_SECONDS);
      await sweep(core);
      expect(await versionsOf(bucket)).toEqual(all);
    }
    for (const _ of [1, 2, 3]) {
      core.advanceSeconds(DAY_SECONDS);
      await sweep(core);
    }
    expect(await versionsOf(bucket)).toEqual(['replaced', 'stays']);
  });

  it('ends with what the bucket keeps, and leaves versioning on', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    await setTrash(core, bucket, 1);
    await commit(core, bucket, 'gone');
    await deleteObjects(core, bucket, [{ key: key('gone') }]);
    await setTrash(core, bucket, null);
    core.advanceSeconds(30 * DAY_SECONDS);
    await sweep(core);
    expect(await versionsOf(bucket)).toEqual(['gone marker', 'gone']);
  });
});

describe('the preview of a deletion', () => {
  it('counts, adds up and prices by class', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    await commit(core, bucket, 'a/1', 2_000_000_000);
    await commit(core, bucket, 'a/2', 1_000_000_000, 'STANDARD_IA');
    await commit(core, bucket, 'b', 5);
    const preview = await previewDeletion(core, bucket, 'a/');
    expect(preview).toMatchObject({
      objects: 2,
      bytes: 3_000_000_000,
      otherBytes: 1_000_000_000,
      keepsVersions: false,
    });
    const card = RATE_CARDS.find(({ id }) => id === core.settings.rateCardId);
    if (card === undefined) throw new Error('no card');
    const price = (meter: 'storage/STANDARD' | 'storage/STANDARD_IA', bytes: number) =>
      priceOf(card, meter, bytes);
    const saved =
      price('storage/STANDARD', 2_000_000_000) + price('storage/STANDARD_IA', 1_000_000_000);
    expect(preview?.savedPerMonthMicro).toBe(saved);
  });

  it('knows list prices: 100 GB of R2 are 1.50 dollars a month', () => {
    const card = RATE_CARDS.find(({ id }) => id === 'cloudflare-r2');
    if (card === undefined) throw new Error('no card');
    expect(priceOf(card, 'storage/STANDARD', 100e9)).toBe(1_500_000n);
    expect(priceOf(card, 'storage/GLACIER', 100e9)).toBe(0n);
  });
});

describe('a folder', () => {
  it('pages by name, and sorts by size and date with folders first', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    for (const [name, size] of [
      ['c', 1],
      ['a', 3],
      ['b', 2],
      ['x/1', 9],
      ['y/1', 9],
    ] as const) {
      await commit(core, bucket, name, size);
      core.advanceSeconds(1);
    }
    const pages = async (sort: 'name' | 'size' | 'modified', isDescending: boolean) => {
      const names: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const input = { prefix: '', delimiter: '/', sort, isDescending, limit: 2, cursor };
        const page = await listFolder(core, bucket, { ...input, start: null });
        expect(page.isComplete).toBe(true);
        names.push(
          ...page.entries.map((entry) =>
            entry.kind === 'folder' ? entry.prefix : entry.object.key,
          ),
        );
        cursor = page.next;
      }
      return names.join(' ');
    };
    expect(await pages('name', false)).toBe('a b c x/ y/');
    expect(await pages('name', true)).toBe('y/ x/ c b a');
    expect(await pages('size', false)).toBe('x/ y/ c b a');
    expect(await pages('modified', true)).toBe('x/ y/ b a c');
  });

  it('sorts more keys than it holds, page by page', { timeout: 60_000 }, async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const sizes = new Map<string, number>();
    for (let at = 0; at < SORT_MAX_KEYS + 5; at++) {
      sizes.set(`k${at}`, (at * 7919) % 5003);
      await commit(core, bucket, `k${at}`, (at * 7919) % 5003);
    }
    const wanted = [...sizes].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
    const common = { prefix: '', delimiter: '/', sort: 'size', isDescending: true } as const;
    const names: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const input = { ...common, limit: 1000, cursor, start: null };
      const page: FolderPage = await listFolder(core, bucket, input);
      expect(page).toMatchObject({ isComplete: true, rank: names.length });
      names.push(...page.entries.map((entry) => (entry.kind === 'object' ? entry.object.key : '')));
      cursor = page.next;
    }
    expect(names).toEqual(wanted.map(([key]) => key));
    const input = { ...common, limit: 2, cursor: '', start: { at: 5000 } };
    const jumped = await listFolder(core, bucket, input);
    expect(jumped).toMatchObject({ rank: 5000, entries: [{ object: { key: names[5000] } }, {}] });
  });
});
