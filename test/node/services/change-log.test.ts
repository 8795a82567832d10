// The log of changes of buckets that somebody waits for, and those who wait.
import { describe, expect, it } from 'vitest';
import {
  createChangeLog,
  HOLDER_WAITS_MAX,
  noteChanges,
  WAITS_MAX,
} from '../../../src/adapters/shared/change-log.ts';
import type { AccountId, BucketName } from '../../../src/domain/nouns.ts';
import type { MetadataIndex } from '../../../src/ports/metadata-index.ts';

const bucket = 'bucket' as BucketName;
const accountId = 'account' as AccountId;
const now = { bucket, accountId, holder: 'ada', after: null, waitMs: 0 };
/** Longer than a test may take: who waits so long was forgotten. */
const LONG_MS = 60_000;
const commit = (key: string) => ({ object: { key } });

describe('the change log', () => {
  it('begins with the first question, and knows what changed since', async () => {
    const log = createChangeLog(LONG_MS);
    log.note(bucket, 'commitObject', commit('a/1'));
    const { revision, isChanged } = await log.wait(now);
    expect(isChanged).toBe(true);
    log.note('other' as BucketName, 'commitObject', commit('a/1'));
    log.note(bucket, 'listObjects', {});
    log.note(bucket, 'countLevel', {});
    expect(await log.wait({ ...now, after: revision })).toMatchObject({ isChanged: false });
    log.note(bucket, 'commitObject', commit('a/b/1'));
    const move = { kind: 'move', key: 'c', toKeys: ['d/e'] };
    log.note(bucket, 'stepKeyJob', { actions: [move] });
    log.note(bucket, 'setBucketSettings', {});
    const news = await log.wait({ ...now, after: revision, waitMs: LONG_MS });
    expect(news).toMatchObject({ isChanged: true, topics: ['objects', 'jobs', 'bucket'] });
    expect(news.prefixes).toEqual(['a/b/', '', 'd/']);
    expect(await log.wait({ ...now, after: news.revision })).toMatchObject({ isChanged: false });
  });

  it('says that anything may have changed once it has forgotten what', async () => {
    const log = createChangeLog(LONG_MS);
    const { revision } = await log.wait(now);
    for (let at = 0; at < 64; at++) log.note(bucket, 'commitObject', commit(`${at}/x`));
    expect((await log.wait({ ...now, after: revision })).prefixes).toHaveLength(64);
    log.note(bucket, 'commitObject', commit('one more'));
    const forgotten = await log.wait({ ...now, after: revision });
    expect(forgotten).toMatchObject({ isChanged: true, topics: null, prefixes: null });
    const targets = Array.from({ length: 101 }, (_, at) => ({ key: `${at}/x` }));
    log.note(bucket, 'deleteObjects', { targets });
    const many = await log.wait({ ...now, after: forgotten.revision });
    expect(many).toMatchObject({ topics: ['objects'], prefixes: null });
    for (const after of ['', 'x', '-', `${revision}99`, 'another-1'])
      expect((await log.wait({ ...now, after, waitMs: LONG_MS })).topics).toBeNull();
  });

  it('tells the next bucket of a name nothing of the one before', async () => {
    for (const end of ['deleteBucket', 'purgeBucket', 'createBucket'] as const) {
      const log = createChangeLog(LONG_MS);
      const { revision } = await log.wait(now);
      log.note(bucket, 'commitObject', commit('secret/1'));
      log.note(bucket, end, {});
      log.note(bucket, 'commitObject', commit('a/1'));
      const news = await log.wait({ ...now, after: revision });
      expect(news).toMatchObject({ isChanged: true, topics: null, prefixes: null });
    }
  });

  it('wakes who waits by a change, by the time, and by the end of the client', async () => {
    const brief = createChangeLog(20);
    const first = await brief.wait(now);
    const slow = { ...now, after: first.revision, waitMs: LONG_MS };
    expect(await brief.wait(slow)).toMatchObject({ isChanged: false });

    const log = createChangeLog(LONG_MS);
    const { revision: after } = await log.wait(now);
    let release = () => {};
    const left = log.wait({ ...slow, after }, (one) => {
      release = one;
    });
    release();
    release();
    expect((await left).isChanged).toBe(false);
    const waiting = log.wait({ ...slow, after });
    log.note(bucket, 'endKeyJob', {});
    const { revision, ...news } = await waiting;
    expect(news).toEqual({ isChanged: true, topics: ['jobs'], prefixes: [] });
    const ended = log.wait({ ...slow, after: revision });
    log.close();
    expect((await ended).isChanged).toBe(false);
    expect((await log.wait({ ...slow, after: revision })).isChanged).toBe(false);
  });

  it('lets an account wait 64 times at once, and others besides', async () => {
    const log = createChangeLog(LONG_MS);
    const { revision: after } = await log.wait(now);
    const slow = { ...now, after, waitMs: LONG_MS };
    const waits = Array.from({ length: WAITS_MAX }, (_, at) =>
      log.wait({ ...slow, holder: `member ${at % 4}` }),
    );
    await expect(log.wait(slow)).rejects.toMatchObject({ code: 'TooManyRequests' });
    const other = log.wait({ ...slow, accountId: 'other' as AccountId });
    log.note(bucket, 'createUpload', {});
    expect((await Promise.all([...waits, other])).every(({ isChanged }) => isChanged)).toBe(true);
    const again = log.wait({ ...slow, after: (await log.wait(now)).revision });
    log.close();
    expect((await again).isChanged).toBe(false);
  });

  it('leaves to the others of an account what one member may not use', async () => {
    const log = createChangeLog(LONG_MS);
    const { revision: after } = await log.wait(now);
    const slow = { ...now, after, waitMs: LONG_MS };
    const waits = Array.from({ length: HOLDER_WAITS_MAX }, () => log.wait(slow));
    await expect(log.wait(slow)).rejects.toMatchObject({ code: 'TooManyRequests' });
    const other = log.wait({ ...slow, holder: 'grace' });
    log.note(bucket, 'createUpload', {});
    expect((await Promise.all([...waits, other])).every(({ isChanged }) => isChanged)).toBe(true);
    const again = log.wait({ ...slow, after: (await log.wait(now)).revision });
    log.close();
    expect((await again).isChanged).toBe(false);
  });

  it('hears of commands when they have ended, failed ones too, and of no query', async () => {
    const names: string[] = [];
    let end = () => {};
    const call = (_bucket: string, name: string) =>
      name === 'commitObject'
        ? new Promise((_resolve, reject) => {
            end = () => reject(new Error('outcome unknown'));
          })
        : Promise.resolve(null);
    const index = noteChanges({ call } as unknown as MetadataIndex, {
      note: (_bucket, name) => names.push(name),
    });
    await index.call(bucket, 'getBucket', { name: bucket });
    const failing = index.call(bucket, 'commitObject', commit('a') as never);
    await Promise.resolve();
    expect(names).toEqual([]);
    end();
    await expect(failing).rejects.toThrow('outcome unknown');
    expect(names).toEqual(['commitObject']);
  });
});
