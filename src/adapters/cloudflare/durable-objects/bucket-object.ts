// The Durable Object of one bucket name: its index, the change feed of its readers,
// and the publisher that copies pages of pointers to KV. Calls come from
// do-metadata-index.ts, one typed method for all of them; nothing here decides
// anything. Its alarm sends what waits for webhooks, brings the hours of what is
// stored to the ledger, splits what is too large, and reports that its room gets less.
import { DurableObject } from 'cloudflare:workers';
import type { BucketName, BucketRef } from '../../../domain/nouns.ts';
import { createBucketIndex } from '../../../index/bucket-index.ts';
import { INDEX_CALLS } from '../../../index/call-kinds.ts';
import {
  type CallOutcome,
  failureOutcome,
  runIndexCall,
  unwrapOutcome,
} from '../../../index/call-outcome.ts';
import { type CommandGroups, createCommandGroups } from '../../../index/command-group.ts';
import { INDEX_SCHEMA } from '../../../index/tables/index-schema.ts';
import { migrate } from '../../../index/tables/schema.ts';
import { oldestUncollected } from '../../../index/usage/uncollected.ts';
import type { BucketNews, WaitInput } from '../../../ports/bucket-changes.ts';
import { isSplit } from '../../../ports/index-calls/shard-calls.ts';
import type { IndexApi } from '../../../ports/metadata-index.ts';
import type { RoomReport } from '../../../ports/operator-work.ts';
import { type Dispatcher, mayHaveEnqueued, type OutboxQueue } from '../../../ports/outbox.ts';
import type { Log } from '../../../ports/system.ts';
import { createChangeLog } from '../../shared/change-log.ts';
import { createConsoleLog } from '../../shared/console-log.ts';
import { systemClock } from '../../shared/system-clock.ts';
import { connectBucket } from '../clients/bucket-stub.ts';
import type { RelayInput } from '../clients/do-relay.ts';
import { answerOfEmpty } from '../clients/empty-bucket.ts';
import type { WorkerEnv } from '../env.ts';
import type { FeedNews, ReaderState } from '../pointers/feed-state.ts';
import { PROTOCOL, refuseCall } from '../protocol.ts';
import {
  type CollectionPorts,
  createCollectionPorts,
  createOutboxPorts,
  createRoomPorts,
  type OutboxPorts,
  type RoomPorts,
} from './alarm-ports.ts';
import { type CollectionAlarm, createCollectionAlarm } from './collection-alarm.ts';
import { type CommitQueue, createCommitQueue } from './commit-queue.ts';
import { createDoSql, roomOf } from './do-sqlite.ts';
import { createObjectAlarm, type ObjectAlarm } from './object-alarm.ts';
import { createOutboxAlarm, type OutboxAlarm, queueOf } from './outbox-alarm.ts';
import { createPagePublisher, type PagePublisher } from './page-publisher.ts';
import {
  createPageRelay,
  type PageRelay,
  type PagesCall,
  type PagesResponse,
} from './page-relay.ts';
import { createReaderFeed, type ReaderFeed } from './reader-feed.ts';
import { createRoomAlarm, type RoomAlarm } from './room-alarm.ts';
import type { ShardAlarm, ShardWork } from './shard-alarm.ts';

/**
 * Longest wait for a change, milliseconds: the object is billed while it is awake.
 * Our own limit; docs/internals/background-work.md has the price.
 */
const WAIT_MAX_MS = 5000;

/** Where the storage of an object has the level of its room that was reported last. */
const ROOM_LEVEL = 'room-level';

/** `news`: what a reader should know beside the answer. */
export type BucketReply = CallOutcome & { readonly news?: FeedNews | null };

/** What is said of a bucket whose changes are not all seen. */
const ANYTHING = { isChanged: true, topics: null, prefixes: null } as const;

/** A reader that knows nothing yet. */
const NEW_READER: ReaderState = { cursor: null, hasPage: false };

/** A commit that may run together with others that come at once. */
type Commit = {
  readonly name: 'commitObject' | 'commitPart';
  readonly input: { readonly bucket: BucketRef };
};

/**
 * The call as such a commit, or null. A quota is decided by exact totals, which a group
 * of commits writes at its end.
 */
function commitOf(name: keyof IndexApi, input: unknown): Commit | null {
  if (name !== 'commitObject' && name !== 'commitPart') return null;
  const commit = { name, input: input as Commit['input'] };
  return commit.input.bucket?.quotas === undefined ? commit : null;
}

type Parts = {
  readonly index: IndexApi;
  readonly commits: CommitQueue<Commit, BucketReply>;
  readonly feed: ReaderFeed;
  readonly publisher: PagePublisher;
  readonly outbox: OutboxAlarm;
  readonly collection: CollectionAlarm;
  readonly room: RoomAlarm;
  /** Null: nothing is split. */
  readonly shards: ShardAlarm | null;
};

