// Long polls over RPC: the bucket's Durable Object waits and answers, because it alone
// sees every change. It is billed for the time that it is awake, so its waits are
// short (bucket-object.ts); a client that is gone is noticed when they end.
import type { BucketChanges, BucketNews } from '../../../ports/bucket-changes.ts';
import type { BucketObject } from '../durable-objects/bucket-object.ts';
import type { BucketNames } from './bucket-names.ts';
import { connectBucket } from './bucket-stub.ts';
import { callObject } from './object-call.ts';

/** Cost: one RPC to the bucket's object, of at most five seconds. */
export function createDoBucketChanges(
  buckets: DurableObjectNamespace<BucketObject>,
  names: Pick<BucketNames, 'find'>,
): BucketChanges {
  return {
    async wait(input) {
      const noted = await names.find(input.bucket, false);
      return callObject<BucketNews>({
        connect: () => {
          const object = connectBucket(buckets, input.bucket, noted?.location ?? null);
          return { call: () => object.waitForChange(input) };
        },
        name: 'waitForChange',
        input,
        isRepeatable: true,
      });
    },
  };
}
