import type { BucketName, ObjectKey } from '../../ports/domain.ts';
import type { Core } from '../core.ts';

/**
 * When the last reader anywhere can have been shown the past of a change that was made just now in this process, 1970,
 * milliseconds: of these keys, or with null of the bucket. On Node that is now. Call it when the change was answered.
 */
export function freshByMs({ ports }: Core, bucket: BucketName, keys: readonly ObjectKey[] | null): number {
  return ports.clock.nowMs() + ports.hotMetadata.staleForMs(bucket, keys);
}
