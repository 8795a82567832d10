import { describe, expect, it } from 'vitest';
import { createBufferViews } from '../../../src/adapters/node/fast-path/buffer-views.ts';
import { createCopiedRequests } from '../../../src/adapters/node/fast-path/copied-requests.ts';
import { createInternedStrings } from '../../../src/adapters/node/fast-path/interned-strings.ts';
import { DUE_MAX } from '../../../src/adapters/node/server/end-of-tick.ts';

describe('kept requests', () => {
  it('stay until two full lists of others were kept, whatever their bytes become', () => {
    const keep = createCopiedRequests();
    const shared = Buffer.alloc(600);
    const slots = Array.from({ length: 2 * DUE_MAX }, (_, at) =>
      keep(shared.fill(`${at};`).subarray(0, 512 - at)),
    );
    shared.fill(0);
    expect(slots.map((slot, at) => slot.toString('latin1', 0, 512 - at))).toEqual(
      slots.map((_, at) => Buffer.alloc(512 - at, `${at};`).toString('latin1')),
    );
  });

  it('have a buffer of their own when they are long', () => {
    const long = Buffer.alloc(513, 'long');
    const kept = createCopiedRequests()(long);
    long.fill(0);
    expect(kept.toString()).toBe('long'.repeat(129).slice(0, 513));
  });
});

describe('kept texts', () => {
  it('are those of the bytes, known or not, long or short', () => {
    const texts = createInternedStrings();
    const all = [
      '',
      '/',
      '/a',
      '/b',
      '/pub/a.txt',
      '/pub/b.txt',
      `/${'x'.repeat(300)}`,
      '/caf\xe9',
    ];
    for (const text of [...all, ...all.toReversed(), ...all]) {
      const chunk = Buffer.from(`GET ${text} HTTP/1.1`, 'latin1');
      expect(texts.of(chunk, 4, 4 + text.length)).toBe(text);
    }
  });

  it('do not mistake texts that fall to the same place', () => {
    const texts = createInternedStrings();
    const of = (text: string) => texts.of(Buffer.from(text), 0, text.length);
    // The last bytes choose the place.
    expect([of('/one/same-ending'), of('/two/same-ending'), of('/one/same-ending')]).toEqual([
      '/one/same-ending',
      '/two/same-ending',
      '/one/same-ending',
    ]);
  });
});

describe('kept views', () => {
  it('are the same view of the same bytes, and never of others', () => {
    const viewOf = createBufferViews(8);
    const [one, other] = [Buffer.from('abcdefghijkl'), Buffer.from('ABCDEFGHIJKL')];
    expect(viewOf(one, 1, 4)).toBe(viewOf(one, 1, 4));
    const texts = [
      viewOf(one, 1, 4),
      viewOf(other, 1, 4),
      viewOf(one, 2, 5),
      viewOf(one, 1, 12),
      viewOf(one, 1, 4),
    ];
    expect(texts.map((view) => Buffer.from(view).toString())).toEqual([
      'bcd',
      'BCD',
      'cde',
      'bcdefghijkl',
      'bcd',
    ]);
  });
});
