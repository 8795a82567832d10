// What the shared adapters do beyond their contracts: order under a strange clock, bounds,
// redaction, draining.
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../bench/simulate/random.ts';
import { createMemoryEdgeCache } from '../../../src/adapters/node/cache/memory-edge-cache.ts';
import { createConsoleLog } from '../../../src/adapters/shared/console-log.ts';
import { createIds } from '../../../src/adapters/shared/ids.ts';
import { createMemoryBodies } from '../../../src/adapters/shared/memory-bodies.ts';
import { systemClock } from '../../../src/adapters/shared/system-clock.ts';
import { createTrackedBackground } from '../../../src/adapters/shared/tracked-background.ts';
import type { BlobId, BucketId, Segment } from '../../../src/domain/nouns.ts';
import type { Clock } from '../../../src/ports/system.ts';

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

  it('keep the least id of a time exact to the millisecond', () => {
    const clock = manualClock();
    const ids = createIds(clock);
    const ownerBucket = 'photos~1' as BucketId;
    const before = ids.blobId(ownerBucket);
    clock.ms += 1;
    const after = ids.blobId(ownerBucket);
    const floor = ids.blobIdLowerBound(ownerBucket, clock.ms);
    expect(before < floor && floor < after).toBe(true);
  });
});

describe('memory bodies', () => {
  const slice = (name: string, lengthBytes: number): Segment => ({
    blobId: name as BlobId,
    offsetBytes: 0,
    lengthBytes,
  });

  it('evicts the least recently used slice when the bytes are used up', () => {
    const bodies = createMemoryBodies({ maxBytes: 100_000, maxSliceBytes: 30_000 });
    const [a, b, c, d] = [
      slice('a', 30_000),
      slice('b', 30_000),
      slice('c', 30_000),
      slice('d', 30_000),
    ];
    for (const kept of [a, b, c]) bodies.keep(kept, new Uint8Array(30_000));
    bodies.peek(a);
    // Once is no more than the others.
    bodies.keep(d, new Uint8Array(30_000));
    expect(bodies.peek(d)).toBeNull();
    for (let i = 0; i < 5; i++) bodies.keep(d, new Uint8Array(30_000));
    expect([a, b, c, d].map((kept) => bodies.peek(kept) !== null)).toEqual([
      true,
      false,
      true,
      true,
    ]);
  });

  it('is not washed out by a scan: once full it takes what is asked for oftener', () => {
    const bodies = createMemoryBodies({ maxBytes: 100_000, maxSliceBytes: 30_000 });
    const hot = [slice('a', 30_000), slice('b', 30_000), slice('c', 30_000)];
    for (const kept of hot) bodies.keep(kept, new Uint8Array(30_000));
    for (let i = 0; i < 1000; i++) bodies.keep(slice(`cold-${i}`, 30_000), new Uint8Array(30_000));
    expect(hot.every((kept) => bodies.peek(kept) !== null)).toBe(true);
  });

  it('keep nothing that is too large, and nothing that is not what its name says', () => {
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

  /** A full tier of slices of 10,000 bytes, 200,000 with all that they take. */
  function fullBodies() {
    const bodies = createMemoryBodies({ maxBytes: 200_000, maxSliceBytes: 10_000 });
    const filling: Segment[] = [];
    for (let i = 0; bodies.admits(slice(`fill${i}`, 10_000), 10_000); i++) {
      const segment = slice(`fill${i}`, 10_000);
      filling.push(segment);
      bodies.keep(segment, new Uint8Array(10_000));
    }
    return { bodies, filling };
  }

  it('admits a slice for a part of it while there is room, then when many of it are read', () => {
    const { bodies } = fullBodies();
    const admits = () => bodies.admits(slice('a', 10_000), 1250);
    const asked = Array.from({ length: 60 }, admits);
    // An eighth each: more than twice one request, and two.
    expect(asked.indexOf(true)).toBe(32);
    bodies.keep(slice('a', 10_000), new Uint8Array(10_000));
    expect(bodies.peek(slice('a', 10_000))).not.toBeNull();
  });

  it('hardly exchanges slices of a hot set that is larger than it', () => {
    const { bodies, filling } = fullBodies();
    const random = createRandom(5);
    let admitted = 0;
    let hits = 0;
    for (let i = 0; i < 10_000; i++) {
      // Half as many again as have room.
      const segment = slice(`fill${Math.floor(random() * filling.length * 1.5)}`, 10_000);
      if (bodies.peek(segment) !== null) hits += 1;
      else if (bodies.admits(segment, 10_000)) {
        admitted += 1;
        bodies.keep(segment, new Uint8Array(10_000));
      }
    }
    expect(hits).toBeGreaterThan(6000);
    expect(admitted).toBeLessThan(200);
  });

  it('learns that something else is hot', () => {
    const { bodies, filling } = fullBodies();
    for (let i = 0; i < 50; i++) for (const segment of filling) bodies.peek(segment);
    let requests = 0;
    while (bodies.peek(slice('new', 10_000)) === null && requests < 20_000) {
      requests += 1;
      bodies.keep(slice('new', 10_000), new Uint8Array(10_000));
    }
    // Fifty each fade in a halving or two, one in 1,024 requests.
    expect(requests).toBeLessThan(3000);
  });

  it('admits nothing of a read that would take a large share of the room', () => {
    const bodies = createMemoryBodies({ maxBytes: 200_000, maxSliceBytes: 10_000 });
    expect(bodies.admits(slice('a', 10_000), 50_000)).toBe(true);
    expect(bodies.admits(slice('a', 10_000), 50_001)).toBe(false);
  });

  it('do not keep the buffer that a slice was cut from', () => {
    const bodies = createMemoryBodies({ maxBytes: 100_000, maxSliceBytes: 30_000 });
    bodies.keep(slice('a', 10), new Uint8Array(60_000).subarray(0, 10));
    expect(bodies.peek(slice('a', 10))).toMatchObject({ buffer: { byteLength: 10 } });
  });
});

describe('memory edge cache', () => {
  it('loads once for a herd, and not again for those who come later', async () => {
    const cache = createMemoryEdgeCache(
      createMemoryBodies({ maxBytes: 100_000, maxSliceBytes: 30_000 }),
    );
    const wanted: Segment = { blobId: 'a' as BlobId, offsetBytes: 0, lengthBytes: 100 };
    let loads = 0;
    const load = async () => {
      loads++;
      await new Promise((resolve) => setImmediate(resolve));
      return new Uint8Array(100);
    };
    await Promise.all(Array.from({ length: 1000 }, () => cache.read(wanted, load, wanted)));
    expect(cache.peek(wanted)).not.toBeNull();
    expect(loads).toBe(1);
  });

  it('admits callers that can share a read under way', async () => {
    const cache = createMemoryEdgeCache(
      createMemoryBodies({ maxBytes: 100_000, maxSliceBytes: 30_000 }),
    );
    const wanted: Segment = { blobId: 'a' as BlobId, offsetBytes: 0, lengthBytes: 100 };
    expect(cache.admits(wanted, 100_000)).toBe(false);
    const reading = cache.read(wanted, async () => new Uint8Array(100), wanted);
    expect(cache.admits(wanted, 100_000)).toBe(true);
    await reading;
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
    const cause = new Error('outer', {
      cause: Object.assign(new Error('inner'), { code: 'ENOSPC' }),
    });
    logOf('error').error('failed', { cause });
    expect(lines[0]?.isError).toBe(true);
    expect(last().cause).toMatchObject({
      message: 'outer',
      cause: { message: 'inner', code: 'ENOSPC' },
    });
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
      'http://h/b/k?X-Amz-Credential=AKIA%2F1&X-Amz-Signature=abcdef012' +
      '&x-amz-security-token=tok&partNumber=1';
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
    const background = createTrackedBackground(
      createConsoleLog(systemClock, 'info', (text) => lines.push(text)),
    );
    background.run('throws', () => {
      throw new Error('thrown');
    });
    background.run('rejects', () => Promise.reject(new Error('rejected')));
    await background.drain(1000);
    expect(lines.map((line) => JSON.parse(line).label)).toEqual(['throws', 'rejects']);
  });

  it('refuses work beyond its bound', async () => {
    const lines: string[] = [];
    const background = createTrackedBackground(
      createConsoleLog(systemClock, 'info', (text) => lines.push(text)),
    );
    const readPolicy = Promise.withResolvers<void>();
    let ran = 0;
    for (let at = 0; at < 10_001; at++) {
      background.run('work', () => {
        ran += 1;
        return readPolicy.promise;
      });
    }
    expect(ran).toBe(10_000);
    expect(lines.length).toBe(1);
    readPolicy.resolve();
    expect(await background.drain(1000)).toBe(0);
  });
});
