// Host names and settings go into two places; whatever fails in between, the owner can put it
// right, and nobody gets what is another's.
import { describe, expect, it } from 'vitest';
import { createBucket } from '../../../src/core/buckets/create-bucket.ts';
import { deleteBucket } from '../../../src/core/buckets/delete-bucket.ts';
import { HOSTING_DEFAULTS } from '../../../src/core/hosting/read-hosting.ts';
import { getHosting, removeHosting, setHosting } from '../../../src/core/hosting/set-hosting.ts';
import { openBucket } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { parseBucketName } from '../../../src/core/parse-names.ts';
import { StorageError } from '../../../src/domain/errors.ts';
import type { AccountId } from '../../../src/domain/nouns.ts';
import { createMemoryCore, openTestBucket, withPorts } from '../memory-core.ts';

const HOST = 'www.shop.example';
const hosting = { ...HOSTING_DEFAULTS, domains: [{ host: HOST, prefix: '' }] };

describe('setting hosting', () => {
  it('can be repeated after a crash between the two', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const failing = withPorts(core, {
      metadataIndex: {
        async call(name, method, input) {
          if (method === 'setBucketSettings') throw new StorageError('InternalError');
          return core.ports.metadataIndex.call(name, method, input);
        },
      },
    });
    const broken = await openBucket(failing, bucket.record().name, () => undefined);
    await expect(setHosting(failing, broken, hosting)).rejects.toMatchObject({
      code: 'InternalError',
    });
    expect(await core.ports.directory.findHost(HOST)).toMatchObject({
      bucketId: bucket.record().id,
    });
    expect(() => getHosting(bucket)).toThrow(
      expect.objectContaining({ code: 'NoSuchHostingConfiguration' }),
    );
    await setHosting(core, bucket, hosting);
    expect(getHosting(await openTestBucket(core))).toEqual(hosting);
    await removeHosting(core, bucket);
    expect(await core.ports.directory.findHost(HOST)).toBe(null);
  });

  it('takes a name over from a bucket that is gone, and from no other', async () => {
    const core = createMemoryCore();
    const [first, second] = [
      await openTestBucket(core, 'first'),
      await openTestBucket(core, 'second'),
    ];
    await setHosting(core, first, hosting);
    await expect(setHosting(core, second, hosting)).rejects.toMatchObject({
      code: 'DomainAlreadyBound',
    });
    // The bucket goes, but a crash keeps its names from going along.
    const { directory } = core.ports;
    const stuck = withPorts(core, {
      directory: {
        ...directory,
        async call(name, input) {
          if (name === 'bindHosts') throw new StorageError('InternalError');
          return directory.call(name, input);
        },
      },
    });
    const going = await openBucket(stuck, first.record().name, () => undefined);
    await expect(deleteBucket(stuck, going)).rejects.toMatchObject({ code: 'InternalError' });
    await setHosting(core, second, hosting);
    expect(await directory.findHost(HOST)).toMatchObject({ bucket: 'second' });
  });

  it('lets other accounts than root bind names only once the own hosts are set', async () => {
    const memory = createMemoryCore();
    const core = { ...memory, settings: { ...memory.settings, requiresHostProof: false } };
    const closed = { ...core, settings: { ...core.settings, accountsMayBindHosts: false } };
    const account = { id: 'someone' as AccountId, displayName: 'someone' };
    const name = parseBucketName('theirs');
    const access = (await openTestBucket(core)).record().access;
    await createBucket(core, account, name, access);
    const theirs = await openBucket(closed, name, () => undefined);
    await expect(setHosting(closed, theirs, hosting)).rejects.toMatchObject({
      code: 'AccessDenied',
      message: expect.stringContaining('QUAYSIDE_OWN_HOSTS'),
    });
    await setHosting(closed, theirs, HOSTING_DEFAULTS);
    await setHosting(core, theirs, hosting);
    await setHosting(closed, await openTestBucket(closed), {
      ...hosting,
      domains: [{ host: 'a.example', prefix: '' }],
    });
  });
});
