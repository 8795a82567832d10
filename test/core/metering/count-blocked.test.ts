// Refused requests: whose are counted as blocked, and by which status.
import { expect, it } from 'vitest';
import { createUsageMeter } from '../../../src/adapters/shared/usage-meter.ts';
import { countBlocked } from '../../../src/core/metering/count-blocked.ts';
import type { AccessKeyId, AccountId, BucketId } from '../../../src/domain/nouns.ts';

const payer = {
  accountId: 'owner' as AccountId,
  bucketId: 'photos~1' as BucketId,
  accessKeyId: 'key' as AccessKeyId,
};

it.each([
  [399, null, 0],
  [400, null, 1],
  [403, 'stranger', 1],
  [499, null, 1],
  [500, null, 0],
  [403, 'owner', 0],
])(
  'a refusal with %i of %j counts %i times, for the bucket and no key',
  (status, requester, times) => {
    const meter = createUsageMeter({ nowMs: () => 0 });
    countBlocked(meter, { payer, requester }, status);
    countBlocked(meter, { payer: null, requester }, status);
    const drained = meter.drain(() => true);
    expect(drained.map(({ owner, blocked }) => [owner, blocked])).toEqual(
      times === 0 ? [] : [[{ ...payer, accessKeyId: null }, times]],
    );
  },
);
