// The Durable Object of one bucket name: its index, the change feed of its readers,
// and the publisher that copies pages of pointers to KV. Calls come from
// do-metadata-index.ts, one typed method for all of them; nothing here decides
// anything. Its alarm sends what waits
// for webhooks, and brings the hours of what is stored to the ledger.
import { DurableObject } from 'cloudflare:workers';
import type { BucketName } from '../../../domain/nouns.ts';
import { createBucketIndex } from '../../../index/bucket-index.ts';
import { INDEX_CALLS } from '../../../index/call-kinds.ts';
import { type CallOutcome, failureOutcome, runIndexCall } from '../../../index/call-outcome.ts';
import { type CommandGroups, createCommandGroups } from '../../../index/command-group.ts';
import { INDEX_SCHEMA } from '../../../index/tables/index-schema.ts';
import { migrate } from '../../../index/tables/schema.ts';
import { oldestUncollected } from '../../../index/usage/uncollected.ts';
import type { BucketNews, WaitInput } from '../../../ports/bucket-changes.ts';
import type { CommitObjectInput, IndexApi } from '../../../ports/metadata-index.ts';
import { type Dispatcher, mayHaveEnqueued, type OutboxQueue } from '../../../ports/outbox.ts';
import { createChangeLog } from '../../shared/change-log.ts';
import { createConsoleLog } from '../../shared/console-log.ts';
import { systemClock } from '../../shared/system-clock.ts';
import { answerOfEmpty } from '../clients/empty-bucket.ts';
import type { WorkerEnv } from '../env.ts';
import type { FeedNews, ReaderState } from '../pointers/feed-state.ts';
import { refuseCall } from '../protocol.ts';
import {
  type CollectionPorts,
  createCollectionPorts,
  createOutboxPorts,
  type OutboxPorts,
} from './alarm-ports.ts';
import { type CollectionAlarm, createCollectionAlarm } from './collection-alarm.ts';
import { type CommitQueue, createCommitQueue } from './commit-queue.ts';
import { createDoSql } from './do-sqlite.ts';
import { createObjectAlarm, type ObjectAlarm } from './object-alarm.ts';
import { createOutboxAlarm, type OutboxAlarm, queueOf } from './outbox-alarm.ts';
import { createPagePublisher, type PagePublisher } from './page-publisher.ts';
import { createReaderFeed, type ReaderFeed } from './reader-feed.ts';

/**
 * Longest wait for a change, milliseconds: the object is billed while it is awake.
 * Our own limit; docs/internals/background-work.md has the price.
 */
const WAIT_MAX_MS = 5000;

/** `news`: what a reader should know beside the answer. */
export type BucketReply = CallOutcome & { readonly news?: FeedNews | null };

/** A reader that knows nothing yet. */
const NEW_READER: ReaderState = { cursor: null, hasPage: false };

/** A quota is decided by exact totals, which a group of commits writes at its end. */
const mayWait = ({ bucket }: CommitObjectInput): boolean => bucket?.quotas === undefined;

type Parts = {
  readonly index: IndexApi;
  readonly commits: CommitQueue<CommitObjectInput, BucketReply>;
  readonly feed: ReaderFeed;
  readonly publisher: PagePublisher;
  readonly outbox: OutboxAlarm;
  readonly collection: CollectionAlarm;
};

/** worker.ts makes the class itself, with what it takes of core. */
export abstract class BucketObject extends DurableObject<WorkerEnv> {
  /**
   * Null until the first call that needs the tables, which makes or migrates them.
   */
  #parts: Parts | null = null;
  readonly #changes = createChangeLog(WAIT_MAX_MS);
  #alarm: ObjectAlarm = createObjectAlarm(this.ctx.storage, null);

  constructor(ctx: DurableObjectState, env: WorkerEnv) {
    super(ctx, env);
    void ctx.blockConcurrencyWhile(async () => {
      this.#alarm = createObjectAlarm(ctx.storage, await ctx.storage.getAlarm());
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
      if (name === 'commitObject' && mayWait(input as CommitObjectInput))
        return commits.add(input as CommitObjectInput);
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
    const { publisher, outbox, collection } = this.#open();
    if (publisher.isDue()) this.ctx.waitUntil(publisher.drain());
    if (reply.isOk && mayHaveEnqueued(name, input)) outbox.kick();
    // A bucket that comes to be capped is collected sooner.
    if (reply.isOk && (this.#alarm.atMs() === null || name === 'setBucketSettings'))
      collection.schedule();
    if (reply.isOk) this.#changes.note(this.ctx.id.name as BucketName, name, input);
  }

  /** Runs commits in one transaction; where that fails, none of them has happened. */
  #runCommits(inputs: readonly CommitObjectInput[], groups: CommandGroups): BucketReply[] {
    const name = 'commitObject';
    try {
      const replies = groups.run(inputs.map((input) => () => this.#run(name, input, NEW_READER)));
      for (const [at, reply] of replies.entries()) this.#attend(name, inputs[at], reply);
      return replies;
    } catch (error) {
      return inputs.map(() => failureOutcome(error));
    }
  }

  /**
   * Waits for a change of the bucket, five seconds at most. Other calls run
   * meanwhile. Never throws; failures are in the reply.
   */
  async waitForChange(input: WaitInput): Promise<CallOutcome> {
    try {
      const value: BucketNews = await this.#changes.wait(input);
      return { isOk: true, value };
    } catch (error) {
      return failureOutcome(error);
    }
  }

  /** Sends what waits for webhooks, and brings hours to the ledger. */
  override async alarm(): Promise<void> {
    const { outbox, collection } = this.#open();
    this.#alarm.wentOff();
    await Promise.all([collection.run(), outbox.run()]);
  }

  protected abstract openDispatcher(queue: OutboxQueue, ports: OutboxPorts): Dispatcher;
  /** Brings the hours of the bucket name to the ledger. */
  protected abstract collect(name: BucketName, ports: CollectionPorts): Promise<void>;

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
      collect: () => this.collect(bucket, createCollectionPorts(this.env, this.ctx, index)),
      nowMs: systemClock.nowMs,
      log,
    });
    const commits = createCommitQueue<CommitObjectInput, BucketReply>(systemClock.nowMs, (inputs) =>
      this.#runCommits(inputs, groups),
    );
    this.#parts = { index, commits, feed, publisher, outbox, collection };
    return this.#parts;
  }
}
