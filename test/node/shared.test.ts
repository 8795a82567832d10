// What the shared adapters do beyond their contracts: order under a strange clock, bounds, redaction, draining.
import { describe, expect, it } from 'vitest';
import { createMemoryEdgeCache } from '../../src/adapters/node/memory-edge-cache.ts';
import { createConsoleLog } from '../../src/adapters/shared/console-log.ts';
import { createCountingMeter } from '../../src/adapters/shared/counting-meter.ts';
import { createIds } from '../../src/adapters/shared/ids.ts';
import { createMemoryBodies } from '../../src/adapters/shared/memory-bodies.ts';
import { createMemoryHotMetadata } from '../../src/adapters/shared/memory-hot-metadata.ts';
import { systemClock } from '../../src/adapters/shared/system-clock.ts';
import { createTrackedBackground } from '../../src/adapters/shared/tracked-background.ts';
import { NO_SETTINGS } from '../../src/ports/bucket-settings.ts';
import type { BlobId, BucketGate, BucketId, BucketName, ObjectKey, Pointer, Segment } from '../../src/ports/domain.ts';
import type { Clock } from '../../src/ports/system.ts';
import { inlineVersion } from './index-data.ts';

function manualClock(startMs = 1_763_000_000_000): Clock & { ms: number } {
  return {
    ms: startMs,
    nowMs() {
      return this.ms;
    },
  };
}

const silent = createConsoleLog(systemClock, 'off');

describe('ids', () => {
  it('go up while the clock stands still, goes back, or jumps', () => {
    const clock = manualClock();
    const ids = createIds(clock);
    const made: string[] = [];
    for (let round = 0; round < 3; round++) {
      for (let at = 0; at < 40_000; at++) made.push(ids.versionId());
      clock.ms += [-5000, 10_000, 0][round] ?? 0;
    }
    expect(new Set(made).size).toBe(120_000);
    expect(made.findIndex((id, at) => at > 0 && id <= (made[at - 1] ?? ''))).toBe(-1);
  });

  it('sort by time across makers', () => {
    const clock = manualClock();
    const first = createIds(clock).uploadId();
    clock.ms += 1;
    expect(first < createIds(clock).uploadId()).toBe(true);
  });

  it('keep the floor exact to the millisecond', () => {
    const clock = manualClock();
    const ids = createIds(clock);
    const home = 'photos~1' as BucketId;
    const before = ids.blobId(home);
    clock.ms += 1;
    const after = ids.blobId(home);
    const floor = ids.blobIdFloor(home, clock.ms);
    expect(before < floor && floor < after).toBe(true);
  });
});

describe('memory bodies', () => {
  const slice = (name: string, lengthBytes: number): Segment => ({
    blobId: name as BlobId,
    offsetBytes: 0,
    lengthBytes,
  });

  it('lets the least recently used slice go when the bytes are used up', () => {
    const bodies = createMemoryBodies({ maxBytes: 100_000, maxSliceBytes: 30_000 });
    const [a, b, c, d] = [slice('a', 30_000), slice('b', 30_000), slice('c', 30_000), slice('d', 30_000)];
    for (const kept of [a, b, c]) bodies.keep(kept, new Uint8Array(30_000));
    bodies.peek(a);
    bodies.keep(d, new Uint8Array(30_000));
    bodies.keep(d, new Uint8Array(30_000));
    expect([a, b, c, d].map((kept) => bodies.peek(kept) !== null)).toEqual([true, false, true, true]);
  });

  it('is not washed out by a scan: once full it takes a slice on its second request', () => {
    const bodies = createMemoryBodies({ maxBytes: 100_000, maxSliceBytes: 30_000 });
    const hot = [slice('a', 30_000), slice('b', 30_000), slice('c', 30_000)];
    for (const kept of hot) bodies.keep(kept, new Uint8Array(30_000));
    for (let i = 0; i < 1000; i++) bodies.keep(slice(`cold-${i}`, 30_000), new Uint8Array(30_000));
    expect(hot.every((kept) => bodies.peek(kept) !== null)).toBe(true);
  });

  it('keeps nothing that is too large, and nothing that is not what its name says', () => {
    const bodies = createMemoryBodies({ maxBytes: 100_000, maxSliceBytes: 10 });
    bodies.keep(slice('a', 11), new Uint8Array(11));
    bodies.keep(slice('b', 10), new Uint8Array(9));
    expect([bodies.peek(slice('a', 11)), bodies.peek(slice('b', 10))]).toEqual([null, null]);
  });

  it('can be turned off', () => {
    const bodies = createMemoryBodies({ maxBytes: 0, maxSliceBytes: 30_000 });
    bodies.keep(slice('a', 1), new Uint8Array(1));
    expect([bodies.maxSliceBytes, bodies.peek(slice('a', 1))]).toEqual([0, null]);
  });

  it('does not keep the buffer that a slice was cut from', () => {
    const bodies = createMemoryBodies({ maxBytes: 100_000, maxSliceBytes: 30_000 });
    bodies.keep(slice('a', 10), new Uint8Array(60_000).subarray(0, 10));
    expect(bodies.peek(slice('a', 10))).toMatchObject({ buffer: { byteLength: 10 } });
  });
});

