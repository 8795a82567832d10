// What the metrics say of the size of the index: rows that totals count late are among them.
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openSqliteMetadataIndex } from '../../../src/adapters/node/index/sqlite-metadata-index.ts';
import {
  latePutOf,
  makeBucket,
  putBlobPart,
  START_MS,
  startUpload,
} from '../../contract/index/samples.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

it('the index counts objects and parts of uploads as soon as they are stored', async () => {
  const opened = await openSqliteMetadataIndex({
    path: join(temporaryFolder(), 'index.sqlite'),
    watcher: { block() {}, unblock() {} },
    onCrash(error) {
      throw error;
    },
  });
  onTestFinished(() => opened.close());
  const { metadataIndex: index, families } = opened;
  const rows = () =>
    families().find(({ name }) => name === 'quayside_index_rows')?.samples[0]?.value;
  expect(rows()).toBe(0);

  const [bucket, other] = [await makeBucket(index), await makeBucket(index)];
  for (let at = 0; at < 3; at++) {
    const times = { atMs: START_MS + at * 1000 };
    await index.call(bucket.name, 'commitObject', latePutOf(bucket, `k${at}`, times));
    expect(rows()).toBe(at + 1);
  }
  for (const [at, one] of [bucket, other].entries()) {
    const upload = await startUpload(index, one, 'upload', {}, 'joined');
    await putBlobPart(index, one, upload, 1);
    await putBlobPart(index, one, upload, 2);
    expect(rows()).toBe(3 + 2 * (at + 1));
  }
});
