// Server access logs of buckets. Lines are collected in memory by bucket, and
// written as objects into its target bucket when they are many or old enough.
// Delivery is best effort, as S3's is: a killed process loses its lines. Called by
// http/observe for each request; a platform without a timer has no other call, so
// each line also flushes the oldest batch. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/ServerLogs.html
import type { BucketLogging } from '../../domain/bucket-settings.ts';
import { StorageError } from '../../domain/errors.ts';
import type { BucketName, BucketRecord } from '../../domain/nouns.ts';
import type { Core } from '../core.ts';
import { NO_EXPECTATION } from '../objects/body-expectation.ts';
import { putObject } from '../objects/put-object.ts';
import { openBucket } from '../opened-bucket/bucket-handle.ts';
import { parseObjectKey } from '../parse-names.ts';
import { mayDeliverLogs } from './may-deliver-logs.ts';

export type LogCollector = {
  /**
   * Adds a line about a request to a logged bucket, without line break, owner and
   * bucket.
   */
  add(bucket: BucketName, line: string): void;
  /**
   * Writes old batches, or `all`. Never rejects: a batch that can't be written is
   * lost and logged.
   */
  flush(all?: boolean): Promise<void>;
};

/** Characters of one log object; more lines make another. */
const OBJECT_MAX_LENGTH = 1024 * 1024;
/**
 * Characters of all waiting lines; beyond it new ones are dropped, and their number
 * is logged.
 */
const WAITING_MAX_LENGTH = 16 * OBJECT_MAX_LENGTH;

type Batch = { readonly sinceMs: number; readonly lines: string[]; length: number };

/** Creates a collector. `delayMs`: how long lines may wait for others. */
export function createLogCollector(core: Core, delayMs: number): LogCollector {
  const { background, clock, log } = core.ports;
  const batches = new Map<BucketName, Batch>();
  let waiting = 0;
  let dropped = 0;

  function writeBatch(name: BucketName, batch: Batch): Promise<void> {
    batches.delete(name);
    waiting -= batch.length;
    return write(core, name, batch.lines).catch((cause: unknown) =>
      log.error('bucket-log-lost', { bucket: name, lines: batch.lines.length, cause }),
    );
  }

  /** Lists old batches among the `max` oldest; the map is in order of age. */
  function oldBatches(max = Number.POSITIVE_INFINITY): [BucketName, Batch][] {
    const untilMs = clock.nowMs() - delayMs;
    return [...batches.entries().take(max)].filter(([, { sinceMs }]) => sinceMs <= untilMs);
  }

  function reportDropped(): void {
    if (dropped > 0) log.error('bucket-log-dropped', { lines: dropped });
    dropped = 0;
  }

  function addLine(name: BucketName, line: string): void {
    if (waiting + line.length > WAITING_MAX_LENGTH) {
      dropped += 1;
      return;
    }
    const batch = batches.get(name) ?? { sinceMs: clock.nowMs(), lines: [], length: 0 };
    batches.set(name, batch);
    batch.lines.push(line);
    batch.length += line.length + 1;
    waiting += line.length + 1;
    if (batch.length >= OBJECT_MAX_LENGTH)
      background.run('write-bucket-log', () => writeBatch(name, batch));
  }

  return {
    add(name, line) {
      addLine(name, line);
      // After a dropped line too: nothing else makes room.
      for (const [oldest, batch] of oldBatches(1)) {
        reportDropped();
        background.run('write-bucket-log', () => writeBatch(oldest, batch));
      }
    },
    async flush(all = false) {
      reportDropped();
      const due = all ? [...batches] : oldBatches();
      await Promise.all(due.map(([name, batch]) => writeBatch(name, batch)));
    },
  };
}

/**
 * Writes lines as one object of the target bucket, whose owner owns it. Rejects
 * when that is no longer allowed.
 */
async function write(core: Core, name: BucketName, lines: readonly string[]): Promise<void> {
  const { clock, ids, metadataIndex } = core.ports;
  const source = await metadataIndex.call(name, 'getBucket', { name });
  const logging = source?.settings.logging ?? null;
  // The bucket was deleted, or its logging switched off, meanwhile.
  if (source === null || logging === null) return;
  const target = await openBucket(core, logging.targetBucket, (record) => {
    if (!mayDeliverLogs(record, source, logging)) throw new StorageError('AccessDenied');
  });

  const start = `${source.ownerId} ${name} `;
  const bytes = new TextEncoder().encode(lines.map((line) => `${start}${line}\n`).join(''));
  await putObject(core, target, {
    key: parseObjectKey(keyOf(source, logging, clock.nowMs(), ids.requestId())),
    attributes: {
      headers: { contentType: 'text/plain' },
      userMetadata: {},
      storageClass: 'STANDARD',
    },
    body: { lengthBytes: bytes.length, pump: async (onChunk) => onChunk(bytes) },
    expectation: NO_EXPECTATION,
    condition: null,
  });
}

/**
 * Makes the key of a log object: `{prefix}{YYYY-mm-DD-HH-MM-SS}-{random}`, with
 * owner, region, bucket and day in front for partitioned keys.
 */
function keyOf(
  { name, ownerId }: BucketRecord,
  { targetPrefix, partitionedBy }: BucketLogging,
  nowMs: number,
  random: string,
): string {
  const [day = '', time = ''] = new Date(nowMs).toISOString().split(/[T.]/);
  const stamp = `${day}-${time.replaceAll(':', '-')}-${random.toUpperCase()}`;
  if (partitionedBy === null) return `${targetPrefix}${stamp}`;
  return `${targetPrefix}${ownerId}/auto/${name}/${day.replaceAll('-', '/')}/${stamp}`;
}
