import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { openDerivedFolder } from '../../../src/adapters/node/cache/derived-folder.ts';
import { compressRecipe } from '../../../src/adapters/shared/compress-recipe.ts';
import {
  createDerivedBodies,
  type DerivedBodiesOptions,
  type StoredDerived,
} from '../../../src/adapters/shared/derived-bodies.ts';
import { StorageError } from '../../../src/domain/errors.ts';
import type { Recipe } from '../../../src/ports/derived.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const BR: Recipe = { kind: 'coding', coding: 'br' };
const log = { info: () => undefined, error: () => undefined };
const bytesOf = (text: string) => new TextEncoder().encode(text);

let asked = 0;
const IMAGE = {
  kind: 'image',
  widthPx: 64,
  heightPx: 64,
  maxSidePx: 64,
  fit: 'scale-down',
  format: 'webp',
  quality: 75,
} as const;

/** Each time somebody else, who wants something of another bucket. */
const someone = () => {
  asked += 1;
  return { tenant: `tenant ${asked}`, bucket: `bucket ${asked}`, source: `source ${asked}` };
};

function createBodies(changes: Partial<DerivedBodiesOptions> = {}) {
  const stored = new Map<string, StoredDerived>();
  let nowMs = 0;
  const behind: Promise<unknown>[] = [];
  const failures: unknown[] = [];
  const bodies = createDerivedBodies({
    tier: 'bucket',
    memoryMaxBytes: 100_000,
    store: {
      get: async (name) => stored.get(name) ?? null,
      put: async (name, made) => void stored.set(name, made),
    },
    derive: async (source) => ({ bytes: source.slice().reverse(), contentType: null }),
    clock: { nowMs: () => nowMs },
    background: {
      run: (_label, work) =>
        void behind.push(work().catch((cause) => void failures.push(cause.code ?? cause))),
    },
    limits: {
      coding: { concurrency: 1, waitingMax: 2, slotMs: 60_000 },
      image: { concurrency: 1, waitingMax: 2, slotMs: 60_000 },
    },
    sharesWork: true,
    ...changes,
  });
  const settle = () => Promise.all(behind.splice(0));
  return { bodies, stored, failures, settle, pass: (ms: number) => (nowMs += ms) };
}

