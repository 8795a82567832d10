// Commits that run together: each by itself, in one transaction, and the totals are those of the
// same commits one after the other.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BucketRecord } from '../../../src/domain/nouns.ts';
import { createBucketIndex } from '../../../src/index/bucket-index.ts';
import { runIndexCall } from '../../../src/index/call-outcome.ts';
import { createCommandGroups } from '../../../src/index/command-group.ts';
import { INDEX_SCHEMA } from '../../../src/index/tables/index-schema.ts';
import type { CommitObjectInput } from '../../../src/ports/metadata-index.ts';
import { bucketRecord, bytesOf, objectOf, refOf, START_MS } from '../../contract/index/samples.ts';
import { fuzzRuns } from '../../fuzz-seed.ts';
import { openMigrated } from '../kit/open-migrated.ts';

function createWorld(bucket: BucketRecord) {
  const base = openMigrated(INDEX_SCHEMA);
  const texts: string[] = [];
  const groups = createCommandGroups({
    ...base,
    all(text, ...values) {
      texts.push(text);
      return base.all<never>(text, ...values);
    },
  });
  const index = createBucketIndex(groups.sql);
  index.createBucket({ bucket });
  return {
    run: (inputs: readonly CommitObjectInput[]) =>
      groups.run(inputs.map((input) => () => runIndexCall(index, 'commitObject', input))),
    totals: () => base.all('SELECT * FROM storage_totals ORDER BY storage_class'),
    hours: () => base.all('SELECT * FROM storage_hours ORDER BY storage_class, hour_ms'),
    objects: () => base.all('SELECT key, etag, version_id FROM objects ORDER BY key'),
    writesOfTotals: () => texts.filter((text) => text.startsWith('UPDATE storage_totals')).length,
  };
}

const commits = fc.array(
  fc.record({
    key: fc.nat({ max: 4 }),
    length: fc.nat({ max: 50 }),
    isCold: fc.boolean(),
    /** It must be new, which it may not be. */
    isNew: fc.boolean(),
    group: fc.nat({ max: 3 }),
    hour: fc.nat({ max: 2 }),
  }),
  { maxLength: 20 },
);

describe('commits in groups', () => {
  it('leave what the same commits leave one after the other', () => {
    fc.assert(
      fc.property(commits, (steps) => {
        const bucket = bucketRecord();
        const [together, alone] = [createWorld(bucket), createWorld(bucket)];
        // One time for each group: the totals of a group count from the latest of its commits.
        let hour = 0;
        for (let group = 0; group <= 3; group++) {
          const own = steps.filter((step) => step.group === group);
          hour += own[0]?.hour ?? 0;
          const inputs = own.map(({ key, length, isCold, isNew }): CommitObjectInput => {
            const inlineBytes = bytesOf('x'.repeat(length));
            const object = objectOf(`k${key}`, {
              inlineBytes,
              sizeBytes: length,
              storageClass: isCold ? 'STANDARD_IA' : 'STANDARD',
              lastModifiedMs: START_MS + hour * 3_600_000,
            } as never);
            const condition = isNew ? { ifMatch: null, ifNoneMatch: '*' as const } : null;
            return { bucket: refOf(bucket), object, condition, newReferences: [] };
          });
          const replies = together.run(inputs);
          const repliesAlone = inputs.flatMap((input) => alone.run([input]));
          expect(replies.map(({ isOk }) => isOk)).toEqual(repliesAlone.map(({ isOk }) => isOk));
        }
        expect(together.totals()).toEqual(alone.totals());
        expect(together.hours()).toEqual(alone.hours());
        expect(together.objects()).toEqual(alone.objects());
      }),
      { numRuns: fuzzRuns(100) },
    );
  });

  it('write the totals of a class once', () => {
    const bucket = bucketRecord();
    const world = createWorld(bucket);
    const inputOf = (key: string): CommitObjectInput => {
      const input = { bucket: refOf(bucket), object: objectOf(key), condition: null };
      return { ...input, newReferences: [] };
    };
    world.run([inputOf('first')]);
    const before = world.writesOfTotals();
    world.run(Array.from({ length: 10 }, (_, at) => inputOf(`k${at}`)));
    expect(world.writesOfTotals() - before).toBe(1);
    expect(world.totals()).toMatchObject([{ current_count: 11 }]);
  });
});
