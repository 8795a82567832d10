// The Durable Objects of the Cloudflare platform: the classes of
// adapters/cloudflare/durable-objects with what they take of core, for the work of their
// alarms. worker.ts exports them.
import { createFetchSender } from './adapters/cloudflare/clients/fetch-webhook-sender.ts';
import type {
  CollectionPorts,
  OutboxPorts,
  RoomPorts,
} from './adapters/cloudflare/durable-objects/alarm-ports.ts';
import { BucketObject as AnyBucketObject } from './adapters/cloudflare/durable-objects/bucket-object.ts';
import { DirectoryObject as AnyDirectoryObject } from './adapters/cloudflare/durable-objects/directory-object.ts';
import {
  type AccountWork,
  LedgerObject as AnyLedgerObject,
} from './adapters/cloudflare/durable-objects/ledger-object.ts';
import type { WorkerEnv } from './adapters/cloudflare/env.ts';
import { createWorkersPorts } from './adapters/cloudflare/ports.ts';
import { parseConfig } from './config.ts';
import { runAccount } from './core/billing/scheduled/account-run.ts';
import { reportIndexRoom } from './core/buckets/report-index-room.ts';
import { requireTrustedTime } from './core/clock/trust-time.ts';
import { collectStorage } from './core/metering/collect-storage.ts';
import { createDispatcher } from './core/outbox/dispatch.ts';
import type { BucketName } from './domain/nouns.ts';
import type { RoomReport } from './ports/operator-work.ts';
import type { OutboxQueue } from './ports/outbox.ts';

/** Objects send what waits in their own outbox, and do the work on usage that is theirs. */
export class BucketObject extends AnyBucketObject {
  override async collect(name: BucketName, ports: CollectionPorts) {
    await requireTrustedTime({ ports });
    await collectStorage({ ports }, name);
  }
  override async reportRoom(name: BucketName, crossing: RoomReport, ports: RoomPorts) {
    await reportIndexRoom({ ports }, name, crossing);
  }
  override openDispatcher(queue: OutboxQueue, ports: OutboxPorts) {
    return dispatcherIn(this.env, queue, ports);
  }
  override shardWork() {
    const { QUAYSIDE_SHARD_ROWS: rows } = this.env as { readonly QUAYSIDE_SHARD_ROWS?: string };
    if (rows === undefined || Number(rows) === 0) return null;
    const config = parseConfig(this.env, 'cloudflare');
    const openIndex = () => createWorkersPorts(this.env, config, null).metadataIndex;
    return { rows: config.shardRows, openIndex };
  }
}
export class DirectoryObject extends AnyDirectoryObject {
  override openDispatcher(queue: OutboxQueue, ports: OutboxPorts) {
    return dispatcherIn(this.env, queue, ports);
  }
}

export class LedgerObject extends AnyLedgerObject {
  override runAccount({ accountId, lastUsedMs, ledger }: AccountWork) {
    const config = parseConfig(this.env, 'cloudflare');
    const ports = createWorkersPorts(this.env, config, null);
    const core = { ports: { ...ports, ledger }, settings: config };
    return runAccount(core, accountId, lastUsedMs);
  }
}

function dispatcherIn(env: WorkerEnv, queue: OutboxQueue, ports: OutboxPorts) {
  const settings = parseConfig(env, 'cloudflare');
  const webhookSender = createFetchSender(settings.webhooks.mayBePrivate);
  return createDispatcher({ ports: { ...ports, webhookSender }, settings }, queue, settings.region);
}
