// How old public reads are while everything changes: isolates that read without a pause race one
// that overwrites, deletes, and closes and opens the bucket. Every answer is judged by when what it
// says stopped being true.
import { describe, expect, it } from 'vitest';
import { purge } from '../../../src/core/buckets/purge.ts';
import { NO_EXPECTATION } from '../../../src/core/objects/body-expectation.ts';
import { deleteObjects } from '../../../src/core/objects/delete-objects.ts';
import { putObject } from '../../../src/core/objects/put-object.ts';
import { openBucket } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { type BucketAccess, PRIVATE_ACCESS } from '../../../src/domain/bucket-access.ts';
import type { ObjectKey } from '../../../src/domain/nouns.ts';
import { PUBLIC_ACCESS } from '../../access-samples.ts';
import { patternBytes, sourceOf } from '../../contract/bodies.ts';
import { createIsolate } from '../kit/isolate.ts';
import { makePublicBucket } from '../kit/public-bucket.ts';

const key = 'a' as ObjectKey;
const PLAIN = { headers: {}, userMetadata: {}, storageClass: 'STANDARD' };

/** A writer in an isolate of its own. */
async function writerOf(name: string, settings: Readonly<Record<string, string>>) {
  const { core } = createIsolate({ settings });
  const bucket = await openBucket(core, name as never, () => undefined);
  const put = (bytes: Uint8Array) =>
    putObject(core, bucket, {
      key,
      attributes: PLAIN,
      body: sourceOf(bytes),
      expectation: NO_EXPECTATION,
      condition: null,
    } as never);
  return { core, bucket, put };
}

/**
 * What was true: each state with the moment from which it was, and the moment when the change that
 * ended it was answered.
 */
type Truth = { readonly state: string; readonly fromMs: number; untilMs: number };

describe('freshness', () => {
  const FRESH = {
    QUAYSIDE_POINTER_FRESH_SECONDS: '1',
    QUAYSIDE_STALE_WHILE_REVALIDATE_SECONDS: '1',
  };
  const BOUND_MS = 2000;
  /**
   * What a machine may add between the reading of a clock and the answer; one so busy that requests
   * take longer, more.
   */
  const SLACK_MS = 500;

  it('is within the bound in a race of readers and writers', async () => {
    const { name, url } = await makePublicBucket();
    const settings = { ...FRESH, QUAYSIDE_NEGATIVE_FRESH_SECONDS: '1' };
    const { core, bucket, put } = await writerOf(name, settings);
    const truths: Truth[] = [{ state: '404', fromMs: 0, untilMs: Number.POSITIVE_INFINITY }];
    let isOver = false;

    /**
     * The old state may be shown until the change was answered, the new one from when it was sent.
     */
    async function change(state: string, make: () => Promise<unknown>): Promise<void> {
      const fromMs = Date.now();
      await make();
      const last = truths.at(-1);
      if (last !== undefined) last.untilMs = Date.now();
      truths.push({ state, fromMs, untilMs: Number.POSITIVE_INFINITY });
    }
    const setAccess = (access: BucketAccess) => bucket.call('setBucketAccess', { access });

    async function write(): Promise<void> {
      for (let round = 0; round < 3; round++) {
        for (let version = 0; version < 3; version++) {
          const bytes = patternBytes(100 + round * 10 + version);
          await change(`200 ${bytes.length}`, () => put(bytes));
          await scheduler.wait(200);
        }
        await change('403', () => setAccess(PRIVATE_ACCESS));
        await scheduler.wait(400);
        await change(`200 ${100 + round * 10 + 2}`, () => setAccess(PUBLIC_ACCESS));
        await scheduler.wait(200);
        await change('404', () => deleteObjects(core, bucket, [{ key }]));
        await scheduler.wait(400);
      }
      await scheduler.wait(BOUND_MS + SLACK_MS);
      isOver = true;
    }

    const ages: number[] = [];
    let slowestMs = 0;
    /**
     * Who seldom comes is shown what was fresh when it came last, up to the bound; who never stops
     * has it asked for anew.
     */
    async function read(pauseMs: number): Promise<void> {
      const { fetch } = createIsolate({ settings });
      while (!isOver) {
        const askedMs = Date.now();
        const answer = await fetch(url(key));
        const { length } = new Uint8Array(await answer.arrayBuffer());
        const state = answer.status === 200 ? `200 ${length}` : `${answer.status}`;
        const answeredMs = Date.now();
        slowestMs = Math.max(slowestMs, answeredMs - askedMs);
        const reported = truths.filter(
          (truth) => truth.state === state && truth.fromMs <= answeredMs,
        );
        ages.push(Math.min(...reported.map(({ untilMs }) => Math.max(0, askedMs - untilMs))));
        await scheduler.wait(pauseMs);
      }
    }
    const seldom = [1100, 1300, 1500, 1700, 1850, 1950];
    await Promise.all([write(), ...[5, 5, 5, ...seldom, ...seldom].map(read)]);

    const stale = ages.filter((ms) => ms > 0);
    const bins = [0, 250, 500, 1000, 1500, 2000, 2500, Number.POSITIVE_INFINITY];
    const lines = bins.slice(1).map((end, at) => {
      const start = bins[at] ?? 0;
      return (
        `${`${start} to ${end} ms`.padStart(20)} ` +
        `${stale.filter((ms) => ms > start && ms <= end).length}`
      );
    });
    process.stdout.write(
      `staleness of ${ages.length} answers, ${stale.length} stale:\n${lines.join('\n')}\n`,
    );
    expect(ages.length).toBeGreaterThan(300);
    // The readers are shown the past for nearly as long as they may be: else this would prove
    // another bound.
    expect(Math.max(...stale)).toBeGreaterThan(BOUND_MS / 2);
    expect(Math.max(...ages)).toBeLessThan(BOUND_MS + Math.max(SLACK_MS, 2 * slowestMs));
  });

  it(
    'comes with a purge as soon as a reader has met ' +
      'the readPolicy: older pointers are asked for again',
    async () => {
      const { name, url } = await makePublicBucket();
      const settings = { QUAYSIDE_POINTER_FRESH_SECONDS: '3600' };
      const { core, bucket, put } = await writerOf(name, settings);
      await put(patternBytes(1));
      const { fetch } = createIsolate({ settings });
      const sizeOf = async (of: string) => (await (await fetch(url(of))).arrayBuffer()).byteLength;
      expect(await sizeOf(key)).toBe(1);
      await put(patternBytes(2));
      expect(await sizeOf(key)).toBe(1);
      const { floor, freshByMs } = await purge(core, bucket, [{ scope: 'key', value: key }]);
      expect(floor).toBe(bucket.record().revision + 1);
      expect(freshByMs - Date.now()).toBeGreaterThan(3_500_000);
      await fetch(url('other'));
      expect(await sizeOf(key)).toBe(2);
    },
  );
});
