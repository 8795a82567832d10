// A thousand links, recipients and files: what a read and a step cost does not grow with them,
// lists come in pages, all are revoked in few steps, and go with their bucket.
import { describe, expect, it } from 'vitest';
import { revokeBelow } from '../../../src/core/links/share/change-share.ts';
import type { LabelId, LinkId } from '../../../src/domain/links/link-ids.ts';
import {
  DROP_FILES_DEFAULT,
  DROP_SENDERS_MAX,
  LABELS_PER_LINK_MAX,
  LINKS_PER_BUCKET_MAX,
  LINKS_PER_PAGE_MAX,
} from '../../../src/domain/links/link-limits.ts';
import type { ShareLink } from '../../../src/domain/links/share-links.ts';
import { NO_COUNTS } from '../../../src/domain/links/share-records.ts';
import { createBucketIndex } from '../../../src/index/bucket-index.ts';
import { INDEX_SCHEMA } from '../../../src/index/tables/index-schema.ts';
import type { Sql } from '../../../src/ports/sql.ts';
import { addressOf, bucketRecord, refOf, START_MS } from '../../contract/index/samples.ts';
import { entryOf, shareLinkOf } from '../../contract/index/share-links.contract.ts';
import { NOBODY } from '../../core/links/share-kit.ts';
import { createMemoryCore, openTestBucket, withPorts } from '../../core/memory-core.ts';
import { openCounting } from '../kit/open-counting.ts';
import { DROP_ENTRY, DROP_LINK, dropFileOf } from '../kit/use-drop-links.ts';

const LIMITS = { downloads: 1_000_000, bytes: null, moneyMicro: null, moneyBytes: null };

/** An index with a bucket, of which each call is measured in steps of SQLite. */
function openMeasured() {
  const { sql, counted } = openCounting(INDEX_SCHEMA);
  const taken = () => counted('vmStep').reduce((sum, { n }) => sum + n, 0);
  const stepsOf = (work: () => void) => {
    const before = taken();
    work();
    return taken() - before;
  };
  const index = createBucketIndex(sql);
  const record = index.createBucket({ bucket: bucketRecord() });
  return { sql, index, record, stepsOf, bucket: refOf(record), address: addressOf(record) };
}

const linkAt = (at: number, change: Partial<ShareLink> = {}) =>
  shareLinkOf({ id: `${at}`.padStart(22, '0') as LinkId, createdAtMs: START_MS + at, ...change });
const labelAt = (at: number) => ({
  id: `${at}`.padStart(8, '0') as LabelId,
  name: `recipient ${at}`,
  createdAtMs: START_MS,
  revokedAtMs: null,
});

/** Rows of a recursive query, since a call for each would take a second. */
const NUMBERS = (count: number) =>
  `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT ${count})`;

