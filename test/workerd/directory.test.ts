import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { createDoDirectory } from '../../src/adapters/cloudflare/clients/do-directory.ts';
import { newLinkId } from '../../src/core/links/new-link-ids.ts';
import type { LinkEntry } from '../../src/domain/links/link-ids.ts';
import type { AccessKeyId, AccountId, BucketAddress } from '../../src/domain/nouns.ts';
import { directoryContract } from '../contract/directory.contract.ts';
import { counting } from './kit/counting.ts';
import { createIsolate } from './kit/isolate.ts';

function isolate() {
  const clock = { ms: 1_750_000_000_000, nowMs: () => clock.ms };
  const counted = counting(env.DIRECTORY);
  const renewals: Promise<unknown>[] = [];
  const background = {
    run: (_label: string, work: () => Promise<unknown>) => void renewals.push(work()),
  };
  const directory = createDoDirectory(counted.target, { clock, background, hostFreshSeconds: 5 });
  return {
    directory,
    clock,
    rpcs: () => counted.calls.get ?? 0,
    renewed: () => Promise.all(renewals.splice(0)),
  };
}

directoryContract({ name: 'Durable Object', make: () => isolate().directory });

describe('directory over RPC', () => {
  it('caches an access key for five seconds, elsewhere too, an unknown one for two', async () => {
    const id = `KEY-${Date.now()}` as AccessKeyId;
    const account = { id: `account-${Date.now()}` as AccountId, displayName: 'someone' };
    const [here, elsewhere] = [isolate(), isolate()];
    const secretOf = async ({ directory }: typeof here) =>
      (await directory.call('getAccessKey', { id }))?.secret;

    expect(await secretOf(here)).toBeUndefined();
    await elsewhere.directory.call('putAccount', { account, keys: [{ id, secret: 'first' }] });
    const asked = here.rpcs();
    expect([await secretOf(here), here.rpcs()]).toEqual([undefined, asked]);
    here.clock.ms += 2000;
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

describe('entries of links over RPC', () => {
  const entryOf = (): LinkEntry => ({
    id: newLinkId(),
    kind: 'share',
    bucket: { id: 'shop~1', name: 'shop' } as BucketAddress,
    accountId: 'owner' as AccountId,
    createdAtMs: 1,
  });

  it('are asked for once in an hour, though they are removed elsewhere', async () => {
    const [here, elsewhere] = [isolate(), isolate()];
    const entry = entryOf();
    await elsewhere.directory.call('addLinkId', { entry });
    const before = here.rpcs();
    expect(here.directory.peekLink(entry.id)).toBe(undefined);
    const found = await here.directory.findLink(entry.id);
    expect([found, here.rpcs()]).toEqual([entry, before + 1]);
    const { id, bucket } = entry;
    await elsewhere.directory.call('removeLinkId', { id, bucketId: bucket.id });
    here.clock.ms += 3_599_000;
    expect(here.directory.findLink(entry.id)).toBe(found);
    here.clock.ms += 1000;
    expect(await here.directory.findLink(entry.id)).toBe(null);
  });

  it('that are not there are believed missing for two seconds', async () => {
    const [here, elsewhere] = [isolate(), isolate()];
    const entry = entryOf();
    expect(await here.directory.findLink(entry.id)).toBe(null);
    await elsewhere.directory.call('addLinkId', { entry });
    const before = here.rpcs();
    expect([here.directory.findLink(entry.id), here.rpcs()]).toEqual([null, before]);
    here.clock.ms += 2000;
    expect(await here.directory.findLink(entry.id)).toEqual(entry);
  });
});

describe('host names over RPC', () => {
  const host = () => `h${crypto.randomUUID()}.example`;
  const bucket = { id: 'shop~1', name: 'shop' } as BucketAddress;
  const bind = ({ directory }: ReturnType<typeof isolate>, name: string, prefix = '') =>
    directory.call('bindHosts', { bucket, domains: [{ host: name, prefix }], mayTake: [] });

  it('are believed for seconds, bound or not, and at once where they were bound', async () => {
    const [here, elsewhere] = [isolate(), isolate()];
    const name = host();
    expect(await here.directory.findHost(name)).toBe(null);
    expect(await elsewhere.directory.findHost(name)).toBe(null);
    await bind(elsewhere, name);
    expect(await elsewhere.directory.findHost(name)).toMatchObject({ bucket: 'shop', prefix: '' });
    const before = here.rpcs();
    expect(here.directory.findHost(name)).toBe(null);
    expect(here.rpcs()).toBe(before);
    here.clock.ms += 5000;
    const found = await here.directory.findHost(name);
    expect(found).toMatchObject({ bucket: 'shop' });
    expect(here.directory.findHost(name)).toBe(found);
  });

  it('are asked for once by a request, though both doors want to know', async () => {
    const name = host();
    const { count } = createIsolate();
    const cost = async () => {
      const { status, directory } = await count(`https://${name}/no-such-bucket-here/k`, {
        headers: { host: name },
      });
      return { status, directory };
    };
    // One for the host, one for the bucket's name.
    expect(await cost()).toEqual({ status: 404, directory: { get: 2 } });
    expect(await cost()).toEqual({ status: 404, directory: {} });
  });

  it('are only looked at where nobody may wait', async () => {
    const [here, elsewhere] = [isolate(), isolate()];
    const name = host();
    await bind(elsewhere, name);
    const before = here.rpcs();
    expect([here.directory.peekHost(name), here.rpcs()]).toEqual([undefined, before]);
    const found = await here.directory.findHost(name);
    expect(here.directory.peekHost(name)).toBe(found);
    here.clock.ms += 5000;
    const asked = here.rpcs();
    expect([here.directory.peekHost(name), here.rpcs()]).toEqual([undefined, asked]);
  });

  it('are asked anew behind the answers before their time is over, once', async () => {
    const [here, elsewhere] = [isolate(), isolate()];
    const name = host();
    await bind(elsewhere, name, 'a/');
    const first = await here.directory.findHost(name);
    here.clock.ms += 4000;
    const before = here.rpcs();
    expect([here.directory.findHost(name), here.directory.findHost(name)]).toEqual([first, first]);
    expect(here.rpcs()).toBe(before + 1);
    await here.renewed();
    expect(here.directory.findHost(name)).toBe(first);
    await bind(elsewhere, name, 'b/');
    here.clock.ms += 4000;
    expect(here.directory.findHost(name)).toBe(first);
    await here.renewed();
    expect(here.directory.findHost(name)).toMatchObject({ prefix: 'b/' });
  });
});
