// What a deleted bucket leaves behind goes, in steps, and before another bucket gets its number.
import { beforeEach, describe, expect, it } from 'vitest';
import type { BucketRecord } from '../../src/domain/nouns.ts';
import { createBucketIndex } from '../../src/index/bucket-index.ts';
import { INDEX_SCHEMA } from '../../src/index/tables/index-schema.ts';
import type { IndexApi } from '../../src/ports/metadata-index.ts';
import {
  addressOf,
  asKey,
  blobIn,
  bucketRecord,
  completionOf,
  deletionOf,
  fresh,
  keyJobOf,
  newReferenceOf,
  OWNER,
  objectOf,
  partOf,
  refOf,
  START_MS,
  uploadOf,
  wholeOf,
} from '../contract/index/samples.ts';
import { openMigrated } from './kit/open-migrated.ts';

const EMPTY = {
  name_job_items: 0,
  name_job_keys: 0,
  name_job_failures: 0,
  finished_uploads: 0,
  outbox: 0,
  outbox_places: 0,
  buckets: 0,
};

describe('the rests of a deleted bucket', () => {
  let sql: ReturnType<typeof openMigrated>;
  let index: IndexApi;
  let record: BucketRecord;

  beforeEach(() => {
    sql = openMigrated(INDEX_SCHEMA);
    index = createBucketIndex(sql);
    record = index.createBucket({ bucket: bucketRecord() });
  });

  const count = () =>
    Object.fromEntries(
      Object.keys(EMPTY).map((table) => [
        table,
        sql.all<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)[0]?.n,
      ]),
    );

  /**
   * A bucket that did a bit of everything, deleted; messages wait, and so many were given
   * up.
   */
  function live({ dead, waiting }: { dead: number; waiting: number }): void {
    const bucket = refOf(record);
    const upload = uploadOf('u');
    const blobId = blobIn(record);
    const part = partOf(1, [wholeOf(blobId)]);
    index.createUpload({ bucket, upload });
    const { key, uploadId } = upload;
    index.commitPart({ bucket, key, uploadId, part, newReferences: [newReferenceOf(blobId)] });
    index.completeUpload({ bucket, ...completionOf(upload, [part]) });
    const id = fresh('job');
    index.createKeyJob({ bucket, job: keyJobOf(id) });
    index.commitObject({ bucket, object: objectOf('a'), condition: null, newReferences: [] });
    const ids = { versionId: fresh('version') as never, markerId: fresh('version') as never };
    const action = {
      kind: 'move',
      key: asKey('a'),
      toKeys: [asKey('b')],
      ...ids,
      mayReplace: false,
    } as const;
    const step = { next: { after: 'a', at: 0 }, elsewhere: {}, isLast: true, nowMs: START_MS };
    const refused = [{ key: asKey('b'), reason: 'locked' }] as const;
    index.stepKeyJob({ bucket, id, revision: 1, actions: [action], refused, ...step });
    index.createKeyJob({
      bucket,
      job: keyJobOf(fresh('job')),
      keys: [{ key: asKey('c'), toKey: null }],
    });
    const message = {
      queueId: record.id,
      accountId: OWNER,
      endpointId: 'e',
      kind: 'plain',
      type: 't',
    } as const;
    const delivery = { ...message, messageId: null, payload: '{}', orderingKey: '' };
    const send = (n: number) =>
      index.enqueueDeliveries({
        deliveries: Array.from({ length: n }, () => delivery),
        nowMs: START_MS,
      });
    send(dead);
    settle('dead');
    send(waiting);
    index.deleteObjects({ bucket, ...deletionOf(['b', 'u']) });
    index.deleteBucket({ bucket, nowMs: START_MS });
  }

  function settle(outcome: 'dead' | 'delivered'): void {
    const claim = {
      nowMs: START_MS,
      claimMs: 1,
      limit: 10_000,
      perEndpoint: 10_000,
      limits: {},
      after: '',
    };
    const results = index.claimDeliveries(claim).deliveries.map(({ id, attempts }) => ({
      ...{ id, claim: attempts, outcome, dueAtMs: null, status: null, error: null },
    }));
    index.settleDeliveries({ results, nowMs: START_MS });
  }

  /** What the sweep does with it; gives the steps that it took. */
  function sweep(): number {
    const bucket = addressOf(record);
    const { blobs } = index.condemnBlobs({ bucket, olderThanMs: START_MS + 1, limit: 10 });
    index.forgetBlobs({ bucket, blobIds: blobs.map(({ blobId }) => blobId) });
    let steps = 1;
    while (!index.dropOrphanRows({ bucket }).isDone) steps++;
    index.forgetIncarnation({ bucket });
    return steps;
  }

  it('go with it', () => {
    live({ dead: 3, waiting: 0 });
    expect(count()).toEqual({
      name_job_items: 1,
      name_job_keys: 1,
      name_job_failures: 1,
      finished_uploads: 1,
      outbox: 3,
      outbox_places: 1,
      buckets: 1,
    });
    expect(sweep()).toBe(1);
    expect(count()).toEqual(EMPTY);
  });

  it('go in steps', () => {
    live({ dead: 4500, waiting: 0 });
    expect(sweep()).toBe(3);
    expect(count()).toEqual(EMPTY);
  });

  it('keep messages that wait, and with them the incarnation', () => {
    live({ dead: 2, waiting: 2 });
    sweep();
    expect(count()).toMatchObject({ outbox: 2, outbox_places: 1, buckets: 1 });
    settle('delivered');
    sweep();
    expect(count()).toEqual(EMPTY);
  });

  it('stay as long as the bucket lives, and nothing is forgotten before they went', () => {
    const bucket = addressOf(record);
    index.enqueueDeliveries({
      deliveries: [
        {
          ...{
            queueId: record.id,
            accountId: OWNER,
            endpointId: 'e',
            orderingKey: '',
            kind: 'plain',
            type: 't',
          },
          ...{ messageId: null, payload: '{}' },
        },
      ],
      nowMs: START_MS,
    });
    settle('dead');
    expect(index.dropOrphanRows({ bucket })).toEqual({ isDone: true });
    expect(count()).toMatchObject({ outbox: 1 });
    index.deleteBucket({ bucket: refOf(record), nowMs: START_MS });
    index.forgetIncarnation({ bucket });
    expect(count()).toMatchObject({ outbox: 1, buckets: 1 });
  });
});
