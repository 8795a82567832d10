// The recent changes of buckets that somebody waits for, in memory, and those who
// wait. Node has one for all buckets; on Cloudflare each bucket's object has one. A
// revision names its process: after a restart every client hears of a change, and
// reads again.
import { StorageError } from '../../domain/errors.ts';
import type { BucketName } from '../../domain/nouns.ts';
import type {
  BucketChanges,
  BucketNews,
  ChangeTopic,
  WaitInput,
} from '../../ports/bucket-changes.ts';
import { changedBy } from '../../ports/index-calls/index-changes.ts';
import type { IndexApi, MetadataIndex } from '../../ports/metadata-index.ts';

/**
 * Waits of one account at once, and of one of its members or keys, who leaves the
 * others their part. Our own limits.
 */
export const WAITS_MAX = 64;
export const HOLDER_WAITS_MAX = 16;
/** Buckets whose changes are noted; the one that nobody asked for longest goes. */
const BUCKETS_MAX = 1000;
/** Changes remembered of a bucket: who comes later hears that anything may have changed. */
const CHANGES_MAX = 64;
/** Folders named in one response, and in one change. */
const PREFIXES_MAX = 100;

type Waiter = Pick<WaitInput, 'accountId' | 'holder'>;

type Change = {
  readonly revision: number;
  readonly topic: ChangeTopic;
  readonly prefixes: ReadonlySet<string> | null;
};
type Entry = {
  revision: number;
  /** What every change after this revision was is known. */
  knownAfter: number;
  readonly changes: Change[];
  readonly waits: Set<() => void>;
};

export type ChangeLog = BucketChanges & {
  /** Notes a call that has ended, or failed in a way that it may have landed. */
  note(bucket: BucketName, name: keyof IndexApi, input: unknown): void;
  /** Answers all who wait, and lets nobody wait from now on. */
  close(): void;
};

const TOPICS: { readonly [Name in keyof IndexApi]?: ChangeTopic } = {
  createKeyJob: 'jobs',
  stepKeyJob: 'jobs',
  endKeyJob: 'jobs',
  createUpload: 'uploads',
  abortUpload: 'uploads',
  abortStaleUploads: 'uploads',
};

/** Calls behind which a name may be another account's bucket. */
const ENDS: ReadonlySet<keyof IndexApi> = new Set(['createBucket', 'deleteBucket', 'purgeBucket']);

/** How many waits each account has under way, and each of its holders. */
function createWaitCounts() {
  const waitsOf = new Map<string, number>();
  const limitsOf = ({ accountId, holder }: Waiter) =>
    [
      [accountId, WAITS_MAX],
      [`${accountId} ${holder}`, HOLDER_WAITS_MAX],
    ] as const;
  const change = (waiter: Waiter, by: 1 | -1): void => {
    for (const [name] of limitsOf(waiter)) {
      const waits = (waitsOf.get(name) ?? 0) + by;
      if (waits === 0) waitsOf.delete(name);
      else waitsOf.set(name, waits);
    }
  };
  return {
    /** Counts one more. TooManyRequests. */
    add(waiter: Waiter): void {
      const isFull = limitsOf(waiter).some(([name, max]) => (waitsOf.get(name) ?? 0) >= max);
      if (isFull) throw new StorageError('TooManyRequests');
      change(waiter, 1);
    },
    end(waiter: Waiter): void {
      change(waiter, -1);
    },
  };
}

