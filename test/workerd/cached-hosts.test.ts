import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createCachedHosts } from '../../src/adapters/cloudflare/clients/cached-hosts.ts';
import type { HostBinding } from '../../src/ports/directory.ts';

const binding = { host: 'a.example', bucket: 'b', bucketId: 'b~1', prefix: '' } as HostBinding;

function cache() {
  const clock = { ms: 1_750_000_000_000, nowMs: () => clock.ms };
  const state: { isFailing: boolean; hangs: Promise<void> | null; reads: number } = {
    isFailing: false,
    hangs: null,
    reads: 0,
  };
  const hosts = createCachedHosts({
    clock,
    background: { run: (_label, work) => void work().catch(() => undefined) },
    freshSeconds: 5,
    limitMs: 3000,
    async read(host) {
      state.reads += 1;
      if (state.isFailing) throw new Error('no directory');
      await state.hangs;
      return host === binding.host ? { ...binding } : null;
    },
  });
  return { clock, state, hosts };
}

it(
  'a directory that fails leaves what was known, ' +
    'for ten minutes, and is not asked at every turn',
  async () => {
    const { clock, state, hosts } = cache();
    await hosts.find('a.example');
    await hosts.find('unbound.example');
    state.isFailing = true;
    clock.ms += 60_000;
    expect(await hosts.find('a.example')).toEqual(binding);
    expect(await hosts.find('unbound.example')).toBe(null);
    const before = state.reads;
    for (let i = 0; i < 10; i++) expect(hosts.find('a.example')).toEqual(binding);
    expect(state.reads).toBe(before);
    await expect(hosts.find('other.example')).rejects.toThrow('no directory');
    clock.ms += 600_000;
    await expect(hosts.find('a.example')).rejects.toThrow('no directory');
    state.isFailing = false;
    expect(await hosts.find('a.example')).toEqual(binding);
  },
);

it('names that strangers make up push no bound one out', async () => {
  const { state, hosts } = cache();
  await hosts.find('a.example');
  for (let i = 0; i < 5000; i++) await hosts.find(`x${i}.example`);
  const before = state.reads;
  expect(hosts.find('a.example')).toEqual(binding);
  expect(state.reads).toBe(before);
});

describe('a directory that says nothing', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const never = new Promise<void>(() => undefined);

  it('keeps nobody who asks for a busy host: it is asked behind the answers', async () => {
    const { clock, state, hosts } = cache();
    await hosts.find('a.example');
    state.hangs = never;
    for (let second = 0; second < 60; second++) {
      clock.ms += 1000;
      await vi.advanceTimersByTimeAsync(1000);
      expect(hosts.find('a.example')).toEqual(binding);
    }
    expect(state.reads).toBeLessThan(35);
    state.hangs = null;
    clock.ms += 1000;
    // It stays open: the timers below bring it to its end.
    void hosts.find('a.example');
    await vi.advanceTimersByTimeAsync(1);
    const before = state.reads;
    clock.ms += 2000;
    expect(hosts.find('a.example')).toEqual(binding);
    expect(state.reads).toBe(before);
  });

  it(
    'is waited for a second where something old is ' +
      'known, and as long as for any tier where nothing is',
    async () => {
      const { clock, state, hosts } = cache();
      await hosts.find('a.example');
      clock.ms += 60_000;
      const late = Promise.withResolvers<void>();
      state.hangs = late.promise;
      const first = hosts.find('a.example');
      await vi.advanceTimersByTimeAsync(1000);
      expect(await first).toEqual(binding);
      expect(hosts.find('a.example')).toEqual(binding);
      const unknown = expect(hosts.find('other.example')).rejects.toMatchObject({
        code: 'ServiceUnavailable',
      });
      await vi.advanceTimersByTimeAsync(3000);
      await unknown;
      // What comes too late is kept.
      late.resolve();
      await vi.advanceTimersByTimeAsync(1);
      const before = state.reads;
      expect(hosts.find('other.example')).toBe(null);
      expect(state.reads).toBe(before);
    },
  );

  it('is not believed for longer than ten minutes', async () => {
    const { clock, state, hosts } = cache();
    await hosts.find('a.example');
    clock.ms += 600_001;
    state.hangs = never;
    const asked = expect(hosts.find('a.example')).rejects.toMatchObject({
      code: 'ServiceUnavailable',
    });
    await vi.advanceTimersByTimeAsync(3000);
    await asked;
  });
});
