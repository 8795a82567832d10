// Reports that the index of a bucket fills up: a line in the log for the operator, and
// an event to the webhooks of the bucket's owner, who can delete or use another bucket.
// Called by the alarm of the bucket's object, where an index may only grow so far.
import type { BucketName } from '../../domain/nouns.ts';
import type { RoomReport } from '../../ports/operator-work.ts';
import type { Core } from '../core.ts';
import { type EnqueuingCore, enqueue } from '../outbox/deliveries.ts';

type ReportingCore = {
  readonly ports: EnqueuingCore['ports'] &
    Pick<Core['ports'], 'log'> & {
      readonly metadataIndex: Pick<Core['ports']['metadataIndex'], 'call'>;
    };
};

/** Logs and enqueues a report, but none of a bucket that is gone. Cost: that of `enqueue`. */
export async function reportIndexRoom(
  core: ReportingCore,
  name: BucketName,
  { percent, usedPercent, usedBytes, maxBytes }: RoomReport,
): Promise<void> {
  const { log, metadataIndex } = core.ports;
  const bucket = await metadataIndex.call(name, 'getBucket', { name });
  if (bucket === null) return;
  const data = {
    bucket: name,
    percent,
    usedPercent: Math.floor(usedPercent * 10) / 10,
    usedBytes: `${usedBytes}`,
    maxBytes: `${maxBytes}`,
  };
  log.error('index-filling', data);
  await enqueue(core, bucket.ownerId, 'index.crossed', data);
}
