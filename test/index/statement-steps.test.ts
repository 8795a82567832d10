// What a command takes of SQLite does not grow with what is there: counted in steps of its virtual
// machine, which tell the rows that a statement goes over even where a plan speaks of a seek.
import { describe, expect, it } from 'vitest';
import type { BucketRef, VersionId, Versioning } from '../../src/domain/nouns.ts';
import { createBucketIndex } from '../../src/index/bucket-index.ts';
import { FIRST_VERSION, listOlderVersions } from '../../src/index/maintenance/inventory.ts';
import { INDEX_SCHEMA } from '../../src/index/tables/index-schema.ts';
import type { IndexApi } from '../../src/ports/metadata-index.ts';
import {
  asKey,
  bucketRecord,
  deletionOf,
  fresh,
  keyJobOf,
  objectOf,
  refOf,
  START_MS,
} from '../contract/index/samples.ts';
import { openCounting } from './kit/open-counting.ts';

/** An index of which each call can be measured. */
function openMeasured() {
  const { sql, counted } = openCounting(INDEX_SCHEMA);
  const taken = () => counted('vmStep').reduce((sum, { n }) => sum + n, 0);
  const stepsOf = (work: () => void) => {
    const before = taken();
    work();
    return taken() - before;
  };
  return { index: createBucketIndex(sql), stepsOf };
}

const as = (bucket: BucketRef, versioning: Versioning): BucketRef => ({
  ...refOf(bucket),
  versioning,
});

const commit = (index: IndexApi, bucket: BucketRef) =>
  index.commitObject({ bucket, object: objectOf('k'), condition: null, newReferences: [] });
const drop = (index: IndexApi, bucket: BucketRef) =>
  index.deleteObjects({ bucket, ...deletionOf(['k']) });

/** What is done to one key, each from the state that the one before leaves. */
const COMMANDS: readonly (readonly [string, (index: IndexApi, bucket: BucketRef) => void])[] = [
  ['a write over an object', (index, bucket) => commit(index, as(bucket, 'enabled'))],
  ['a delete marker on an object', (index, bucket) => drop(index, as(bucket, 'enabled'))],
  ['a delete marker on another', (index, bucket) => drop(index, as(bucket, 'enabled'))],
  ['a write over a delete marker', (index, bucket) => commit(index, as(bucket, 'enabled'))],
  ['a null version', (index, bucket) => commit(index, as(bucket, 'suspended'))],
  ['a null marker', (index, bucket) => drop(index, as(bucket, 'suspended'))],
  [
    'bringing back what a marker hides',
    (index, bucket) => {
      const id = fresh('job');
      index.createKeyJob({ bucket, job: keyJobOf(id) });
      const actions = [{ kind: 'unhide', key: asKey('k'), onlyMarkerId: null }] as const;
      const step = { next: { after: 'k', at: 0 }, elsewhere: {}, isLast: true, nowMs: START_MS };
      index.stepKeyJob({ bucket, id, revision: 1, actions, ...step });
    },
  ],
  [
    'removing the newest version',
    (index, bucket) => {
      const found = index.getVersion({
        bucket: as(bucket, 'enabled'),
        key: asKey('k'),
        versionId: null,
      });
      const { targets, ...rest } = deletionOf(['k']);
      const versionId = found?.kind === 'object' ? found.object.versionId : ('' as VersionId);
      index.deleteObjects({
        bucket,
        ...rest,
        targets: targets.map((target) => ({ ...target, versionId })),
      });
    },
  ],
];

/** Steps of each command on a key with so many versions, by its name. */
function stepsWith(versions: number): Readonly<Record<string, number>> {
  const { index, stepsOf } = openMeasured();
  const record = index.createBucket({ bucket: bucketRecord() });
  for (let n = 0; n < versions; n++) commit(index, as(record, 'enabled'));
  return Object.fromEntries(
    COMMANDS.map(([name, run]) => [name, stepsOf(() => run(index, record))]),
  );
}

describe('statements of the index', () => {
  it('take as much of a key with many versions as of one with few', () => {
    const few = stepsWith(10);
    const many = stepsWith(500);
    const grown = Object.keys(few).filter((name) => (many[name] ?? 0) > (few[name] ?? 0) + 100);
    expect(grown, JSON.stringify({ few, many })).toEqual([]);
  });

  it('list what is hidden without going over all markers that stand before a version', () => {
    const stepsBehind = (markers: number) => {
      const { index, stepsOf } = openMeasured();
      const bucket = as(index.createBucket({ bucket: bucketRecord() }), 'enabled');
      commit(index, bucket);
      for (let n = 0; n < markers; n++) drop(index, bucket);
      let found: readonly unknown[] = [];
      const steps = stepsOf(() => {
        found = index.listHidden({ bucket, prefix: '', after: '', limit: 10 });
      });
      return { steps, found };
    };
    expect(stepsBehind(100).found).toMatchObject([
      { key: 'k', newest: { storageClass: 'STANDARD' } },
    ]);
    const [some, many] = [stepsBehind(300), stepsBehind(900)];
    expect(many.steps).toBeLessThan(some.steps + 100);
    expect(many.found).toMatchObject([{ key: 'k', newest: null }]);
  });

  it('show older versions to a check without going over all delete markers between them', () => {
    const { sql, counted } = openCounting(INDEX_SCHEMA);
    const index = createBucketIndex(sql);
    const bucket = as(index.createBucket({ bucket: bucketRecord() }), 'enabled');
    for (let n = 0; n < 2; n++) commit(index, bucket);
    for (let n = 0; n < 900; n++) index.deleteObjects({ bucket, ...deletionOf([`a ${n}`]) });

    let steps = 0;
    let after = FIRST_VERSION;
    const versions: unknown[] = [];
    for (let isMore = true; isMore; ) {
      const before = counted('vmStep').reduce((sum, { n }) => sum + n, 0);
      const page = listOlderVersions(sql, { after, limit: 10, withBodies: false });
      steps = Math.max(steps, counted('vmStep').reduce((sum, { n }) => sum + n, 0) - before);
      versions.push(...page.versions);
      isMore = page.next !== null;
      after = page.next ?? after;
    }
    expect(versions).toMatchObject([{ version: { key: 'k' } }]);
    expect(steps).toBeLessThan(2000);
  });
});
