// How an upload that runs learns that its link has ended, also from an index that is slow.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { watchLink } from '../../../../src/core/links/drop/watch-link.ts';
import type { BucketHandle } from '../../../../src/core/opened-bucket/bucket-handle.ts';
import { DROP_WATCH_MS } from '../../../../src/domain/links/link-limits.ts';
import { DROP_LINK } from '../../../index/kit/use-drop-links.ts';
import { createMemoryCore, openTestBucket } from '../../memory-core.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('the watch looks again once the last look has ended, and cuts once', async () => {
  const core = createMemoryCore();
  const bucket = await openTestBucket(core);
  const looks: PromiseWithResolvers<unknown>[] = [];
  const call = (() => {
    looks.push(Promise.withResolvers());
    return looks.at(-1)?.promise;
  }) as BucketHandle['call'];
  const cut = vi.fn<(error: Error) => void>();
  const end = watchLink(core, { bucket: { ...bucket, call }, link: DROP_LINK }, cut);
  const pass = () => vi.advanceTimersByTimeAsync(3 * DROP_WATCH_MS);

  await pass();
  expect(looks).toHaveLength(1);
  looks[0]?.reject(new Error('The index is away.'));
  await pass();
  expect(looks).toHaveLength(2);
  const usage = { files: 0, bytes: 0, senders: 0 };
  looks[1]?.resolve({ link: DROP_LINK, usage });
  await pass();
  looks[2]?.resolve({ link: { ...DROP_LINK, revokedAtMs: 1 }, usage });
  await pass();
  expect(looks).toHaveLength(3);
  expect(cut).toHaveBeenCalledOnce();
  expect(cut.mock.calls[0]?.[0]).toMatchObject({ fields: { Reason: 'revoked' } });
  end();
});
