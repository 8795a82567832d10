// What is reported of the actions of lifecycle rules: the version by the name that it has in the
// bucket.
import { expect, it } from 'vitest';
import type { LifecycleAction } from '../../src/domain/lifecycle.ts';
import type { BucketRef, VersionId, Versioning } from '../../src/domain/nouns.ts';
import { createBucketIndex } from '../../src/index/bucket-index.ts';
import { INDEX_SCHEMA } from '../../src/index/tables/index-schema.ts';
import { asKey, bucketRecord, OWNER, objectOf, START_MS } from '../contract/index/samples.ts';
import { openMigrated } from './kit/open-migrated.ts';

const run = { setAtMs: 0, startedAtMs: 0, place: null };

function openWorld() {
  const sql = openMigrated(INDEX_SCHEMA);
  const index = createBucketIndex(sql);
  const bucket = index.createBucket({ bucket: bucketRecord() });
  const rule = {
    id: 'r',
    kind: 'queue',
    arn: 'a',
    endpointId: 'e',
    prefix: '',
    suffix: '',
  } as const;
  const events = ['s3:LifecycleExpiration:*', 's3:LifecycleTransition'] as const;
  const notify = { ownerId: OWNER, rules: [{ ...rule, events }], origin: null };
  const ofState = (versioning: Versioning): BucketRef => ({ ...bucket, versioning, notify });
  return {
    put: (versioning: Versioning): VersionId =>
      index.commitObject({
        bucket: ofState(versioning),
        object: objectOf('k'),
        condition: null,
        newReferences: [],
      }).versionId,
    apply: (versioning: Versioning, action: LifecycleAction) =>
      index.applyLifecycle({
        bucket: ofState(versioning),
        actions: [action],
        run,
        nowMs: START_MS + 1,
      }),
    markerOf: () =>
      sql.all<{ version_id: string }>('SELECT version_id FROM versions WHERE is_marker = 1')[0]
        ?.version_id,
    reported: () =>
      sql.all<{ payload: string }>('SELECT payload FROM outbox ORDER BY id').map(({ payload }) => {
        const { name, versionId } = JSON.parse(payload);
        return [name, versionId];
      }),
  };
}

const removal = (versionId: VersionId): LifecycleAction => ({
  kind: 'remove',
  key: asKey('k'),
  versionId,
});

it('an expiry reports a null version without an id, and one of a versioned bucket with it', () => {
  const world = openWorld();
  const nullId = world.put('off');
  const id = world.put('enabled');
  world.put('enabled');
  world.apply('enabled', {
    kind: 'transition',
    key: asKey('k'),
    versionId: nullId,
    storageClass: 'GLACIER',
  });
  world.apply('enabled', removal(nullId));
  world.apply('suspended', removal(id));
  expect(world.reported()).toEqual([
    ['LifecycleTransition', null],
    ['LifecycleExpiration:Delete', null],
    ['LifecycleExpiration:Delete', id],
  ]);
});

it('an expiry reports a marker by the id that it got, though the clock was behind', () => {
  const world = openWorld();
  const versionId = world.put('enabled');
  const markerId = '0'.repeat(versionId.length) as VersionId;
  world.apply('enabled', { kind: 'expire', key: asKey('k'), versionId, markerId });
  expect(world.markerOf()).not.toBe(markerId);
  expect(world.reported()).toEqual([['LifecycleExpiration:DeleteMarkerCreated', world.markerOf()]]);
});
