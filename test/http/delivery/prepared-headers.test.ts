// The headers of public responses that are kept with a pointer: what one response said of its
// tier, no other one says.
import { expect, it } from 'vitest';
import type { ObjectKey } from '../../../src/domain/nouns.ts';
import { PLAIN_PROFILES } from '../../../src/http/delivery/header-profile.ts';
import { createPreparedFor } from '../../../src/http/delivery/prepared-headers.ts';
import { pointerOf } from '../../contract/pointer-samples.ts';

const HIT = 'memory; hit';
const MISS = 'memory; fwd=uri-miss';
const settings = {
  defaultCacheControl: 'public, max-age=60',
  memoryHit: HIT,
  memoryMiss: MISS,
  compressionMaxBytes: 0,
  isServerTimingOn: true,
};

it.each(['whole', 'notModified'] as const)(
  'a response of kind %s says where it came from, whatever those before it said',
  (kind) => {
    const prepared = createPreparedFor(settings)(PLAIN_PROFILES.own);
    const pointer = pointerOf('a.txt' as ObjectKey, 'a');
    const said = [MISS, HIT, 'edge; hit', HIT, MISS].map((status) => {
      const headers = prepared[kind](pointer, status);
      return [headers['cache-status'], headers['server-timing'] !== undefined];
    });
    expect(said).toEqual([
      [MISS, false],
      [HIT, true],
      ['edge; hit', false],
      [HIT, true],
      [MISS, false],
    ]);
    expect(prepared[kind](pointer, HIT)).toBe(prepared[kind](pointer, HIT));
  },
);

it('a response out of memory says nothing of its time where Server-Timing is off', () => {
  const prepared = createPreparedFor({ ...settings, isServerTimingOn: false })(PLAIN_PROFILES.own);
  const headers = prepared.whole(pointerOf('a.txt' as ObjectKey, 'a'), HIT);
  expect(headers['server-timing']).toBeUndefined();
});