describe('memory edge cache', () => {
  it('loads once for a herd, and not again for those who come later', async () => {
    const cache = createMemoryEdgeCache(createMemoryBodies({ maxBytes: 100_000, maxSliceBytes: 30_000 }));
    const wanted: Segment = { blobId: 'a' as BlobId, offsetBytes: 0, lengthBytes: 100 };
    let loads = 0;
    const load = async () => {
      loads++;
      await new Promise((resolve) => setImmediate(resolve));
      return new Uint8Array(100);
    };
    await Promise.all(Array.from({ length: 1000 }, () => cache.read(wanted, load)));
    expect(cache.peek(wanted)).not.toBeNull();
    expect(loads).toBe(1);
  });
});

describe('memory hot metadata', () => {
  const bucket = 'photos' as BucketName;
  const gate: BucketGate = {
    bucketId: 'photos~1' as BucketId,
    revision: 1,
    access: { acl: 'private', policyJson: null, policyPublicPrefixes: [] },
    settings: NO_SETTINGS,
  };
  const pointerOf = (key: string): Pointer => inlineVersion(key, 'e');
  const make = (clock: Clock, change: { maxAgeSeconds?: number | null; maxEntries?: number; maxBytes?: number } = {}) =>
    createMemoryHotMetadata({
      clock,
      maxEntries: 80,
      maxBytes: 1 << 20,
      negativeFreshSeconds: 2,
      maxAgeSeconds: null,
      ...change,
    });
  const key = 'a' as ObjectKey;

  it('says how old a record is, and gives none that is too old', () => {
    const clock = manualClock();
    const hot = make(clock, { maxAgeSeconds: 60 });
    hot.fill(bucket, key, { gate, pointer: pointerOf('a') }, hot.ticket(), 5);
    clock.ms += 3000;
    expect(hot.get(bucket, key).pointer?.ageSeconds).toBe(8);
    clock.ms += 52_000;
    expect(hot.get(bucket, key)).toEqual({ gate: null, pointer: null });
  });

  it('gives exact records without an age for ever, but "there is none" only briefly', () => {
    const clock = manualClock();
    const hot = make(clock);
    hot.fill(bucket, key, { gate, pointer: pointerOf('a') }, hot.ticket());
    hot.fill(bucket, 'none' as ObjectKey, { gate, pointer: null }, hot.ticket());
    clock.ms += 1999;
    expect(hot.get(bucket, 'none' as ObjectKey).pointer?.value).toBeNull();
    clock.ms += 1;
    expect(hot.get(bucket, 'none' as ObjectKey).pointer).toBeNull();
    clock.ms += 1e9;
    expect(hot.get(bucket, key).pointer).toMatchObject({ ageSeconds: 0, value: { etag: 'e' } });
  });

  it('does not give a pointer of an earlier life of the bucket', () => {
    const hot = make(manualClock());
    hot.fill(bucket, key, { gate, pointer: pointerOf('a') }, hot.ticket());
    const nextLife = { ...gate, bucketId: 'photos~2' as BucketId };
    hot.fill(bucket, 'b' as ObjectKey, { gate: nextLife, pointer: pointerOf('b') }, hot.ticket());
    expect(hot.get(bucket, key).pointer).toBeNull();
    expect(hot.get(bucket, 'b' as ObjectKey).pointer).not.toBeNull();
  });

  it('keeps what is asked for when strangers ask for thousands of missing keys', () => {
    const hot = make(manualClock());
    hot.fill(bucket, key, { gate, pointer: pointerOf('a') }, hot.ticket());
    for (let at = 0; at < 5000; at++) {
      hot.fill(bucket, `missing-${at}` as ObjectKey, { gate, pointer: null }, hot.ticket());
    }
    expect(hot.get(bucket, key).pointer?.value?.etag).toBe('e');
  });

  it('stays within its bytes', () => {
    const hot = make(manualClock(), { maxBytes: 40_000, maxEntries: 1000 });
    const keys = Array.from({ length: 100 }, (_, at) => `key-${at}` as ObjectKey);
    for (const each of keys) {
      const pointer = inlineVersion(each, 'e', new Uint8Array(3000));
      hot.fill(bucket, each, { gate, pointer }, hot.ticket());
    }
    const kept = keys.filter((each) => hot.get(bucket, each).pointer !== null);
    expect(kept.length).toBeGreaterThan(5);
    expect(kept.length).toBeLessThan(14);
    expect(kept.at(-1)).toBe('key-99');
  });

  it('keeps nothing of a held key or gate until all holds are released', () => {
    const hot = make(manualClock());
    const fill = () => hot.fill(bucket, key, { gate, pointer: pointerOf('a') }, hot.ticket());
    fill();
    hot.hold(bucket, [key]);
    hot.hold(bucket, [key]);
    expect(hot.get(bucket, key).pointer).toBeNull();
    fill();
    expect(hot.get(bucket, key).pointer).toBeNull();
    hot.release(bucket, [key]);
    fill();
    expect(hot.get(bucket, key).pointer).toBeNull();
    const overtaken = hot.ticket();
    hot.release(bucket, [key]);
    hot.fill(bucket, key, { gate, pointer: pointerOf('a') }, overtaken);
    expect(hot.get(bucket, key).pointer).toBeNull();
    fill();
    expect(hot.get(bucket, key).pointer).not.toBeNull();
    hot.hold(bucket, null);
    fill();
    expect(hot.get(bucket, key).gate).toBeNull();
    hot.release(bucket, null);
    fill();
    expect(hot.get(bucket, key).gate?.value).toEqual(gate);
  });
});

