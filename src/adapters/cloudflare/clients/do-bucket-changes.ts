// Long polls over RPC: the bucket's Durable Object waits and answers, because it alone
// sees every change. It is billed for the time that it is awake, so its waits are
// short (bucket-object.ts); a client that is gone is noticed when they end.
import type { BucketChanges, BucketNews } from '../../../ports/bucket-changes.ts';
import type { BucketObject } from '../durable-objects/bucket-object.ts';
import { callObject } from './object-call.ts';

/** Cost: one RPC to the bucket's object, of at most five seconds. */
export function createDoBucketChanges(
  buckets: DurableObjectNamespace<BucketObject>,
): BucketChanges {
  return {
    wait: (input) =>
      callObject<BucketNews>({
        connect: () => {
          const object = buckets.get(buckets.idFromName(input.bucket));
          return { call: () => object.waitForChange(input) };
        },
        name: 'waitForChange',
        input,
        isRepeatable: true,
      }),
  };
}