describe('derived bodies', () => {
  it('are made, stored in memory and below, and found again', async () => {
    const { bodies, stored, settle } = createBodies();
    expect([bodies.peek('n'), await bodies.find('n')]).toEqual([null, null]);
    const made = await bodies.make('n', BR, someone(), async () => bytesOf('abc'));
    expect(made).toEqual({ bytes: bytesOf('cba'), contentType: null, tag: 'd8aef480' });
    expect(bodies.peek('n')).toBe(made);
    await settle();
    const { bodies: fresh } = createBodies({
      store: { get: async (name) => stored.get(name) ?? null, put: async () => {} },
    });
    expect(fresh.peek('n')).toBe(null);
    expect(await fresh.find('n')).toEqual(made);
    expect(fresh.peek('n')).toEqual(made);
    expect(fresh.stats()).toMatchObject({ entries: 1, bytes: 1027 });
  });

  it('stay in memory where they may go no further', async () => {
    const { bodies, stored, settle } = createBodies();
    const made = await bodies.make('n', BR, someone(), async () => bytesOf('abc'), 'memory');
    await settle();
    expect([bodies.peek('n'), stored.size]).toEqual([made, 0]);
  });

  it('remember what is not worth making', async () => {
    const { bodies, stored, settle } = createBodies({ derive: async () => null });
    expect(await bodies.make('n', BR, someone(), async () => bytesOf('abc'))).toBe('none');
    expect(bodies.peek('n')).toBe('none');
    await settle();
    expect(stored.get('n')?.bytes).toHaveLength(0);
    const { bodies: fresh } = createBodies({
      store: { get: async (name) => stored.get(name) ?? null, put: async () => {} },
    });
    expect(await fresh.find('n')).toBe('none');
  });

  it('are not made again for a while of what is no image, but after other failures', async () => {
    const image: Recipe = {
      kind: 'image',
      widthPx: 1,
      heightPx: 1,
      maxSidePx: 1,
      fit: 'scale-down',
      format: 'webp',
      quality: 75,
    };
    let code: 'InvalidRequest' | 'ServiceUnavailable' = 'InvalidRequest';
    let loads = 0;
    const { bodies, pass } = createBodies({
      derive: async () => {
        throw new StorageError(code, { detail: 'no image' });
      },
    });
    const load = async () => bytesOf(`${++loads}`);
    const make = () => bodies.make('n', image, someone(), load);
    for (let i = 0; i < 5; i++) await expect(make()).rejects.toThrow('no image');
    expect(loads).toBe(1);
    pass(600_001);
    code = 'ServiceUnavailable';
    for (let i = 0; i < 3; i++) await expect(make()).rejects.toThrow('no image');
    expect(loads).toBe(4);
    expect(bodies.peek('n')).toBe(null);
  });

  it('are made once for all callers at the same time', async () => {
    let loads = 0;
    const { bodies } = createBodies();
    const load = async () => bytesOf(`${++loads}`);
    const all = await Promise.all(
      Array.from({ length: 100 }, () => bodies.make('n', BR, someone(), load)),
    );
    expect([loads, new Set(all).size]).toEqual([1, 1]);
  });

  it('are none while they are being made, and for a while after it failed', async () => {
    const { bodies, pass } = createBodies();
    const loading = Promise.withResolvers<Uint8Array>();
    const making = bodies.make('n', BR, someone(), () => loading.promise);
    expect(bodies.peek('n')).toBe('none');
    loading.reject(new Error('no disk'));
    await expect(making).rejects.toThrow('no disk');
    expect(bodies.peek('n')).toBe('none');
    pass(60_001);
    expect(bodies.peek('n')).toBe(null);
  });

  it('wait for a slot, a few of them', async () => {
    const { bodies, pass } = createBodies();
    let running = 0;
    let most = 0;
    const load = async () => {
      most = Math.max(most, ++running);
      await Promise.resolve();
      running--;
      return bytesOf('x');
    };
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => bodies.make(name, BR, someone(), load));
    await expect(d).rejects.toMatchObject({ code: 'SlowDown' });
    await Promise.all([a, b, c]);
    expect(most).toBe(1);
    expect(bodies.peek('d')).toBe('none');
    pass(5001);
    expect(bodies.peek('d')).toBe(null);
    expect(await bodies.make('d', BR, someone(), load)).not.toBe('none');
  });

  it('do not wait for work that never ends, as that of a request that ended early', async () => {
    const limit = { concurrency: 1, waitingMax: 0, slotMs: 1000 };
    const { bodies, pass } = createBodies({
      limits: { coding: limit, image: limit },
      sharesWork: false,
    });
    const stopped = Promise.withResolvers<Uint8Array>();
    const making = bodies.make('a', BR, someone(), () => stopped.promise);
    await expect(bodies.make('b', BR, someone(), async () => bytesOf('x'))).rejects.toMatchObject({
      code: 'SlowDown',
    });
    pass(1001);
    await bodies.make('c', BR, someone(), async () => bytesOf('x'));
    // It went on after all: the slot that it lost is not released twice.
    const held = Promise.withResolvers<Uint8Array>();
    const next = bodies.make('d', BR, someone(), () => held.promise);
    stopped.resolve(bytesOf('x'));
    await making;
    await expect(bodies.make('e', BR, someone(), async () => bytesOf('x'))).rejects.toMatchObject({
      code: 'SlowDown',
    });
    held.resolve(bytesOf('x'));
    await next;
  });

  it('have a time limit each, so that one that hangs stops no other', async () => {
    const limit = { concurrency: 1, waitingMax: 1, slotMs: 20 };
    const { bodies } = createBodies({ limits: { coding: limit, image: limit } });
    const hanging = Promise.withResolvers<Uint8Array>();
    const stuck = bodies.make('stuck', BR, someone(), () => hanging.promise);
    const waiting = bodies.make('waiting', BR, someone(), async () => bytesOf('x'));
    await expect(stuck).rejects.toMatchObject({ code: 'ServiceUnavailable' });
    expect(await waiting).not.toBe('none');
    // It ends after all, and nothing is lost.
    hanging.resolve(bytesOf('abc'));
    await expect.poll(() => bodies.peek('stuck')).toMatchObject({ bytes: bytesOf('cba') });
  });

  it('of an image that took too long are not begun again for some minutes', async () => {
    const limit = { concurrency: 1, waitingMax: 1, slotMs: 20 };
    const hanging = Promise.withResolvers<StoredDerived>();
    let begun = 0;
    const { bodies, pass } = createBodies({
      limits: { coding: limit, image: limit },
      derive: () => {
        begun += 1;
        return hanging.promise;
      },
    });
    const make = () => bodies.make('slow', IMAGE, someone(), async () => bytesOf('abc'));
    for (const _ of [1, 2, 3]) {
      await expect(make()).rejects.toMatchObject({ code: 'ServiceUnavailable' });
    }
    expect(begun).toBe(1);
    pass(180_000);
    await expect(make()).rejects.toMatchObject({ code: 'ServiceUnavailable' });
    expect(begun).toBe(2);

    // A store that hangs says nothing of the image, which is begun each time.
    const load = vi.fn(() => new Promise<Uint8Array>(() => undefined));
    for (const _ of [1, 2]) {
      const unread = bodies.make('unread', IMAGE, someone(), load);
      await expect(unread).rejects.toMatchObject({ code: 'ServiceUnavailable' });
    }
    expect(load).toHaveBeenCalledTimes(2);
  });

  it('wait for no store: they are returned and make room for others while it hangs', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const puts: string[] = [];
      const put = (name: string) => new Promise<void>(() => void puts.push(name));
      const { bodies, failures, settle, pass } = createBodies({
        store: { get: async () => null, put },
      });
      const names = Array.from({ length: 10 }, (_, at) => `${at}`);
      for (const name of names) {
        const made = await bodies.make(name, BR, someone(), async () => bytesOf('abc'));
        expect([made, bodies.peek(name)]).toEqual([
          made,
          expect.objectContaining({ bytes: bytesOf('cba') }),
        ]);
      }
      await vi.advanceTimersByTimeAsync(9999);
      expect([puts, failures]).toEqual([names.slice(0, 8), ['SlowDown', 'SlowDown']]);
      pass(10_000);
      await vi.advanceTimersByTimeAsync(1);
      await settle();
      expect(failures.slice(2)).toEqual(Array.from({ length: 8 }, () => 'ServiceUnavailable'));
      await bodies.make('later', BR, someone(), async () => bytesOf('abc'));
      await vi.advanceTimersByTimeAsync(0);
      expect(puts.at(-1)).toBe('later');
    } finally {
      vi.useRealTimers();
    }
  });

  it('leave memory when it is full, the largest never enter it, and none are lost', async () => {
    const { bodies, settle } = createBodies({ memoryMaxBytes: 20_000 });
    await bodies.make('large', BR, someone(), async () => new Uint8Array(6000));
    expect(bodies.peek('large')).toBe(null);
    for (let n = 0; n < 10; n++)
      await bodies.make(`${n}`, BR, someone(), async () => new Uint8Array(3000));
    expect(bodies.peek('0')).toBe(null);
    expect(bodies.peek('9')).not.toBe(null);
    await settle();
    expect(await bodies.find('0')).toMatchObject({ tag: expect.stringMatching(/^[0-9a-f]{8}$/) });
    expect(bodies.stats().evictions).toBeGreaterThan(0);
  });
});

