// The staleness bound of a change: until when readers elsewhere may be shown what
// it replaced. Called by the JSON API and by purges, which report it.
import type { BucketName } from '../../domain/nouns.ts';
import type { ReaderChange } from '../../ports/hot-metadata.ts';
import type { Core } from '../core.ts';

/**
 * Computes until when a reader anywhere may be shown what a change replaced,
 * milliseconds since
 * 1970. Call it right after the change, in the process that made it. On Node the
 *       time is now.
 */
export function freshByMs({ ports }: Core, bucket: BucketName, change: ReaderChange): number {
  return ports.clock.nowMs() + ports.hotMetadata.staleForMs(bucket, change);
}
