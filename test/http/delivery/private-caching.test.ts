import { expect, it } from 'vitest';
import type { ObjectKey } from '../../../src/domain/nouns.ts';
import { withPrivateCaching } from '../../../src/http/delivery/public-reader.ts';
import { pointerOf } from '../../contract/pointer-samples.ts';

it.each([
  [{}, 'private, no-cache'],
  [{ cacheControl: 'max-age=5' }, 'public'],
  [{ expires: 'Thu, 01 Jan 2037 00:00:00 GMT' }, 'public'],
  [{ cacheControl: 'max-age=5', expires: 'Thu, 01 Jan 2037 00:00:00 GMT' }, 'public'],
])('Cache-Control of an object with the headers %j is %s', (headers, cacheControl) => {
  const kept = withPrivateCaching(
    { 'cache-control': 'public' },
    { ...pointerOf('k' as ObjectKey, 'etag'), headers },
  );
  expect(kept['cache-control']).toBe(cacheControl);
});
