// A body on its way out counts what leaves, and its use ends once, however it ends.
import { describe, expect, it } from 'vitest';
import { countSent } from '../../src/http/outgoing-body.ts';
import { ChunkStream } from '../../src/ports/chunk-stream.ts';
import type { UsageCounter } from '../../src/ports/metering.ts';

const USE = {
  operationClass: 'B',
  bytesOut: 30,
  tier: 'bucket',
  storageClass: 'STANDARD',
} as const;
const chunk = { bytes: new Uint8Array(10), isBorrowed: false };

/** A body of three chunks, of which the caps take so many; `fails`: at the last one. */
function open({ taken = 3, fails = false } = {}) {
  const seen = { sentBytes: 0, ends: 0, closes: 0 };
  let left = 3;
  const source = new ChunkStream({
    async next() {
      if (left === 1 && fails) throw new Error('a disk');
      left -= 1;
      return left < 0 ? null : chunk;
    },
    close() {
      seen.closes += 1;
    },
  });
  const countOpen: UsageCounter['countOpen'] = () => ({
    sent(bytes) {
      if (seen.sentBytes >= taken * 10) return false;
      seen.sentBytes += bytes;
      return true;
    },
    end() {
      seen.ends += 1;
    },
  });
  const body = countSent({ countOpen } as UsageCounter, USE, source) as ChunkStream;
  return { chunks: body.chunks, seen };
}

async function readAll({ chunks }: ReturnType<typeof open>): Promise<number> {
  let length = 0;
  for (;;) {
    const next = await chunks.next(10);
    if (next === null) return length;
    length += next.bytes.length;
  }
}

describe('the use of a body', () => {
  it('ends behind its last byte', async () => {
    const opened = open();
    expect([await readAll(opened), opened.seen]).toEqual([
      30,
      { sentBytes: 30, ends: 1, closes: 0 },
    ]);
  });

  it('ends where the source fails, which is let go', async () => {
    const opened = open({ fails: true });
    await expect(readAll(opened)).rejects.toThrow('a disk');
    expect(opened.seen).toEqual({ sentBytes: 20, ends: 1, closes: 1 });
  });

  it('ends where a cap has no room, and the source is let go', async () => {
    const opened = open({ taken: 1 });
    await expect(readAll(opened)).rejects.toMatchObject({ code: 'UsageCapReached' });
    expect(opened.seen).toEqual({ sentBytes: 10, ends: 1, closes: 1 });
  });

  it('ends where the client leaves', async () => {
    const opened = open();
    await opened.chunks.next(10);
    opened.chunks.close();
    expect(opened.seen).toEqual({ sentBytes: 10, ends: 1, closes: 1 });
  });
});
