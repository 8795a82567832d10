import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { createDoDirectory } from '../../src/adapters/cloudflare/do-directory.ts';
import type { AccessKeyId, AccountId } from '../../src/ports/domain.ts';
import { directoryContract } from '../contract/directory.contract.ts';
import { counting } from './counting.ts';

function isolate() {
  const clock = { ms: 1_750_000_000_000, nowMs: () => clock.ms };
  const counted = counting(env.DIRECTORY);
  return { directory: createDoDirectory(counted.target, clock), clock, rpcs: () => counted.calls.get ?? 0 };
}

directoryContract({ name: 'Durable Object', make: () => isolate().directory });

describe('directory over RPC', () => {
  it('believes an access key for five seconds, elsewhere too, and an unknown one never', async () => {
    const id = `KEY-${Date.now()}` as AccessKeyId;
    const account = { id: `account-${Date.now()}` as AccountId, displayName: 'someone' };
    const [here, elsewhere] = [isolate(), isolate()];
    const secretOf = async ({ directory }: typeof here) => (await directory.call('getAccessKey', { id }))?.secret;

    expect(await secretOf(here)).toBeUndefined();
    await elsewhere.directory.call('putAccount', { account, keys: [{ id, secret: 'first' }] });
    expect(await secretOf(here)).toBe('first');
    expect(await secretOf(elsewhere)).toBe('first');
    await elsewhere.directory.call('putAccount', { account, keys: [{ id, secret: 'second' }] });
    expect(await secretOf(elsewhere)).toBe('second');
    const before = here.rpcs();
    expect(await secretOf(here)).toBe('first');
    expect(here.rpcs()).toBe(before);
    here.clock.ms += 5000;
    expect(await secretOf(here)).toBe('second');
  });
});