describe('a thousand share links of a bucket', () => {
  function withLinks(count: number) {
    const world = openMeasured();
    const { index, bucket, address, stepsOf } = world;
    for (let at = 0; at < count; at++)
      index.addShareLink({ bucket, link: linkAt(at, { limits: LIMITS }), entry: entryOf() });
    const { id } = linkAt(0);
    const request = {
      ...{ linkId: id, labelId: null, downloadId: 'd', sizeBytes: 10, permitId: 'p' },
      ...{ offsetBytes: 0, lengthBytes: 10 },
    };
    const times = { nowMs: START_MS, untilMs: START_MS + 1000 };
    const progress = { permitId: 'p', sentBytes: 10 };
    const day = { linkId: id, labelId: null, dayMs: 0, referrers: {}, countries: {}, ...NO_COUNTS };
    const calls = {
      read: () => void index.findShareLink({ bucket: address, id, labelId: null }),
      begin: () => void index.beginShareDownload({ bucket: address, request, ...times }),
      settle: () =>
        void index.settleShareDownload({ bucket: address, linkId: id, progress, nowMs: START_MS }),
      count: () => void index.addShareCounts({ bucket: address, days: [day], nowMs: START_MS }),
    };
    const steps = Object.fromEntries(
      Object.entries(calls).map(([name, call]) => [name, stepsOf(call)]),
    );
    return { ...world, steps };
  }

  it('cost a read, a permit and a count no more than one', () => {
    expect(withLinks(1000).steps).toEqual(withLinks(1).steps);
  });

  it('are listed in pages, each as dear as the first', () => {
    const { index, bucket, stepsOf } = withLinks(1000);
    const seen: ShareLink[] = [];
    const costs: number[] = [];
    for (let page = 0; page < 10; page++)
      costs.push(
        stepsOf(() => {
          const input = { bucket, before: seen.at(-1) ?? null, limit: LINKS_PER_PAGE_MAX };
          seen.push(...index.listShareLinks(input).map(({ link }) => link));
        }),
      );
    expect(new Set(seen.map(({ id }) => id)).size).toBe(1000);
    expect(Math.max(...costs)).toBeLessThan(1.1 * Math.min(...costs));
  });

  it('have a bound', () => {
    const { sql, index, bucket } = withLinks(1);
    sql.all(
      `${NUMBERS(LINKS_PER_BUCKET_MAX - 1)}
       INSERT INTO share_links (bucket, id, created_at_ms, revision, link)
       SELECT s.bucket, 'x' || n, s.created_at_ms, 1, s.link FROM numbers, share_links AS s`,
    );
    const add = () => index.addShareLink({ bucket, link: linkAt(2), entry: entryOf() });
    expect(add).toThrow(expect.objectContaining({ code: 'QuotaExceeded' }));
  });

  it('are revoked below a prefix by a commit for each hundred', async () => {
    const memory = createMemoryCore();
    const calls: string[] = [];
    const { metadataIndex } = memory.ports;
    const call = ((bucketName: never, name: string, input: never) => {
      calls.push(name);
      return metadataIndex.call(bucketName, name as never, input);
    }) as unknown as typeof metadataIndex.call;
    const core = withPorts(memory, { metadataIndex: { ...metadataIndex, call } });
    const bucket = await openTestBucket(core);
    const targetAt = (at: number) =>
      ({ kind: 'folder', prefix: at < 1000 ? `a/${at}/` : `b/${at}/` }) as const;
    for (let at = 0; at < 1005; at++)
      await bucket.call('addShareLink', {
        link: linkAt(at, { target: targetAt(at) }),
        entry: entryOf(),
      });
    calls.length = 0;
    expect(await revokeBelow(core, bucket, 'a/', NOBODY)).toBe(1000);
    expect(calls).toEqual(Array.from({ length: 11 }, () => 'revokeShareLinks'));
    const { id: revoked } = linkAt(7);
    const { id: other } = linkAt(1001);
    const { id: bucketId, name } = bucket.record();
    const read = (id: LinkId) =>
      core.ports.metadataIndex.call(name, 'getShareLink', {
        bucket: { id: bucketId, name },
        id,
      });
    expect((await read(revoked))?.link).toMatchObject({ revision: 2 });
    expect((await read(revoked))?.link.revokedAtMs).not.toBeNull();
    expect((await read(other))?.link).toMatchObject({ revision: 1, revokedAtMs: null });
    const history = await bucket.call('listShareHistory', { id: revoked });
    expect(history.map(({ action }) => action)).toEqual(['revoked', 'created']);
  });
});

it('a link has so many recipients, and a permit of one costs what it costs of the first', () => {
  function withLabels(count: number) {
    const { index, bucket, address, stepsOf } = openMeasured();
    const link = linkAt(0, { limits: LIMITS });
    index.addShareLink({ bucket, link, entry: entryOf() });
    const put = (at: number) =>
      index.putShareLabel({ bucket, linkId: link.id, label: labelAt(at), entry: entryOf() });
    for (let at = 0; at < count; at++) put(at);
    const request = {
      ...{ linkId: link.id, labelId: labelAt(0).id, downloadId: 'd', sizeBytes: 10 },
      ...{ permitId: 'p', offsetBytes: 0, lengthBytes: 10 },
    };
    const times = { nowMs: START_MS, untilMs: START_MS + 1000 };
    const steps = stepsOf(
      () => void index.beginShareDownload({ bucket: address, request, ...times }),
    );
    return { put, steps, read: () => index.getShareLink({ bucket: address, ...link, ...times }) };
  }
  const { put, steps, read } = withLabels(LABELS_PER_LINK_MAX);
  expect(steps).toBe(withLabels(1).steps);
  expect(read()?.labels).toHaveLength(LABELS_PER_LINK_MAX);
  const one = () => put(LABELS_PER_LINK_MAX);
  expect(one).toThrow(expect.objectContaining({ code: 'QuotaExceeded' }));
});

