// The memory of share links: what a change of a link does to a load under way. What it does behind
// the port is tested with the surface of links.
import { expect, it } from 'vitest';
import { createMemoryShares } from '../../../src/adapters/shared/memory-shares.ts';
import type { LinkId } from '../../../src/domain/links/link-ids.ts';
import type { HotShare } from '../../../src/ports/caches/hot-shares.ts';

const id = 'link' as LinkId;
const none = () => Promise.resolve(null);

for (const coalesces of [true, false]) {
  it(`drop what was loaded while its link changed, coalescing: ${coalesces}`, async () => {
    const shares = createMemoryShares({ clock: { nowMs: () => 0 }, freshMs: null, coalesces });
    const { promise, resolve } = Promise.withResolvers<HotShare | null>();
    const overtaken = shares.find(id, () => promise);
    shares.block(id);
    const meanwhile = shares.find(id, none);
    shares.unblock(id);
    resolve(null);
    await Promise.all([overtaken, meanwhile]);
    expect(shares.peek(id)).toBeUndefined();

    await shares.find(id, none);
    expect(shares.peek(id)).toBeNull();
  });

  it(`keep what was loaded while another link changed, coalescing: ${coalesces}`, async () => {
    const shares = createMemoryShares({ clock: { nowMs: () => 0 }, freshMs: null, coalesces });
    const loading = shares.find(id, none);
    shares.block('other' as LinkId);
    shares.unblock('other' as LinkId);
    await loading;
    expect(shares.peek(id)).toBeNull();
  });
}
