// What a platform gives besides storage: time, ids, work behind the response, logs.
import type { BlobId, BucketId, UploadId, VersionId } from '../domain/nouns.ts';
import type { SteadyReading } from '../domain/trusted-time.ts';

export type Clock = {
  /** Milliseconds since 1970-01-01 UTC. */
  nowMs(): number;
};

/** Time that only goes on, whatever becomes of the clock. */
export type SteadyClock = {
  /** Milliseconds of this process, sleep of the machine left out. Cost: 0.2 µs. */
  awakeMs(): number;
  /**
   * With sleep, and of the whole machine: the time of one boot. Cost: some 20 µs.
   */
  read(): SteadyReading;
};

/**
 * Fresh ids; all but `requestId` have at least 74 random bits after a millisecond
 * clock, and sort by time.
 */
export type Ids = {
  requestId(): string;
  bucketId(): BucketId;
  versionId(): VersionId;
  uploadId(): UploadId;
  /** An id for anything else that has one: a token, a member, a job. */
  recordId(): string;
  blobId(owner: BucketId): BlobId;
  /**
   * A lower bound: it sorts before every blob id made at `timeMs` or later, and
   * after every one made before. For the sweeper.
   */
  blobIdLowerBound(owner: BucketId, timeMs: number): string;
};

/** Work that outlives the response. Its failures are logged, never thrown. */
export type Background = {
  run(label: string, work: () => Promise<unknown>): void;
};

export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/**
 * Structured log lines. No field ever holds a secret, a signature or a signed URL.
 */
export type Log = {
  info(event: string, fields?: LogFields): void;
  /** `cause` is what was thrown; its stack goes to the log. */
  error(
    event: string,
    fields?: { readonly cause?: unknown; readonly [name: string]: unknown },
  ): void;
};

/**
 * Takes lines of a log. Never blocks and never throws: what can't be written is
 * dropped.
 */
export type LineSink = { write(line: string): void };
