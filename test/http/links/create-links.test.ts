// Which link a request is given to, and what strangers who try ids cost.
import { describe, expect, it } from 'vitest';
import { newLinkId } from '../../../src/core/links/new-link-ids.ts';
import { hasCode } from '../../../src/domain/errors.ts';
import type { LinkEntry, LinkKind } from '../../../src/domain/links/link-ids.ts';
import type { AccountId, BucketAddress, BucketId } from '../../../src/domain/nouns.ts';
import type { LinkAddress } from '../../../src/http/address.ts';
import { createLinkSurface, type LinkRequest } from '../../../src/http/links/create-links.ts';
import { createLinkFiles } from '../../../src/http/links/page/link-files.ts';
import { createMemoryCore } from '../../core/memory-core.ts';
import { makeRequest } from '../s3/kit/make-request.ts';

const BUCKET = { id: 'shop~1', name: 'shop' } as BucketAddress;

/** A surface whose share links answer with what they were given. */
async function surfaceOf() {
  const core = createMemoryCore();
  const asked: string[] = [];
  const { directory } = core.ports;
  const given: LinkRequest[] = [];
  const ports = {
    ...core.ports,
    directory: {
      ...directory,
      peekLink: () => undefined,
      findLink: async (id: LinkEntry['id']) => {
        asked.push(id);
        return directory.findLink(id);
      },
    },
  };
  const answer = createLinkSurface({ ...core, ports }, createLinkFiles(core.ports.consoleFiles), {
    share: (linkRequest) => {
      given.push(linkRequest);
      return new Response('a share link');
    },
  });
  const add = async (kind: LinkKind): Promise<LinkEntry> => {
    const accountId = 'owner' as AccountId;
    const entry: LinkEntry = { id: newLinkId(), kind, bucket: BUCKET, accountId, createdAtMs: 1 };
    await directory.call('addLinkId', { entry });
    return entry;
  };
  const open = async (address: Partial<LinkAddress>, remoteAddress = '192.0.2.1') => {
    const request = { ...makeRequest({ target: '/' }), remoteAddress };
    const whole: LinkAddress = {
      kind: 'link',
      linkKind: 'share',
      rawName: newLinkId(),
      rawPath: null,
      binding: null,
      ...address,
    };
    try {
      return (await answer(request, whole, 'request-1')).status;
    } catch (error) {
      if (hasCode(error, 'NoSuchResource')) return 404;
      if (hasCode(error, 'TooManyRequests')) return 429;
      throw error;
    }
  };
  return { core, asked, given, add, open };
}

describe('a link', () => {
  it('is given to its kind, with its label and path', async () => {
    const { add, open, given } = await surfaceOf();
    const entry = await add('share');
    expect(await open({ rawName: `${entry.id}~12345678`, rawPath: 'a%20b' })).toBe(200);
    expect(given).toMatchObject([{ entry, labelId: '12345678', rawPath: 'a%20b' }]);
  });

  it('is at the address of its kind alone', async () => {
    const { add, open } = await surfaceOf();
    const [share, drop] = [await add('share'), await add('drop')];
    expect(await open({ rawName: share.id, linkKind: 'drop' })).toBe(404);
    expect(await open({ rawName: drop.id, linkKind: 'drop' })).toBe(404);
    expect(await open({ rawName: drop.id, linkKind: 'share' })).toBe(404);
  });

  it('is at hosts of its own bucket alone', async () => {
    const { add, open } = await surfaceOf();
    const { id } = await add('share');
    const at = (bucketId: string) => {
      const { name: bucket } = BUCKET;
      const host = { host: 'www.shop.example', prefix: '', bucket };
      return open({ rawName: id, binding: { ...host, bucketId: bucketId as BucketId } });
    };
    expect([await at('shop~1'), await at('shop~2')]).toEqual([200, 404]);
  });
});

describe('ids that nobody has', () => {
  it('are refused after thirty in a minute from one source, without the directory', async () => {
    const { core, add, asked, open } = await surfaceOf();
    for (let i = 0; i < 30; i++) expect(await open({})).toBe(404);
    const before = asked.length;
    expect(before).toBe(30);
    expect(await open({})).toBe(429);
    expect(asked.length).toBe(before);
    expect(await open({}, '192.0.2.2')).toBe(404);
    core.advanceSeconds(60);
    const { id } = await add('share');
    expect([await open({ rawName: id }), await open({})]).toEqual([200, 404]);
  });

  it('that no link can have are refused for nothing', async () => {
    const { asked, open } = await surfaceOf();
    for (const rawName of ['', 'x', 'x'.repeat(1000), `${newLinkId()}~`])
      expect(await open({ rawName })).toBe(404);
    expect(asked).toEqual([]);
  });

  it('from many sources at once do not fill the directory', async () => {
    const { open, asked } = await surfaceOf();
    const all = await Promise.allSettled(
      Array.from({ length: 200 }, (_, i) => open({}, `192.0.2.${i}`)),
    );
    const refused = all.filter(
      (each) => each.status === 'rejected' && hasCode(each.reason, 'SlowDown'),
    );
    expect([refused.length, asked.length]).toEqual([136, 64]);
  });
});