/** Creates an empty log. `maxWaitMs`: longest wait of the platform. */
export function createChangeLog(maxWaitMs: number): ChangeLog {
  const processId = crypto.randomUUID().slice(0, 8);
  const entries = new Map<BucketName, Entry>();
  const counts = createWaitCounts();
  let lastRevision = 0;
  let isClosed = false;

  function entryOf(bucket: BucketName): Entry {
    const known = entries.get(bucket);
    if (known === undefined) lastRevision += 1;
    const entry = known ?? {
      revision: lastRevision,
      knownAfter: lastRevision,
      changes: [],
      waits: new Set(),
    };
    // The last of the map is the one that was asked for last.
    entries.delete(bucket);
    entries.set(bucket, entry);
    for (const [name, { waits }] of entries) {
      if (entries.size <= BUCKETS_MAX) break;
      if (waits.size === 0) entries.delete(name);
    }
    return entry;
  }

  function newsSince(entry: Entry, after: string | null): BucketNews {
    const revision = `${processId}-${entry.revision}`;
    if (after === revision) return { revision, isChanged: false, topics: [], prefixes: [] };
    const [process, number] = after?.split('-') ?? [];
    const known = process === processId ? Number(number) : Number.NaN;
    if (!(known >= entry.knownAfter && known < entry.revision))
      return { revision, isChanged: true, topics: null, prefixes: null };

    const changes = entry.changes.filter((change) => change.revision > known);
    const topics = [...new Set(changes.map(({ topic }) => topic))];
    const prefixes = new Set(changes.flatMap((change) => [...(change.prefixes ?? [])]));
    const isAll = prefixes.size <= PREFIXES_MAX && changes.every((one) => one.prefixes !== null);
    return { revision, isChanged: true, topics, prefixes: isAll ? [...prefixes] : null };
  }

  return {
    async wait({ bucket, accountId, holder, after, waitMs }, whenGone = () => undefined) {
      const entry = entryOf(bucket);
      const news = newsSince(entry, after);
      if (news.isChanged || waitMs <= 0 || isClosed) return news;

      const waiter = { accountId, holder };
      counts.add(waiter);
      await new Promise<void>((resolve) => {
        const release = () => {
          clearTimeout(timer);
          if (entry.waits.delete(release)) counts.end(waiter);
          resolve();
        };
        const timer = setTimeout(release, Math.min(waitMs, maxWaitMs));
        entry.waits.add(release);
        whenGone(release);
      });
      return newsSince(entry, after);
    },

    note(bucket, name, input) {
      const entry = entries.get(bucket);
      if (entry === undefined) return;
      const change = changeBy(name, input);
      if (change === null) return;

      lastRevision += 1;
      entry.revision = lastRevision;
      entry.changes.push({ ...change, revision: lastRevision });
      if (name === 'stepKeyJob')
        entry.changes.push({ topic: 'jobs', prefixes: NONE, revision: lastRevision });
      if (ENDS.has(name)) {
        // Whoever reads the next bucket of this name may not have read this one.
        entry.changes.length = 0;
        entry.knownAfter = lastRevision;
      }
      while (entry.changes.length > CHANGES_MAX)
        entry.knownAfter = entry.changes.shift()?.revision ?? lastRevision;
      for (const release of [...entry.waits]) release();
    },

    close() {
      isClosed = true;
      for (const { waits } of entries.values()) for (const release of [...waits]) release();
    },
  };
}

const NONE: ReadonlySet<string> = new Set();

/** What a call changes; null: nothing that a client shows. */
function changeBy(name: keyof IndexApi, input: unknown): Omit<Change, 'revision'> | null {
  const changed = changedBy(name, input);
  if (changed === 'readPolicy') return { topic: 'bucket', prefixes: NONE };
  if (changed === 'nothing') {
    const topic = TOPICS[name];
    return topic === undefined ? null : { topic, prefixes: NONE };
  }
  const prefixes = new Set<string>();
  for (const key of changed) {
    prefixes.add(key.slice(0, key.lastIndexOf('/') + 1));
    if (prefixes.size > PREFIXES_MAX) return { topic: 'objects', prefixes: null };
  }
  return { topic: 'objects', prefixes };
}

/** Wraps an index: each change is noted when it has ended, whatever its outcome. */
export function noteChanges(index: MetadataIndex, log: Pick<ChangeLog, 'note'>): MetadataIndex {
  return {
    ...index,
    call(bucket, name, input) {
      const outcome = index.call(bucket, name, input);
      if (TOPICS[name] !== undefined || changedBy(name, input) !== 'nothing') {
        const note = () => log.note(bucket, name, input);
        void outcome.then(note, note);
      }
      return outcome;
    },
  };
}
