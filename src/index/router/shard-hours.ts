// Hours of storage of a bucket that is split: each shard counts its own, and they come to
// the ledger under the id of the bucket (ADR 53). Called by the router, and by the alarm
// of a shard's own object on Cloudflare.
import type { StorageHours } from '../../domain/billing/stored.ts';
import type { BucketName } from '../../domain/nouns.ts';
import type { IndexApi, MetadataIndex } from '../../ports/metadata-index.ts';
import { nameOfShard, rootOfShard } from './shard-map.ts';

type Index = Pick<MetadataIndex, 'call'>;
type Input<Name extends keyof IndexApi> = Parameters<IndexApi[Name]>[0];
type Result<Name extends keyof IndexApi> = ReturnType<IndexApi[Name]>;

/** The names of the shards beside the roots of a name, which may be deleted. */
export async function shardNames(index: Index, name: BucketName): Promise<readonly BucketName[]> {
  const count = await index.call(name, 'countShards', { name });
  return Array.from({ length: count }, (_, at) => nameOfShard(name, at + 1));
}

/** Closed hours of the bucket, and of its shards under the bucket's own id. */
export async function closeStorageHours(
  index: Index,
  input: Input<'closeStorageHours'>,
): Promise<Result<'closeStorageHours'>> {
  const { name, limit } = input;
  const hours: StorageHours[] = [...(await index.call(name, 'closeStorageHours', input))];
  for (const shard of await shardNames(index, name)) {
    const left = limit - hours.length;
    if (left <= 0) break;
    const ofShard = await index.call(name, 'closeStorageHours', {
      ...input,
      name: shard,
      limit: left,
    });
    hours.push(...forBucket(ofShard, shard));
  }
  return hours;
}

/** Hours that a shard has counted, under the id of its bucket. */
export function forBucket(
  hours: readonly StorageHours[],
  shard: BucketName,
): readonly StorageHours[] {
  return hours.map((hour) => {
    const { bucketId } = hour;
    const countedBy = { id: bucketId, name: shard };
    return { ...hour, bucketId: rootOfShard(bucketId), countedBy };
  });
}

/** Each shard forgets the hours that it counted. */
export async function forgetStorageHours(
  index: Index,
  { name, hours }: Input<'forgetStorageHours'>,
): Promise<void> {
  for (const [of, own] of Map.groupBy(hours, ({ countedBy }) => countedBy?.name ?? name)) {
    const named = own.map((hour) => ({ ...hour, bucketId: hour.countedBy?.id ?? hour.bucketId }));
    await index.call(name, 'forgetStorageHours', { name: of, hours: named });
  }
}