describe('ten thousand senders and files of a drop link', () => {
  const { id: linkId } = DROP_LINK;
  const fields = { name: '', mail: '', note: '' };

  function withFiles(count: number, files = DROP_FILES_DEFAULT) {
    const world = openMeasured();
    const { sql, index, bucket } = world;
    const link = { ...DROP_LINK, limits: { ...DROP_LINK.limits, files } };
    index.addDropLink({ bucket, link, max: 10, entry: DROP_ENTRY });
    const addSender = (id: string) =>
      index.addDropSender({ bucket, linkId, id, fields, source: id, nowMs: START_MS });
    addSender('sender');
    index.addDropFile({ bucket, ...dropFileOf('first'), nowMs: START_MS });
    copyRows(sql, count - 1);
    const addFile = (id: string) =>
      index.addDropFile({ bucket, ...dropFileOf(id), nowMs: START_MS });
    return { ...world, addSender, addFile };
  }

  /** Adds copies of the one sender and of the one file, which are finished. */
  function copyRows(sql: Sql, count: number): void {
    if (count > 0) {
      sql.all(
        `${NUMBERS(count)}
         INSERT INTO drop_senders (bucket, link_id, id, created_at_ms, source, fields, files)
         SELECT s.bucket, s.link_id, 'x' || n, 0, 'x' || n, s.fields, 1
         FROM numbers, drop_senders AS s`,
      );
      sql.all(
        `${NUMBERS(count)}
         INSERT INTO drop_files (bucket, link_id, id, sender_id, path, key, upload_id, content_type,
           length_bytes, progress, created_at_ms, expires_at_ms, finished_at_ms)
         SELECT f.bucket, f.link_id, 'x' || n, 'x' || n, f.path, f.key, f.upload_id,
           f.content_type, 100, f.progress, 0, f.expires_at_ms, 1 FROM numbers, drop_files AS f`,
      );
    }
    sql.all('UPDATE drop_links SET files = ?, senders = ?', count + 1, count + 1);
  }

  it('cost another sender, file and read no more than a hundred', () => {
    const stepsWith = (count: number) => {
      const { index, bucket, stepsOf, addSender, addFile } = withFiles(count, 20_000);
      const page = { bucket, linkId, after: '', limit: 100 };
      return [
        stepsOf(() => addSender('another')),
        stepsOf(() => addFile('another')),
        stepsOf(() => void index.getDropLink({ bucket, id: linkId, nowMs: START_MS })),
        stepsOf(() => void index.listDropSenders(page)),
        stepsOf(() => void index.listDropFiles({ ...page, senderId: null })),
        stepsOf(() => void index.listDropFiles({ ...page, senderId: 'sender' })),
      ];
    };
    expect(stepsWith(9000)).toEqual(stepsWith(200));
  });

  it('are all that there may be', () => {
    const { addSender, addFile } = withFiles(DROP_FILES_DEFAULT);
    expect(DROP_SENDERS_MAX).toBe(DROP_FILES_DEFAULT);
    expect(() => addFile('another')).toThrow(expect.objectContaining({ code: 'QuotaExceeded' }));
    expect(() => addSender('another')).toThrow(expect.objectContaining({ code: 'AccessDenied' }));
  });

  it('are listed in pages, and revoked with the other links of a prefix at once', () => {
    const { index, bucket, sql } = withFiles(1000);
    const ids: string[] = [];
    for (let isLast = false; !isLast; ) {
      const page = { bucket, linkId, senderId: null, after: ids.at(-1) ?? '', limit: 300 };
      const files = index.listDropFiles(page);
      ids.push(...files.map(({ id }) => id));
      isLast = files.length < 300;
    }
    expect(new Set(ids).size).toBe(1000);
    for (const [prefix, quarantine] of [
      ['in/photos/', null],
      ['in_/', null],
      ['elsewhere/', 'in/waiting/'],
    ] as const) {
      const id = prefix.padEnd(22, '0') as LinkId;
      const link = { ...DROP_LINK, id, prefix, quarantine };
      index.addDropLink({ bucket, link, max: 10, entry: DROP_ENTRY });
    }
    expect(index.revokeDropLinks({ bucket, prefix: 'in/', changer: NOBODY, nowMs: 7 })).toBe(3);
    expect(index.revokeDropLinks({ bucket, prefix: 'in/', changer: NOBODY, nowMs: 8 })).toBe(0);
    const entry = { ...NOBODY, atMs: 7, action: 'revoked', changes: { revokedAtMs: [null, 7] } };
    const history = index.listShareHistory({ bucket, id: linkId });
    expect(history).toContainEqual(entry);
    const links = index.listDropLinks({ bucket, after: '', limit: 10, nowMs: START_MS });
    expect(links.map(({ link }) => [link.prefix, link.revokedAtMs, link.revision])).toEqual([
      ['in/', 7, 2],
      ['elsewhere/', 7, 2],
      ['in/photos/', 7, 2],
      ['in_/', null, 1],
    ]);
    expect(index.revokeDropLinks({ bucket, prefix: '', changer: NOBODY, nowMs: 9 })).toBe(1);
    expect(sql.all('SELECT 1 FROM drop_links')).toHaveLength(4);
  });

  it('go with their link in few steps', () => {
    const { sql, index, bucket, stepsOf } = withFiles(DROP_FILES_DEFAULT);
    const costs: number[] = [];
    for (let isDone = false; !isDone; )
      costs.push(
        stepsOf(() => {
          ({ isDone } = index.removeDropLink({ bucket, id: linkId, nowMs: START_MS }));
        }),
      );
    expect(costs).toHaveLength(10);
    expect(sql.all('SELECT 1 FROM drop_files UNION ALL SELECT 1 FROM drop_senders')).toEqual([]);
  });

  it('go with their bucket, in steps that hold nobody up, with its share links', () => {
    const { sql, index, bucket, address, stepsOf } = withFiles(DROP_FILES_DEFAULT);
    index.removeDropFile({ bucket, linkId, fileId: 'first', nowMs: START_MS });
    const link = linkAt(0, { limits: LIMITS });
    index.addShareLink({ bucket, link, entry: entryOf() });
    const label = { bucket, linkId: link.id, label: labelAt(0), entry: entryOf() };
    index.putShareLabel(label);
    sql.all(
      `${NUMBERS(5000)}
       INSERT INTO share_days (bucket, link_id, day_ms, label_id, opened, started, completed,
         aborted, bytes, tops)
       SELECT bucket, id, n, '', 1, 1, 1, 1, 1, '{}' FROM numbers, share_links`,
    );
    const request = {
      ...{ linkId: link.id, labelId: null, downloadId: 'd', sizeBytes: 10, permitId: 'p' },
      ...{ offsetBytes: 0, lengthBytes: 10 },
    };
    const times = { nowMs: START_MS, untilMs: START_MS + 1000 };
    index.beginShareDownload({ bucket: address, request, ...times });
    const ending = stepsOf(() => index.deleteBucket({ bucket, nowMs: START_MS }));
    expect(ending).toBeLessThan(10_000);

    const costs: number[] = [];
    for (let isDone = false; !isDone; )
      costs.push(
        stepsOf(() => {
          ({ isDone } = index.dropOrphanRows({ bucket: address }));
        }),
      );
    expect(costs).toHaveLength(6);
    index.forgetIncarnation({ bucket: address });
    const tables = sql.all<{ name: string }>(
      `SELECT name FROM sqlite_schema
       WHERE type = 'table' AND (name GLOB 'share[_]*' OR name GLOB 'drop[_]*')`,
    );
    expect(tables).toHaveLength(10);
    for (const { name } of tables)
      expect([name, sql.all(`SELECT 1 FROM ${name}`)]).toEqual([name, []]);
  });
});
