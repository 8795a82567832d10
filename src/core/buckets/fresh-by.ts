// The staleness bound of a change: until when readers elsewhere may be shown what it replaced.
// Called by the JSON API and by purges, which report it.
import type { BucketName } from '../../domain/nouns.ts';
import type { ReaderChange } from '../../ports/hot-metadata.ts';
import type { Core } from '../core.ts';

/**
 * When the last reader anywhere can have been shown what a change replaced that was made just now
 * in this process, 1970, milliseconds. On Node that is now. Call it when the change was answered.
 */
export function freshByMs({ ports }: Core, bucket: BucketName, change: ReaderChange): number {
  return ports.clock.nowMs() + ports.hotMetadata.staleForMs(bucket, change);
}