describe('console log', () => {
  const lines: { text: string; isError: boolean }[] = [];
  const clock = manualClock(0);
  const logOf = (level: 'info' | 'error' | 'off') => {
    lines.length = 0;
    return createConsoleLog(clock, level, (text, isError) => lines.push({ text, isError }));
  };
  const last = () => JSON.parse(lines.at(-1)?.text ?? '{}');

  it('writes one line of JSON', () => {
    logOf('info').info('started', { port: 9000, text: 'two\nlines', nothing: null });
    expect(lines.length).toBe(1);
    expect(lines[0]?.text).not.toContain('\n');
    expect(last()).toEqual({
      time: '1970-01-01T00:00:00.000Z',
      level: 'info',
      event: 'started',
      port: 9000,
      text: 'two\nlines',
      nothing: null,
    });
  });

  it('shows an error with its causes', () => {
    const cause = new Error('outer', { cause: Object.assign(new Error('inner'), { code: 'ENOSPC' }) });
    logOf('error').error('failed', { cause });
    expect(lines[0]?.isError).toBe(true);
    expect(last().cause).toMatchObject({ message: 'outer', cause: { message: 'inner', code: 'ENOSPC' } });
  });

  it('never ends in a loop of causes', () => {
    const error = new Error('round');
    error.cause = error;
    logOf('error').error('failed', { cause: error });
    expect(lines.length).toBe(1);
  });

  it('leaves out what the level leaves out', () => {
    logOf('error').info('started');
    logOf('off').error('failed');
    expect(lines).toEqual([]);
  });

  it('redacts what looks like a secret', () => {
    const url =
      'http://h/b/k?X-Amz-Credential=AKIA%2F1&X-Amz-Signature=abcdef012&x-amz-security-token=tok&partNumber=1';
    logOf('info').info('request', { url, secretKey: 'hunter2', authorization: 'AWS4 hunter2' });
    logOf('info').error('failed', { cause: new Error(`no ${url}`) });
    for (const { text } of lines) {
      expect(text).not.toMatch(/hunter2|abcdef012|AKIA|=tok/);
      expect(text).toContain('partNumber=1');
    }
  });
});

