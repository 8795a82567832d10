// Server access logs of buckets: lines wait in memory by the bucket that they are about, and are
// written as objects into the bucket that its owner named, when there are enough of them or they
// are old enough. Delivery is best effort, as S3's is: what a killed process had not written is
// gone. Called by http/observe for each answered request; a home without a timer has nothing else,
// so each line also sees to the oldest of other buckets. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/ServerLogs.html
import type { BucketLogging } from '../../domain/bucket-settings.ts';
import { StorageError } from '../../domain/errors.ts';
import type { BucketName, BucketRecord } from '../../domain/nouns.ts';
import { openBucket } from '../buckets/bucket-handle.ts';
import type { Core } from '../core.ts';
import { NO_EXPECTATION } from '../objects/body-expectation.ts';
import { putObject } from '../objects/put-object.ts';
import { parseObjectKey } from '../parse-names.ts';
import { mayDeliverLogs } from './may-deliver-logs.ts';

export type LogCollector = {
  /**
   * Keeps a line about a request to a bucket that is logged: without its line break, owner and
   * bucket, which come first.
   */
  add(bucket: BucketName, line: string): void;
  /**
   * Writes what is old enough, or with `all` everything. Never rejects: what can't be written is
   * logged and dropped.
   */
  flush(all?: boolean): Promise<void>;
};

/** Characters of one log object; more lines make another. */
const OBJECT_MAX_LENGTH = 1024 * 1024;
/** Characters of all lines that wait; beyond it new ones are dropped, and counted in the log. */
const WAITING_MAX_LENGTH = 16 * OBJECT_MAX_LENGTH;

type Batch = { readonly sinceMs: number; readonly lines: string[]; length: number };

/** `delayMs`: how long lines may wait for others. */
export function createLogCollector(core: Core, delayMs: number): LogCollector {
  const { background, clock, log } = core.ports;
  const batches = new Map<BucketName, Batch>();
  let waiting = 0;
  let dropped = 0;

  function take(name: BucketName, batch: Batch): Promise<void> {
    batches.delete(name);
    waiting -= batch.length;
    return write(core, name, batch.lines).catch((cause: unknown) =>
      log.error('bucket-log-lost', { bucket: name, lines: batch.lines.length, cause }),
    );
  }

  /** Those that are old enough; the map has the oldest first. At most `max` are looked at. */
  function old(max = Number.POSITIVE_INFINITY): [BucketName, Batch][] {
    const untilMs = clock.nowMs() - delayMs;
    return [...batches.entries().take(max)].filter(([, { sinceMs }]) => sinceMs <= untilMs);
  }

  function reportDropped(): void {
    if (dropped > 0) log.error('bucket-log-dropped', { lines: dropped });
    dropped = 0;
  }

  function keep(name: BucketName, line: string): void {
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
      background.run('write-bucket-log', () => take(name, batch));
  }

  return {
    add(name, line) {
      keep(name, line);
      // Also when the line was dropped: room comes of nothing else.
      for (const [oldest, batch] of old(1)) {
        reportDropped();
        background.run('write-bucket-log', () => take(oldest, batch));
      }
    },
    async flush(all = false) {
      reportDropped();
      const due = all ? [...batches] : old();
      await Promise.all(due.map(([name, batch]) => take(name, batch)));
    },
  };
}

/**
 * One object in the target bucket, which belongs to that bucket's owner. Rejects when it may not be
 * written any more.
 */
async function write(core: Core, name: BucketName, lines: readonly string[]): Promise<void> {
  const { clock, ids, metadataIndex } = core.ports;
  const source = await metadataIndex.call(name, 'getBucket', { name });
  const logging = source?.settings.logging ?? null;
  // Deleted, or switched off meanwhile.
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
 * `{prefix}{YYYY-mm-DD-HH-MM-SS}-{random}`, with owner, region, bucket and day in front for
 * partitioned keys.
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
