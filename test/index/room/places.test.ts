// Places in packs when a commit that has got one is undone: no body may get an id of another pack,
// whose versions go on naming theirs.
import { describe, expect, it } from 'vitest';
import { createBucketIndex } from '../../../src/index/bucket-index.ts';
import { BODIES_PER_PACK } from '../../../src/index/objects/pack-rows.ts';
import { INDEX_SCHEMA } from '../../../src/index/tables/index-schema.ts';
import {
  addressOf,
  blobIn,
  bucketRecord,
  bytesOf,
  objectOf,
  refOf,
} from '../../contract/index/samples.ts';
import { openMigrated } from '../kit/open-migrated.ts';

describe('places in packs', () => {
  it('stay in their pack when the commit of its last body is undone', () => {
    const base = openMigrated(INDEX_SCHEMA);
    let isBroken = false;
    const index = createBucketIndex({
      ...base,
      all(text, ...values) {
        if (isBroken && text.startsWith('INSERT OR REPLACE INTO objects')) throw new Error('full');
        return base.all<never>(text, ...values);
      },
    });
    const bucket = bucketRecord();
    index.createBucket({ bucket });
    const { id, name } = bucket;
    const commit = (key: string) => {
      const inlineBytes = bytesOf(key);
      const object = objectOf(key, { inlineBytes, sizeBytes: inlineBytes.length } as never);
      const input = { bucket: refOf(bucket), object, condition: null, newReferences: [] };
      return index.commitObject({ ...input, packId: blobIn(bucket) });
    };
    const move = (blobId: NonNullable<ReturnType<typeof commit>['fullPack']>) => {
      const pack = { bucket: addressOf(bucket), blobId };
      const bodyIds = index.readPack(pack)?.bodies.map((body) => body.id) ?? [];
      return index.adoptPack({ ...pack, bodyIds, nowMs: 0 });
    };
    const fill = (prefix: string) => {
      for (let at = 1; at < BODIES_PER_PACK; at++)
        expect(commit(`${prefix}${at}`).fullPack).toBeUndefined();
    };

    fill('a');
    const { fullPack = null } = commit('a0');
    expect(fullPack === null ? null : move(fullPack)).toBe(BODIES_PER_PACK);
    fill('b');
    isBroken = true;
    expect(() => commit('b0')).toThrow('full');
    isBroken = false;
    const last = commit('c0');
    for (const key of ['a0', 'a1', 'b1', 'c0']) {
      const { object } = index.resolve({ name, key: key as never });
      const found = object?.inlineBytes ?? null;
      expect([key, found === null ? null : new TextDecoder().decode(found)]).toEqual([
        key,
        key.startsWith('a') ? null : key,
      ]);
    }
    expect(last.fullPack).toMatch(id);
    expect(last.fullPack === undefined ? null : move(last.fullPack)).toBe(BODIES_PER_PACK);
  });
});