describe('compression', () => {
  const text = bytesOf('a line of text that comes again\n'.repeat(200));
  it.each([
    ['br', brotliDecompressSync],
    ['zstd', zstdDecompressSync],
    ['gzip', gunzipSync],
  ] as const)('%s can be undone, however thorough', async (coding, undo) => {
    for (const thoroughness of ['brief', 'thorough'] as const) {
      const made = await compressRecipe(text, { kind: 'coding', coding }, thoroughness);
      expect(made?.bytes.length).toBeLessThan(200);
      expect(made?.bytes.buffer.byteLength).toBe(made?.bytes.length);
      expect(undo(made?.bytes ?? new Uint8Array()).equals(text)).toBe(true);
    }
  });

  it('that saves nothing is not worth it', async () => {
    const noise = crypto.getRandomValues(new Uint8Array(5000));
    expect(await compressRecipe(noise, { kind: 'coding', coding: 'br' }, 'brief')).toBe(null);
  });
});

describe('the folder of derived bodies', () => {
  let path = '';
  beforeEach(() => {
    path = join(temporaryFolder(), 'derived');
  });
  const open = (maxBytes = 1_000_000) => openDerivedFolder(path, { maxBytes, log });
  const files = async () =>
    (await readdir(path, { recursive: true })).filter((name) => /\/.{64}$/.test(name));

  it('stores its entries, over a restart too', async () => {
    const first = open();
    await first.put('a', { bytes: bytesOf('hello'), contentType: 'image/webp' });
    await first.put('b', { bytes: new Uint8Array(), contentType: null });
    const second = open();
    await second.ready;
    for (const store of [first, second]) {
      expect(await store.get('a')).toEqual({ bytes: bytesOf('hello'), contentType: 'image/webp' });
      expect(await store.get('b')).toEqual({ bytes: new Uint8Array(), contentType: null });
      expect(await store.get('c')).toBe(null);
    }
    expect(second.stats()).toMatchObject({ entries: 2 });
  });

  it('returns no damaged entry, and deletes it', async () => {
    const store = open();
    await store.put('a', { bytes: bytesOf('hello'), contentType: null });
    const [name = ''] = await files();
    const file = join(path, name);
    const whole = await readFile(file);
    for (const damage of [
      Buffer.alloc(0),
      whole.subarray(0, 8),
      whole.subarray(0, -1),
      Buffer.concat([whole, whole]),
      Buffer.alloc(whole.length),
    ]) {
      await writeFile(file, damage);
      expect(await store.get('a')).toBe(null);
      await expect.poll(files).toEqual([]);
    }
    await store.put('a', { bytes: bytesOf('hello'), contentType: null });
    expect(await store.get('a')).not.toBe(null);
  });

  it('deletes what was not read for longest when it is full', async () => {
    const store = open(5 * 8192);
    for (const name of ['a', 'b', 'c', 'd'])
      await store.put(name, { bytes: new Uint8Array(4000), contentType: null });
    await store.get('a');
    for (const name of ['e', 'f'])
      await store.put(name, { bytes: new Uint8Array(4000), contentType: null });
    await expect.poll(() => store.get('b')).toBe(null);
    expect(await store.get('a')).not.toBe(null);
    expect(await store.get('f')).not.toBe(null);
    await store.put('too large', { bytes: new Uint8Array(50_000), contentType: null });
    expect(await store.get('too large')).toBe(null);
    expect(store.stats().evictions).toBeGreaterThan(0);
  });

  it('evicts the oldest first after a restart, and deletes unfinished files', async () => {
    const first = open();
    for (const name of ['old', 'new'])
      await first.put(name, { bytes: new Uint8Array(4000), contentType: null });
    const [some = ''] = await files();
    for (const name of await files()) {
      const seconds = name === some ? 1000 : 2000;
      await utimes(join(path, name), seconds, seconds);
    }
    await mkdir(join(path, 'ab'), { recursive: true });
    await writeFile(join(path, 'ab', `${'a'.repeat(64)}.1.1`), 'half');
    const second = open(2 * 8192);
    await second.ready;
    await second.put('third', { bytes: new Uint8Array(4000), contentType: null });
    await expect.poll(files).not.toContain(some);
    expect(await files()).toHaveLength(2);
    expect(await readdir(join(path, 'ab'))).toEqual([]);
  });

  it('can be switched off, and can disappear', async () => {
    const off = open(0);
    await off.put('a', { bytes: bytesOf('x'), contentType: null });
    expect(await off.get('a')).toBe(null);
    const file = join(temporaryFolder(), 'a-file');
    await writeFile(file, '');
    const nowhere = openDerivedFolder(join(file, 'derived'), { maxBytes: 1_000_000, log });
    await nowhere.ready;
    await nowhere.put('a', { bytes: bytesOf('x'), contentType: null });
    expect(await nowhere.get('a')).toBe(null);
  });
});
