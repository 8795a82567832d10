// How long the index remembers finished uploads: seven days, 10,000 at most, cleaned up by later
// completions.
import { describe, expect, it } from 'vitest';
import { createBucketIndex } from '../../src/index/bucket-index.ts';
import { INDEX_SCHEMA } from '../../src/index/tables/index-schema.ts';
import {
  addressOf,
  bucketRecord,
  completionOf,
  deletionOf,
  refOf,
  START_MS,
  uploadOf,
} from '../contract/index/samples.ts';
import { openMigrated } from './kit/open-migrated.ts';

const DAY_MS = 24 * 3600 * 1000;

function open() {
  const sql = openMigrated(INDEX_SCHEMA);
  const index = createBucketIndex(sql);
  const bucket = refOf(index.createBucket({ bucket: bucketRecord() }));
  const finish = (atMs: number) => {
    const upload = uploadOf('k');
    index.createUpload({ bucket, upload });
    const input = { bucket, ...completionOf(upload, [], atMs) };
    index.completeUpload(input);
    return input;
  };
  const rows = () => sql.all<{ n: number }>('SELECT count(*) AS n FROM finished_uploads')[0]?.n;
  return { index, finish, rows, bucket };
}

describe('finished uploads', () => {
  it('are forgotten after seven days', () => {
    const { index, finish, rows } = open();
    const first = finish(START_MS);
    finish(START_MS + 7 * DAY_MS);
    expect(index.completeUpload(first).versionId).toBe(first.object.versionId);
    finish(START_MS + 7 * DAY_MS + 1);
    expect(() => index.completeUpload(first)).toThrow(
      expect.objectContaining({ code: 'NoSuchUpload' }),
    );
    expect(rows()).toBe(2);
  });

  it('are cleaned up faster than they come', () => {
    const { finish, rows } = open();
    for (let number = 0; number < 50; number++) finish(START_MS);
    for (let number = 0; number < 6; number++) finish(START_MS + 8 * DAY_MS);
    expect(rows()).toBe(6);
  });

  it('are 10,000 at most', () => {
    const { index, finish, rows } = open();
    const first = finish(START_MS);
    const second = finish(START_MS);
    for (let number = 0; number < 9_999; number++) finish(START_MS);
    expect(rows()).toBe(10_000);
    expect(() => index.completeUpload(first)).toThrow(
      expect.objectContaining({ code: 'NoSuchUpload' }),
    );
    expect(index.completeUpload(second).versionId).toBe(second.object.versionId);
  });

  it('go with their bucket', () => {
    const { index, finish, rows, bucket } = open();
    const { object, key } = finish(START_MS);
    expect(object.versionId).not.toBe('');
    index.deleteObjects({ bucket, ...deletionOf([key]) });
    index.deleteBucket({ bucket, nowMs: START_MS });
    expect(index.dropOrphanRows({ bucket: addressOf(bucket) })).toEqual({ isDone: true });
    expect(rows()).toBe(0);
  });
});
