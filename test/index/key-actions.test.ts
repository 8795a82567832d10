// Actions on keys with more rows than one commit takes: they go on in the next step, and are
// counted once. And which events an edit has.
import { beforeEach, describe, expect, it } from 'vitest';
import type { KeyAction, KeyJob } from '../../src/domain/keys/key-jobs.ts';
import type { BucketRef, VersionId } from '../../src/domain/nouns.ts';
import type { Tags } from '../../src/domain/object-facts.ts';
import { createBucketIndex } from '../../src/index/bucket-index.ts';
import { done } from '../../src/index/key-jobs/action-results.ts';
import { eventsOfAction } from '../../src/index/key-jobs/key-job-events.ts';
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
import { openMigrated } from './kit/open-migrated.ts';

describe('an action with many rows', () => {
  let index: IndexApi;
  let bucket: BucketRef;

  beforeEach(() => {
    index = createBucketIndex(openMigrated(INDEX_SCHEMA));
    bucket = { ...refOf(index.createBucket({ bucket: bucketRecord() })), versioning: 'enabled' };
  });

  const write = (key: string, times: number) => {
    for (let n = 0; n < times; n++) {
      index.commitObject({ bucket, object: objectOf(key), condition: null, newReferences: [] });
    }
  };
  const hide = (key: string, times: number) => {
    for (let n = 0; n < times; n++) index.deleteObjects({ bucket, ...deletionOf([key]) });
  };

  /** Steps of a job about one list of keys, as run-key-job.ts makes them, until it is over. */
  function run(actions: readonly KeyAction[]): { readonly job: KeyJob; readonly steps: number } {
    const id = fresh('job');
    index.createKeyJob({ bucket, job: keyJobOf(id) });
    let job: KeyJob = keyJobOf(id);
    for (let steps = 1; steps < 10; steps++) {
      const { at } = job;
      const cursors = actions.slice(at).map((_, i) => ({ after: '', at: at + i + 1 }));
      const stepped = index.stepKeyJob({
        ...{
          bucket,
          id,
          revision: job.revision,
          actions: actions.slice(job.at),
          elsewhere: {},
          cursors,
          isLast: true,
        },
        ...{ next: { after: '', at: actions.length }, nowMs: START_MS },
      });
      if (stepped === null) throw new Error('refused');
      job = stepped.job;
      if (job.state !== 'running') return { job, steps };
    }
    throw new Error('never ends');
  }

  it('brings a version back from behind more markers than one step removes', () => {
    write('k', 2);
    hide('k', 300);
    const { job, steps } = run([{ kind: 'unhide', key: asKey('k'), onlyMarkerId: null }]);
    expect(job).toMatchObject({ state: 'done', counts: { done: 1, missing: 0 } });
    expect(steps).toBe(2);
    expect(index.getVersion({ bucket, key: asKey('k'), versionId: null })).toMatchObject({
      kind: 'object',
    });
  });

  it('leaves a key alone that has nothing but markers', () => {
    hide('k', 3);
    const { job } = run([{ kind: 'unhide', key: asKey('k'), onlyMarkerId: null }]);
    expect(job.counts).toMatchObject({ done: 0, missing: 1 });
    const page = {
      bucket,
      prefix: '',
      delimiter: '',
      afterKey: '',
      afterVersionId: '',
      maxKeys: 10,
    } as const;
    expect(index.listVersions(page).versions).toHaveLength(3);
  });

  it.each([249, 250, 251, 600])('removes %i rows of a key, and counts it once', (rows) => {
    write('k', rows - 1);
    hide('k', 1);
    const { job } = run([{ kind: 'purge', key: asKey('k') }]);
    expect(job.counts).toMatchObject({ done: 1, missing: 0 });
    expect(index.listHidden({ bucket, prefix: '', after: '', limit: 10 })).toEqual([]);
  });

  it('counts the last key of a step once whose rows fill it to the brim', () => {
    const keys = Array.from({ length: 11 }, (_, n) => `k${n}`);
    for (const key of keys) {
      write(key, 199);
      hide(key, 1);
    }
    const { job, steps } = run(keys.map((key) => ({ kind: 'purge', key: asKey(key) })));
    expect(job.counts).toMatchObject({ done: 11, missing: 0 });
    expect(steps).toBe(2);
  });
});

describe('events of an edit', () => {
  const [key, onlyVersionId, versionId] = [asKey('k'), 'old' as VersionId, 'new' as VersionId];
  const attributes = { headers: {}, userMetadata: {}, storageClass: 'STANDARD', tags: { a: 'b' } };
  const namesOf = (onlyTags: Tags | null, editedId: VersionId | null) => {
    const action = { kind: 'edit', key, onlyVersionId, onlyTags, versionId, attributes } as const;
    const result = done({ versionId: editedId });
    return eventsOfAction('enabled', action, result, START_MS).map(({ name }) => name);
  };

  it.each<[string, Tags | null, VersionId | null, readonly string[]]>([
    ['nothing changed', { a: 'b' }, null, []],
    ['other tags', { a: 'c' }, onlyVersionId, ['ObjectTagging:Put']],
    ['a lock alone', { a: 'b' }, onlyVersionId, []],
    ['a new version', { a: 'b' }, versionId, ['ObjectCreated:Copy']],
  ])('tell what it changed: %s', (_, onlyTags, editedId, expected) => {
    expect(namesOf(onlyTags, editedId)).toEqual(expected);
  });
});
