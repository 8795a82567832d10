// Errors: which meter a status of whose request is counted by, and that none is in two.
import { expect, it } from 'vitest';
import { createUsageMeter } from '../../../src/adapters/shared/usage-meter.ts';
import { countError } from '../../../src/core/metering/count-error.ts';
import { usageRows } from '../../../src/core/metering/usage-rows.ts';
import type { AccessKeyId, AccountId, BucketId } from '../../../src/domain/nouns.ts';

const payer = {
  accountId: 'owner' as AccountId,
  bucketId: 'photos~1' as BucketId,
  accessKeyId: 'key' as AccessKeyId,
};

it.each([
  [399, null, null, null],
  [400, null, 'free/blocked', null],
  [403, 'stranger', 'free/blocked', null],
  [499, null, 'free/blocked', null],
  [399, 'owner', null, null],
  [400, 'owner', 'errors/4xx', 'key'],
  [403, 'owner', 'errors/4xx', 'key'],
  [500, 'owner', 'errors/5xx', 'key'],
  [500, null, 'errors/5xx', null],
  [503, 'stranger', 'errors/5xx', null],
] as const)(
  'an error %i of %j counts once, as %j by the key %j',
  (status, requester, meter, key) => {
    const counters = createUsageMeter({ nowMs: () => 0 });
    countError(counters, { payer, requester }, status);
    countError(counters, { payer: null, requester }, status);
    const rows = counters.drain(() => true).flatMap(usageRows);
    expect(rows.map((row) => [row.meter, row.accessKeyId, row.quantity])).toEqual(
      meter === null ? [] : [[meter, key, 1n]],
    );
  },
);
