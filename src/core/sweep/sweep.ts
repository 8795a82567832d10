import type { Core } from '../core.ts';
import { type SweepResult, sweepBucket } from './sweep-bucket.ts';

/** Bucket names read per call. */
const PAGE = 500;

/** Sweeps every bucket, one after the other. A bucket whose sweep fails is logged and left to the next sweep. */
export async function sweep(core: Core): Promise<SweepResult> {
  const { directory, log } = core.ports;
  let deletedBlobs = 0;
  let releasedHolds = 0;
  for (let after = ''; ; ) {
    const names = await directory.call('listBucketNames', { after, limit: PAGE });
    for (const name of names) {
      try {
        const swept = await sweepBucket(core, name);
        deletedBlobs += swept.deletedBlobs;
        releasedHolds += swept.releasedHolds;
      } catch (cause) {
        log.error('sweep-failed', { bucket: name, cause });
      }
      after = name;
    }
    if (names.length < PAGE) break;
  }
  if (deletedBlobs + releasedHolds > 0) log.info('swept', { deletedBlobs, releasedHolds });
  return { deletedBlobs, releasedHolds };
}
