// Shards of a bucket in databases of their own, and a line to them on which commands get lost, come
// again or much later. Calls of all who are under way wait for their turn, which comes in random
// order: each call is one transaction of one database.

import type { BucketAddress, BucketName } from '../../../src/domain/nouns.ts';
import { createBucketIndex } from '../../../src/index/bucket-index.ts';
import { nameOfShard } from '../../../src/index/router/shard-map.ts';
import { INDEX_SCHEMA } from '../../../src/index/tables/index-schema.ts';
import type { ShardCommands, ShardState } from '../../../src/ports/index-calls/shard-calls.ts';
import type { IndexApi, MetadataIndex } from '../../../src/ports/metadata-index.ts';
import { bucketRecord, refOf, START_MS } from '../../contract/index/samples.ts';
import { openMigrated } from '../kit/open-migrated.ts';

/** Numbers from 0 to below 1 that a seed determines. Source: mulberry32, public domain. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const pickOf = <Item>(random: () => number, items: readonly Item[]): Item =>
  items[Math.floor(random() * items.length)] as Item;

/** Turns for callers that wait, given in random order. */
export function createTurns(random: () => number) {
  const waiting: (() => void)[] = [];
  return {
    turn: () => new Promise<void>((resolve) => waiting.push(resolve)),
    /** Runs all of them to their end; `after` each turn. */
    async run(tasks: readonly Promise<unknown>[], after: () => void): Promise<void> {
      let isOver = false;
      const ended = Promise.all(tasks).finally(() => {
        isOver = true;
      });
      while (!isOver) {
        const [next] = waiting.splice(Math.floor(random() * waiting.length), 1);
        next?.();
        await new Promise((resolve) => setImmediate(resolve));
        after();
      }
      await ended;
    },
  };
}

/** What a mover gets where a call, or its answer, is lost: it dies of that. */
export class Lost extends Error {}

type AnyCall = (input: never) => unknown;
const COMMANDS: ReadonlySet<string> = new Set<keyof ShardCommands>([
  'reportRecord',
  'freezeSlice',
  'thawSlice',
  'importSlice',
  'dropSlice',
  'giveUpSlice',
  'adoptSlice',
]);

/** Whose database a call goes to. */
function addressee(input: unknown): BucketName {
  const { bucket, name, ownerBucket, referrer } = input as Partial<
    Record<'bucket' | 'ownerBucket' | 'referrer', BucketAddress>
  > & { readonly name?: BucketName };
  const to = ownerBucket?.name ?? bucket?.name ?? referrer?.name ?? name;
  if (to === undefined) throw new Error('The call goes to nobody.');
  return to;
}

/** A bucket whose root has all keys, and some shards without any, one database each. */
export function openShards(count: number, random: () => number) {
  const record = bucketRecord();
  const names = [
    record.name,
    ...Array.from({ length: count }, (_, at) => nameOfShard(record.name, at + 1)),
  ];
  const databases = new Map(names.map((name) => [name, openMigrated(INDEX_SCHEMA)]));
  const apis = new Map(
    names.map((name) => [
      name,
      createBucketIndex(databases.get(name) ?? openMigrated(INDEX_SCHEMA)),
    ]),
  );
  const apiOf = (name: BucketName): IndexApi => {
    const api = apis.get(name);
    if (api === undefined) throw new Error(`There is no ${name}.`);
    return api;
  };
  const clock = { ms: START_MS, nowMs: () => clock.ms };
  const turns = createTurns(random);
  /** Commands that may come again, each to its database. */
  const late: (() => void)[] = [];

  const root = apiOf(record.name);
  root.createBucket({ bucket: record });
  const state = root.noteShards({ bucket: refOf(record), made: count });
  for (const name of names.slice(1)) {
    const id = `${record.id}${name.slice(record.name.length)}` as typeof record.id;
    apiOf(name).makeShard({ bucket: { ...record, id, name }, record: state.record });
  }

  /** Runs a call at its turn, and tells of its success at once. */
  async function run(
    name: string,
    input: unknown,
    onDone: (result: unknown) => void,
  ): Promise<unknown> {
    await turns.turn();
    const api = apiOf(addressee(input)) as unknown as Record<string, AnyCall>;
    const result = api[name]?.(structuredClone(input) as never);
    onDone(result);
    return structuredClone(result);
  }

  const exact = {
    call: (_bucket: BucketName, name: string, input: unknown) => run(name, input, () => {}),
  } as Pick<MetadataIndex, 'call'>;

  /** The line of a mover, which gets lost with its messages. */
  const lossy = {
    async call(_bucket: BucketName, name: string, input: unknown) {
      if (!COMMANDS.has(name)) return run(name, input, () => {});
      const again = () => {
        const api = apiOf(addressee(input)) as unknown as Record<string, AnyCall>;
        try {
          api[name]?.(structuredClone(input) as never);
        } catch {
          // Nobody hears what became of it.
        }
      };
      if (random() < 0.3) late.push(again);
      if (random() < 0.08) throw new Lost();
      const result = await run(name, input, () => {});
      if (random() < 0.08) throw new Lost();
      return result;
    },
  } as Pick<MetadataIndex, 'call'>;

  const states = (): ShardState[] => names.flatMap((name) => apiOf(name).getShard({ name }) ?? []);
  return { record, names, databases, apiOf, clock, turns, late, exact, lossy, run, states };
}

export type ShardWorld = ReturnType<typeof openShards>;
