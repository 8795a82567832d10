// Quotas as the JSON API shows and takes them: bytes are texts, for they may be above 2^53.
import { expect, it } from 'vitest';
import { showQuota, toQuota } from '../../../src/api/schemas/quota.ts';

it.each([
  [
    { bytes: '10', objects: 3 },
    { bytes: 10, objects: 3 },
  ],
  [
    { bytes: '0', objects: null },
    { bytes: 0, objects: null },
  ],
  [
    { bytes: null, objects: 0 },
    { bytes: null, objects: 0 },
  ],
])('the quota %j is taken as %j, and shown as it came', (given, quota) => {
  expect(toQuota(given)).toEqual(quota);
  expect(showQuota(quota)).toEqual(given);
});

it('a quota that limits nothing is none', () => {
  expect([toQuota(null), toQuota({ bytes: null, objects: null })]).toEqual([null, null]);
});
