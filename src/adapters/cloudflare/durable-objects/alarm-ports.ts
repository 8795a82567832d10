// What the work of a Durable Object's alarm runs on: few ports, made when there is
// something to do.
import type { BucketName } from '../../../domain/nouns.ts';
import { forBucket, forgetStorageHours } from '../../../index/router/shard-hours.ts';
import { bucketOfShard } from '../../../index/router/shard-map.ts';
import type { Directory } from '../../../ports/directory.ts';
import type { Ports } from '../../../ports/index.ts';
import type { IndexApi, MetadataIndex } from '../../../ports/metadata-index.ts';
import { createConsoleLog } from '../../shared/console-log.ts';
import { createIds } from '../../shared/ids.ts';
import { systemClock } from '../../shared/system-clock.ts';
import { createDoDirectory } from '../clients/do-directory.ts';
import { createDoLedger } from '../clients/do-ledger.ts';
import type { WorkerEnv } from '../env.ts';

type Hours = ReturnType<IndexApi['closeStorageHours']>;
type ForgetHours = Parameters<IndexApi['forgetStorageHours']>[0];

/** The sender is worker.ts's to add: it depends on settings. */
export type OutboxPorts = Pick<Ports, 'clock' | 'log'> & {
  readonly directory: Pick<Directory, 'call'>;
};

export function createOutboxPorts(
  env: WorkerEnv,
  ctx: Pick<DurableObjectState, 'waitUntil'>,
): OutboxPorts {
  const background = {
    run: (_label: string, work: () => Promise<unknown>) => ctx.waitUntil(work()),
  };
  return {
    clock: systemClock,
    log: createConsoleLog(systemClock, 'error'),
    directory: createDoDirectory(env.DIRECTORY, {
      clock: systemClock,
      background,
      hostFreshSeconds: 0,
    }),
  };
}

/** What a bucket's object reports with that its room gets less: its own index, too. */
export type RoomPorts = OutboxPorts &
  Pick<Ports, 'ids'> & { readonly metadataIndex: Pick<MetadataIndex, 'call'> };

export function createRoomPorts(
  env: WorkerEnv,
  ctx: Pick<DurableObjectState, 'waitUntil'>,
  index: IndexApi,
): RoomPorts {
  return {
    ...createOutboxPorts(env, ctx),
    ids: createIds(systemClock),
    metadataIndex: ownIndex(index),
  };
}

/** The rows of this very object. */
function ownIndex(index: IndexApi): Pick<MetadataIndex, 'call'> {
  return { call: async (_bucket, name, input) => index[name](input as never) as never };
}

/** What a bucket's object brings its hours with: its own index, and the ledgers. */
export type CollectionPorts = OutboxPorts &
  Pick<Ports, 'ids' | 'ledger' | 'steadyClock'> & {
    readonly metadataIndex: Pick<MetadataIndex, 'call'>;
  };

export function createCollectionPorts(
  env: WorkerEnv,
  ctx: Pick<DurableObjectState, 'waitUntil'>,
  index: IndexApi,
  name: BucketName,
): CollectionPorts {
  return {
    ...createOutboxPorts(env, ctx),
    ids: createIds(systemClock),
    ledger: createDoLedger(env.LEDGER),
    steadyClock: null,
    metadataIndex: collectedFor(name, ownIndex(index)),
  };
}

/** The index of a shard with its hours under the id of its bucket; another as it is. */
function collectedFor(
  name: BucketName,
  index: Pick<MetadataIndex, 'call'>,
): Pick<MetadataIndex, 'call'> {
  if (bucketOfShard(name) === name) return index;
  return {
    async call(bucket, call, input) {
      if (call === 'forgetStorageHours')
        return forgetStorageHours(index, input as ForgetHours) as never;
      const value = await index.call(bucket, call, input);
      return call === 'closeStorageHours' ? (forBucket(value as Hours, name) as never) : value;
    },
  };
}
