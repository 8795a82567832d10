// The Durable Object of the directory: accounts, access keys and bucket names.
// There is one, named in do-directory.ts, which is also its only caller.
import { DurableObject } from 'cloudflare:workers';
import { DIRECTORY_CALLS } from '../../../index/call-kinds.ts';
import { type CallOutcome, runIndexCall } from '../../../index/call-outcome.ts';
import { createDirectoryIndex } from '../../../index/directory-index.ts';
import { DIRECTORY_SCHEMA } from '../../../index/tables/directory-schema.ts';
import { migrate } from '../../../index/tables/schema.ts';
import type { Directory, DirectoryApi } from '../../../ports/directory.ts';
import { type Dispatcher, mayHaveEnqueued, type OutboxQueue } from '../../../ports/outbox.ts';
import { createConsoleLog } from '../../shared/console-log.ts';
import { systemClock } from '../../shared/system-clock.ts';
import type { WorkerEnv } from '../env.ts';
import { refuseCall } from '../protocol.ts';
import { createOutboxPorts, type OutboxPorts } from './alarm-ports.ts';
import { createDoSql } from './do-sqlite.ts';
import { createObjectAlarm, type ObjectAlarm } from './object-alarm.ts';
import { createOutboxAlarm, type OutboxAlarm, queueOf } from './outbox-alarm.ts';

/** worker.ts makes the class itself, with what it takes of core. */
export abstract class DirectoryObject extends DurableObject<WorkerEnv> {
  readonly #directory: DirectoryApi;
  readonly #alarm: ObjectAlarm;
  readonly #outbox: OutboxAlarm;

  constructor(ctx: DurableObjectState, env: WorkerEnv) {
    super(ctx, env);
    const sql = createDoSql(ctx.storage);
    // Synchronous, so no call can come in between; a failed migration makes every
    // call fail with its reason.
    migrate(sql, DIRECTORY_SCHEMA);
    const directory = createDirectoryIndex(sql);
    this.#directory = directory;
    const local: Pick<Directory, 'call'> = {
      call: async (name, input) => directory[name](input as never) as never,
    };
    this.#alarm = createObjectAlarm(ctx.storage, null);
    this.#outbox = createOutboxAlarm({
      slot: this.#alarm.slot(),
      outbox: directory,
      openDispatcher: () =>
        this.openDispatcher(queueOf(directory), {
          ...createOutboxPorts(env, ctx),
          directory: local,
        }),
      nowMs: systemClock.nowMs,
      log: createConsoleLog(systemClock, 'error'),
    });
  }

  /** Sends what waits for webhooks. */
  override alarm(): Promise<void> {
    this.#alarm.wentOff();
    return this.#outbox.run();
  }

  protected abstract openDispatcher(queue: OutboxQueue, ports: OutboxPorts): Dispatcher;

  /**
   * Runs one call. Atomic and, once the response is out, durable. Never throws;
   * failures are in the reply.
   */
  call(name: keyof DirectoryApi, input: unknown, protocol?: number): CallOutcome {
    const refusal = refuseCall(DIRECTORY_CALLS, name, protocol);
    if (refusal !== null) return refusal;
    const reply = runIndexCall(this.#directory, name, input as never);
    if (reply.isOk && mayHaveEnqueued(name, input)) this.#outbox.kick();
    return reply;
  }
}