describe('tracked background', () => {
  it('drains work and the work that work starts', async () => {
    const background = createTrackedBackground(silent);
    const done: string[] = [];
    background.run('outer', async () => {
      await Promise.resolve();
      background.run('inner', async () => {
        await new Promise((resolve) => setImmediate(resolve));
        done.push('inner');
      });
      done.push('outer');
    });
    expect(await background.drain(10_000)).toBe(0);
    expect(done).toEqual(['outer', 'inner']);
  });

  it('does not wait for ever', async () => {
    const background = createTrackedBackground(silent);
    background.run('stuck', () => new Promise(() => {}));
    expect(await background.drain(5)).toBe(1);
  });

  it('logs what fails, whether it throws or rejects', async () => {
    const lines: string[] = [];
    const background = createTrackedBackground(createConsoleLog(systemClock, 'info', (text) => lines.push(text)));
    background.run('throws', () => {
      throw new Error('thrown');
    });
    background.run('rejects', () => Promise.reject(new Error('rejected')));
    await background.drain(1000);
    expect(lines.map((line) => JSON.parse(line).label)).toEqual(['throws', 'rejects']);
  });

  it('refuses work beyond its bound', async () => {
    const lines: string[] = [];
    const background = createTrackedBackground(createConsoleLog(systemClock, 'info', (text) => lines.push(text)));
    const gate = Promise.withResolvers<void>();
    let ran = 0;
    for (let at = 0; at < 10_001; at++) {
      background.run('work', () => {
        ran += 1;
        return gate.promise;
      });
    }
    expect(ran).toBe(10_000);
    expect(lines.length).toBe(1);
    gate.resolve();
    expect(await background.drain(1000)).toBe(0);
  });
});

describe('counting meter', () => {
  it('adds up per bucket, class and tier', () => {
    const meter = createCountingMeter();
    const bucketId = 'photos~1' as BucketId;
    expect(meter.of(bucketId)).toBeNull();
    meter.count({ bucketId, operationClass: 'B', bytesOut: 10, tier: 'memory' });
    meter.count({ bucketId, operationClass: 'B', bytesOut: 5, tier: 'bucket' });
    meter.count({ bucketId: null, operationClass: 'free', bytesOut: 1, tier: 'none' });
    expect(meter.of(bucketId)).toEqual({
      operations: { A: 0, B: 2, free: 0 },
      bytesOut: { memory: 10, edge: 0, bucket: 5, none: 0 },
    });
    expect(meter.of(null)?.operations.free).toBe(1);
    expect(meter.totals()).toEqual({
      operations: { A: 0, B: 2, free: 1 },
      bytesOut: { memory: 10, edge: 0, bucket: 5, none: 1 },
    });
  });

  it('counts buckets beyond its bound together', () => {
    const meter = createCountingMeter();
    for (let at = 0; at < 10_003; at++) {
      meter.count({ bucketId: `b~${at}` as BucketId, operationClass: 'A', bytesOut: 0, tier: 'none' });
    }
    expect(meter.of('b~10001' as BucketId)).toBeNull();
    expect(meter.of(null)?.operations.A).toBe(3);
  });
});
