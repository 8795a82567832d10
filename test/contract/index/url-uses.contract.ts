// Uses of presigned URLs, as every platform's index must count them: exactly among many at once,
// each URL by itself, and no longer than they last.
import { describe, expect } from 'vitest';
import type { MetadataIndex } from '../../../src/ports/metadata-index.ts';
import { type Subject, testsOf } from '../subject.ts';
import { expectCode, makeBucket, refOf, START_MS } from './samples.ts';

/** Runs the family. */
export function indexUrlUsesContract(subject: Subject<MetadataIndex>): void {
  const test = testsOf(subject);

  async function opened(index: MetadataIndex) {
    const bucket = refOf(await makeBucket(index));
    const take = (id: string, maxUses: number, nowMs = START_MS) =>
      index.call(bucket.name, 'takeUrlUse', {
        ...{ bucket, id, maxUses, nowMs },
        expiresAtMs: nowMs + 1000,
      });
    const release = (id: string) => index.call(bucket.name, 'releaseUrlUse', { bucket, id });
    return { bucket, take, release };
  }

  describe(`metadata index, uses of URLs: ${subject.name}`, () => {
    test('are counted exactly among many at once', async (index) => {
      const { take } = await opened(index);
      const taken = await Promise.allSettled(Array.from({ length: 30 }, () => take('url', 7)));
      expect(taken.filter(({ status }) => status === 'fulfilled')).toHaveLength(7);
      await expectCode(take('url', 7), 'AccessDenied');
      await take('other', 1);
    });

    test('are given back, and never more than were taken', async (index) => {
      const { take, release } = await opened(index);
      await release('url');
      await take('url', 1);
      await expectCode(take('url', 1), 'AccessDenied');
      await release('url');
      await release('url');
      await take('url', 1);
      await expectCode(take('url', 1), 'AccessDenied');
    });

    test('are forgotten once no such URL can be used', async (index) => {
      const { take } = await opened(index);
      await take('url', 1);
      await expectCode(take('url', 1, START_MS + 999), 'AccessDenied');
      await take('url', 1, START_MS + 1000);
    });
  });
}