/** worker.ts makes the class itself, with what it takes of core. */
export abstract class BucketObject extends DurableObject<WorkerEnv> {
  /**
   * Null until the first call that needs the tables, which makes or migrates them.
   */
  #parts: Parts | null = null;
  /** Null: this is no relay. */
  #relay: PageRelay | null = null;
  readonly #changes = createChangeLog(WAIT_MAX_MS);
  #alarm: ObjectAlarm = createObjectAlarm(this.ctx.storage, null);
  #roomLevel = 0;
  /** Null: nothing is split. */
  #openShards: ((name: BucketName, log: Log) => ShardAlarm) | null = null;

  constructor(ctx: DurableObjectState, env: WorkerEnv) {
    super(ctx, env);
    void ctx.blockConcurrencyWhile(async () => {
      this.#alarm = createObjectAlarm(ctx.storage, await ctx.storage.getAlarm());
      this.#roomLevel = (await ctx.storage.get<number>(ROOM_LEVEL)) ?? 0;
      const work = this.shardWork();
      if (work === null) return;
      const { createShardAlarm } = await import('./shard-alarm.ts');
      this.#openShards = (name, log) =>
        createShardAlarm({ ...work, name, slot: this.#alarm.slot(), clock: systemClock, log });
    });
  }

  /**
   * Runs one index call. Atomic and, once the response is out, durable. Never throws;
   * failures are in the reply. `reader`: who looks up for the public.
   */
  call(
    name: keyof IndexApi,
    input: unknown,
    protocol?: number,
    reader = NEW_READER,
  ): BucketReply | Promise<BucketReply> {
    try {
      const refusal = refuseCall(INDEX_CALLS, name, protocol);
      if (refusal !== null) return refusal;
      // Tables would cost storage.
      const ofEmpty = this.#isEmpty() ? answerOfEmpty(name, input) : null;
      if (ofEmpty !== null) return { isOk: true, value: ofEmpty.value };
      const { commits } = this.#open();
      const commit = commitOf(name, input);
      if (commit !== null) return commits.add(commit);
      const reply = this.ctx.storage.transactionSync(() => this.#run(name, input, reader));
      this.#attend(name, input, reply);
      return reply;
    } catch (error) {
      return failureOutcome(error);
    }
  }

  /** Runs one index call inside a transaction. */
  #run(name: keyof IndexApi, input: unknown, reader: ReaderState): BucketReply {
    const { index, feed } = this.#open();
    const done = runIndexCall(index, name, input as never);
    if (!done.isOk) return done;
    feed.note(name, input as never);
    return { ...done, news: feed.newsOf(name, input as never, done.value as never, reader) };
  }

  /** Does what follows a call: pages to publish, messages to send, times of the alarm. */
  #attend(name: keyof IndexApi, input: unknown, reply: BucketReply): void {
    const { publisher, outbox, collection, room, shards } = this.#open();
    if (reply.isOk) shards?.note(name, input);
    if (INDEX_CALLS[name] === 'command') room.look();
    if (publisher.isDue()) this.ctx.waitUntil(publisher.drain());
    if (reply.isOk && mayHaveEnqueued(name, input)) outbox.kick();
    // A bucket that comes to be capped is collected sooner.
    const mayBeCapped = name === 'setBucketSettings' || name === 'reportRecord';
    if (reply.isOk && (this.#alarm.atMs() === null || mayBeCapped)) collection.schedule();
    if (reply.isOk) this.#changes.note(this.ctx.id.name as BucketName, name, input);
  }

  /** Runs commits in one transaction; where that fails, none of them has happened. */
  #runCommits(commits: readonly Commit[], groups: CommandGroups): BucketReply[] {
    try {
      const replies = groups.run(
        commits.map(
          ({ name, input }) =>
            () =>
              this.#run(name, input, NEW_READER),
        ),
      );
      for (const [at, { name, input }] of commits.entries())
        this.#attend(name, input, replies[at] as BucketReply);
      return replies;
    } catch (error) {
      return commits.map(() => failureOutcome(error));
    }
  }

  /**
   * Waits for a change of the bucket, five seconds at most. Other calls run
   * meanwhile. Never throws; failures are in the reply.
   */
  async waitForChange(input: WaitInput): Promise<CallOutcome> {
    try {
      const news: BucketNews = await this.#changes.wait(input);
      const isQuiet = !news.isChanged && input.waitMs > 0;
      // What other shards commit is not seen here.
      const value = isQuiet && this.#isSplit() ? { ...news, ...ANYTHING } : news;
      return { isOk: true, value };
    } catch (error) {
      return failureOutcome(error);
    }
  }

  /**
   * Reads pages for the relay of a region. Never throws; failures are in the reply.
   */
  pagesFor(call: PagesCall, protocol?: number): CallOutcome {
    try {
      const refusal = refuseCall(INDEX_CALLS, 'getBucket', protocol);
      if (refusal !== null) return refusal;
      if (this.#isEmpty()) return { isOk: true, value: null };
      const { index, feed, publisher } = this.#open();
      const name = this.ctx.id.name as BucketName;
      const value = this.ctx.storage.transactionSync(() => {
        const bucket = index.getBucket({ name });
        return bucket === null || isSplit(bucket) ? null : feed.pagesFor(bucket, call);
      });
      if (publisher.isDue()) this.ctx.waitUntil(publisher.drain());
      return { isOk: true, value };
    } catch (error) {
      return failureOutcome(error);
    }
  }

  /**
   * Gathers look-ups for the object of that bucket: this one is a relay, which has no
   * bucket itself. Never throws; failures are in the reply.
   */
  async relay(input: RelayInput, protocol?: number): Promise<CallOutcome> {
    try {
      const refusal = refuseCall(INDEX_CALLS, 'getBucket', protocol);
      if (refusal !== null) return refusal;
      this.#relay ??= createPageRelay({
        callObject: (call) => this.#callBucket(input, call),
        nowMs: systemClock.nowMs,
        wait: (ms) => scheduler.wait(ms),
      });
      return { isOk: true, value: await this.#relay.read(input.wanted) };
    } catch (error) {
      return failureOutcome(error);
    }
  }

  async #callBucket(
    { bucket, location }: RelayInput,
    call: PagesCall,
  ): Promise<PagesResponse | null> {
    const object = connectBucket(this.env.BUCKETS, bucket, location);
    return unwrapOutcome<PagesResponse | null>(await object.pagesFor(call, PROTOCOL));
  }

  /** Sends what waits for webhooks, brings hours to the ledger, reports on the room. */
  override async alarm(): Promise<void> {
    const { outbox, collection, room, shards } = this.#open();
    this.#alarm.wentOff();
    await Promise.all([collection.run(), outbox.run(), room.run(), shards?.run()]);
  }

  /** What splitting takes; null: nothing is split. */
  protected abstract shardWork(): ShardWork | null;

  protected abstract openDispatcher(queue: OutboxQueue, ports: OutboxPorts): Dispatcher;
  /** Brings the hours of the bucket name to the ledger. */
  protected abstract collect(name: BucketName, ports: CollectionPorts): Promise<void>;

  /** Reports to the bucket's owner that a level of its room was passed. */
  protected abstract reportRoom(
    name: BucketName,
    crossing: RoomReport,
    ports: RoomPorts,
  ): Promise<void>;

  #isSplit(): boolean {
    if (this.#isEmpty()) return false;
    return isSplit(this.#open().index.getBucket({ name: this.ctx.id.name as BucketName }));
  }

  #isEmpty(): boolean {
    if (this.#parts !== null) return false;
    return this.ctx.storage.sql.exec('SELECT 1 FROM sqlite_master LIMIT 1').toArray().length === 0;
  }

  /**
   * Synchronous, so no other call comes in between. Throws, and changes nothing,
   * when the database is newer.
   */
  #open(): Parts {
    if (this.#parts !== null) return this.#parts;
    const { storage, id } = this.ctx;
    const groups = createCommandGroups(createDoSql(storage));
    const { sql } = groups;
    migrate(sql, INDEX_SCHEMA);
    const index = createBucketIndex(sql);
    const log = createConsoleLog(systemClock, 'error');
    const bucket = id.name as BucketName;
    const publisher = createPagePublisher({ bucket, kv: this.env.HOT, clock: systemClock, log });
    const feed = createReaderFeed({ bucket, sql, clock: systemClock, publish: publisher.offer });
    const outbox = createOutboxAlarm({
      slot: this.#alarm.slot(),
      outbox: index,
      openDispatcher: () =>
        this.openDispatcher(queueOf(index), createOutboxPorts(this.env, this.ctx)),
      nowMs: systemClock.nowMs,
      log,
    });
    const collection = createCollectionAlarm({
      bucket,
      slot: this.#alarm.slot(),
      oldestUncollected: () => oldestUncollected(sql, bucket),
      collect: () => this.collect(bucket, createCollectionPorts(this.env, this.ctx, index, bucket)),
      nowMs: systemClock.nowMs,
      log,
    });
    const room = createRoomAlarm({
      bucket,
      slot: this.#alarm.slot(),
      room: () => roomOf(storage),
      level: this.#roomLevel,
      storeLevel: (level) => storage.put(ROOM_LEVEL, level),
      report: (crossing) =>
        this.reportRoom(bucket, crossing, createRoomPorts(this.env, this.ctx, index)),
      nowMs: systemClock.nowMs,
      log,
    });
    const shards = this.#openShards?.(bucket, log) ?? null;
    const commits = createCommitQueue<Commit, BucketReply>(systemClock.nowMs, (waiting) =>
      this.#runCommits(waiting, groups),
    );
    this.#parts = { index, commits, feed, publisher, outbox, collection, room, shards };
    return this.#parts;
  }
}
