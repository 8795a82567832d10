// Who may bind which host name: the account that DNS names, and nobody whose name only leads here.
import { beforeEach, describe, expect, it } from 'vitest';
import { createMemoryTxtRecords } from '../../../src/adapters/memory/memory-txt-records.ts';
import { createBucket } from '../../../src/core/buckets/create-bucket.ts';
import { hostRecordOf } from '../../../src/core/hosting/host-proof.ts';
import { HOSTING_DEFAULTS } from '../../../src/core/hosting/read-hosting.ts';
import { setHosting } from '../../../src/core/hosting/set-hosting.ts';
import { type BucketHandle, openBucket } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { parseBucketName } from '../../../src/core/parse-names.ts';
import { PRIVATE_ACCESS } from '../../../src/domain/bucket-access.ts';
import { StorageError } from '../../../src/domain/errors.ts';
import type { AccountId } from '../../../src/domain/nouns.ts';
import type { TxtRecords } from '../../../src/ports/txt-records.ts';
import { createMemoryCore, type MemoryCore, openTestBucket, withPorts } from '../memory-core.ts';

const ALICE = 'alice' as AccountId;
const BOB = 'bob' as AccountId;
const HOST = 'www.shop.example';
const hosting = (...hosts: string[]) => ({
  ...HOSTING_DEFAULTS,
  domains: hosts.map((host) => ({ host, prefix: '' })),
});
const refused = { code: 'DomainNotProven' };

let dns: Map<string, string[]>;
let asked: string[];
let core: MemoryCore;
let ofAlice: BucketHandle;
let ofBob: BucketHandle;

async function bucketOf(id: AccountId): Promise<BucketHandle> {
  const name = parseBucketName(`of-${id}`);
  await createBucket(core, { id, displayName: id }, name, PRIVATE_ACCESS);
  return openBucket(core, name, () => undefined);
}

function prove(host: string, accountId: AccountId): void {
  const { name, value } = hostRecordOf(host, accountId);
  dns.set(name, [...(dns.get(name) ?? []), value]);
}

beforeEach(async () => {
  dns = new Map();
  asked = [];
  const records = createMemoryTxtRecords(dns);
  const txtRecords: TxtRecords = {
    read: (name) => {
      asked.push(name);
      return records.read(name);
    },
  };
  core = withPorts(createMemoryCore(), { txtRecords });
  [ofAlice, ofBob] = [await bucketOf(ALICE), await bucketOf(BOB)];
});

describe('a host', () => {
  it('is bound when DNS names the account, and an error tells what is missing', async () => {
    const { name, value } = hostRecordOf(HOST, ALICE);
    dns.set(name, ['v=spf1 -all']);
    await expect(setHosting(core, ofAlice, hosting(HOST))).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining(`_quayside.${HOST} TXT "${value}"`),
      fields: { Domain: HOST, RecordName: name, RecordValue: value },
    });
    expect(await core.ports.directory.findHost(HOST)).toBe(null);
    prove(HOST, ALICE);
    await setHosting(core, ofAlice, hosting(HOST));
    expect(await core.ports.directory.findHost(HOST)).toMatchObject({ bucket: 'of-alice' });
  });

  it("is nobody's by the record of another, nor by that of a name above or below", async () => {
    prove(HOST, ALICE);
    prove('shop.example', BOB);
    prove(`a.${HOST}`, BOB);
    await expect(setHosting(core, ofBob, hosting(HOST))).rejects.toMatchObject(refused);
    expect(hostRecordOf(HOST, ALICE).value).not.toBe(hostRecordOf(HOST, BOB).value);
    expect(hostRecordOf(HOST, ALICE).value).not.toContain(ALICE);
  });

  it('blocks neither the names below it nor those above', async () => {
    for (const [host, account] of [
      ['shop.example', ALICE],
      [HOST, BOB],
      [`a.${HOST}`, ALICE],
    ] as const) {
      prove(host, account);
    }
    await setHosting(core, ofAlice, hosting('shop.example', `a.${HOST}`));
    await setHosting(core, ofBob, hosting(HOST));
    expect(await core.ports.directory.findHost(HOST)).toMatchObject({ bucket: 'of-bob' });
  });

  it('stays bound when the record is gone, and is asked for no more', async () => {
    prove(HOST, ALICE);
    await setHosting(core, ofAlice, hosting(HOST));
    dns.clear();
    asked.length = 0;
    await setHosting(core, ofAlice, { ...hosting(HOST), spaFallback: true });
    expect(asked).toEqual([]);
    await expect(setHosting(core, ofAlice, hosting(HOST, 'b.example'))).rejects.toMatchObject(
      refused,
    );
    expect(asked).toEqual(['_quayside.b.example']);
    prove(HOST, BOB);
    await expect(setHosting(core, ofBob, hosting(HOST))).rejects.toMatchObject({
      code: 'DomainAlreadyBound',
    });
    expect(await core.ports.directory.findHost(HOST)).toMatchObject({ bucket: 'of-alice' });
  });

  it('that was given up, or whose bucket is gone, needs the proof again', async () => {
    const gone = { id: 'gone' as never, name: parseBucketName('gone') };
    const { directory } = core.ports;
    await directory.call('bindHosts', {
      bucket: gone,
      domains: hosting(HOST).domains,
      mayTake: [],
    });
    await expect(setHosting(core, ofBob, hosting(HOST))).rejects.toMatchObject(refused);
    prove(HOST, BOB);
    await setHosting(core, ofBob, hosting(HOST));
    await setHosting(core, ofBob, hosting());
    await expect(setHosting(core, ofAlice, hosting(HOST))).rejects.toMatchObject(refused);
  });

  it('costs one question of DNS while it is not proven, however many are wished', async () => {
    const many = Array.from({ length: 20 }, (_, at) => `a${at}.example`);
    await expect(setHosting(core, ofAlice, hosting(...many))).rejects.toMatchObject(refused);
    expect(asked).toEqual(['_quayside.a0.example']);
  });

  it('can have a name that leaves no room for a record: then nothing proves it', async () => {
    const long = [
      ...Array.from({ length: 3 }, () => 'a'.repeat(62)),
      'b'.repeat(53),
      'example',
    ].join('.');
    expect(long.length).toBeLessThanOrEqual(253);
    await expect(setHosting(core, ofAlice, hosting(long))).rejects.toMatchObject(refused);
    expect(asked).toEqual([]);
  });

  it('is not bound while DNS cannot be asked', async () => {
    const failing = () => Promise.reject(new StorageError('ServiceUnavailable'));
    const cut = withPorts(core, { txtRecords: { read: failing } });
    await expect(setHosting(cut, ofAlice, hosting(HOST))).rejects.toMatchObject({
      code: 'ServiceUnavailable',
    });
    expect(await core.ports.directory.findHost(HOST)).toBe(null);
  });

  it("is not needed for the operator's account, nor where the operator trusts all", async () => {
    await setHosting(core, await openTestBucket(core), hosting('root.example'));
    const trusting = { ...core, settings: { ...core.settings, requiresHostProof: false } };
    await setHosting(trusting, ofAlice, hosting(HOST));
    expect(asked).toEqual([]);
  });
});
