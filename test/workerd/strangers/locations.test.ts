// Where the object of a bucket is made, by what CreateBucket says. Workerd has no locations: what
// the namespace is asked for is looked at.
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { createBucketNames } from '../../../src/adapters/cloudflare/clients/bucket-names.ts';
import { createDoBucketChanges } from '../../../src/adapters/cloudflare/clients/do-bucket-changes.ts';
import { createDoMetadataIndex } from '../../../src/adapters/cloudflare/clients/do-metadata-index.ts';
import { createBucketFeeds } from '../../../src/adapters/cloudflare/pointers/bucket-feeds.ts';
import type { BucketLocation } from '../../../src/domain/locations/bucket-locations.ts';
import type { NotedBucketName } from '../../../src/ports/directory.ts';
import { freshBucketName, PUBLIC, recordOf } from '../kit/bucket.ts';
import { createTestClock } from '../kit/colo-isolate.ts';

function isolate(location: BucketLocation | null) {
  const asked: string[] = [];
  const noted: { value: NotedBucketName | null } = { value: { location } };
  const namespace = (of: string) => ({
    idFromName: (name: string) => env.BUCKETS.idFromName(`${of}${name}`),
    get(id: DurableObjectId, options?: object) {
      asked.push(`${of}${JSON.stringify(options ?? null)}`);
      return env.BUCKETS.get(id);
    },
    jurisdiction: (name: string) => namespace(`${name}:`),
  });
  const buckets = namespace('') as unknown as typeof env.BUCKETS;
  const clock = createTestClock();
  const names = createBucketNames({
    clock,
    background: { run: () => undefined },
    colo: {
      readName: async () => null,
      putName: async () => undefined,
      removeName: async () => undefined,
    },
    ask: async () => noted.value,
  });
  const index = createDoMetadataIndex(buckets, names, clock, createBucketFeeds(clock), 3);
  return { index, changes: createDoBucketChanges(buckets, names), asked, noted, clock };
}

describe('the object of a bucket', () => {
  it.each([
    [null, 'null'],
    ['weur', '{"locationHint":"weur"}'],
    ['eu', 'eu:null'],
    ['us', 'us:null'],
  ] as const)('noted for %s is made and called there', async (location, where) => {
    const { index, changes, asked } = isolate(location);
    const name = freshBucketName();
    const record = await index.call(name, 'createBucket', { bucket: recordOf(name, PUBLIC) });
    expect(await index.call(name, 'resolve', { name, key: 'k' as never })).toMatchObject({
      bucket: { id: record.id },
    });
    const holder = { accountId: record.ownerId, holder: 'key' };
    await changes.wait({ bucket: name, ...holder, after: null, waitMs: 1 });
    expect(asked.length).toBeGreaterThanOrEqual(3);
    expect(new Set(asked)).toEqual(new Set([where]));
  });

  it('is looked for anew where it was before its name was forgotten and made again', async () => {
    const { index, asked, noted, clock } = isolate(null);
    const name = freshBucketName();
    expect(await index.call(name, 'getBucket', { name })).toBe(null);
    const elsewhere = isolate('eu');
    await elsewhere.index.call(name, 'createBucket', { bucket: recordOf(name, PUBLIC) });
    noted.value = { location: 'eu' };
    clock.ms += 10_000;
    expect(await index.call(name, 'getBucket', { name })).toMatchObject({ name });
    expect(asked).toEqual(['null', 'null', 'eu:null']);
  });
});
