import { expect, it } from 'vitest';
import { createCachedHosts } from '../../src/adapters/cloudflare/cached-hosts.ts';
import type { HostBinding } from '../../src/ports/directory.ts';

const binding = { host: 'a.example', bucket: 'b', bucketId: 'b~1', prefix: '' } as HostBinding;

function cache() {
  const clock = { ms: 1_750_000_000_000, nowMs: () => clock.ms };
  const state = { isFailing: false, reads: 0 };
  const hosts = createCachedHosts({
    clock,
    background: { run: (_label, work) => void work().catch(() => undefined) },
    freshSeconds: 5,
    async read(host) {
      state.reads += 1;
      if (state.isFailing) throw new Error('no directory');
      return host === binding.host ? { ...binding } : null;
    },
  });
  return { clock, state, hosts };
}

it('a directory that fails leaves what was known, for ten minutes, and is not asked at every turn', async () => {
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
});

it('names that strangers make up push no bound one out', async () => {
  const { state, hosts } = cache();
  await hosts.find('a.example');
  for (let i = 0; i < 5000; i++) await hosts.find(`x${i}.example`);
  const before = state.reads;
  expect(hosts.find('a.example')).toEqual(binding);
  expect(state.reads).toBe(before);
});
