// What changes of other kinds than objects are counted by: the directory's, and those of caps.
import { beforeEach, describe, expect, it } from 'vitest';
import { DIRECTORY_NAMES } from '../../../src/adapters/node/index/sqlite-metadata-index.ts';
import {
  countCapChanges,
  countDirectoryChanges,
  createSharedState,
  heedCapChanges,
  type SharedState,
  withCountedChanges,
} from '../../../src/adapters/node/threads/shared-state.ts';
import type { UsageMeter } from '../../../src/adapters/shared/usage-meter.ts';
import type { AccountId, BucketName, ObjectKey } from '../../../src/domain/nouns.ts';
import type { Directory } from '../../../src/ports/directory.ts';

let shared: SharedState;
beforeEach(() => {
  shared = createSharedState(2);
});

describe('changes of the directory', () => {
  /** Calls a command that ends when the test says, and which names were under way meanwhile. */
  async function change(name: string, end: (calls: PromiseWithResolvers<unknown>) => void) {
    const { changes } = shared;
    const outcome = Promise.withResolvers<unknown>();
    const port = { call: () => outcome.promise } as unknown as Directory;
    const names = Object.entries(DIRECTORY_NAMES);
    const before = names.map(([, counted]) => changes.read(counted));
    const call = countDirectoryChanges(port, shared).call(name as never, {} as never);
    const settled = call.then(
      (value: unknown) => value,
      (error: Error) => error.message,
    );
    await Promise.resolve();
    const underWay = names.filter(([, counted]) => changes.read(counted) === null);
    end(outcome);
    const result = await settled;
    const changed = names.filter(([, counted], at) => {
      const reading = before[at];
      return reading == null || !changes.isCurrent(reading) || changes.read(counted) === null;
    });
    const isOver = names.every(([, counted]) => changes.read(counted) !== null);
    const kinds = (some: typeof names) => some.map(([kind]) => kind);
    return { underWay: kinds(underWay), changed: kinds(changed), isOver, result };
  }

  it.each([
    ['addAccessKey', ['accessKeys']],
    ['bindHosts', ['hosts']],
    ['addLinkId', ['links']],
    ['removeLinkId', ['links']],
    ['removeLinkIds', ['links']],
    ['getHost', []],
  ])('%s counts for %j, from before it until its response', async (name, kinds) => {
    const done = await change(name, ({ resolve }) => resolve('done'));
    expect(done).toEqual({ underWay: kinds, changed: kinds, isOver: true, result: 'done' });
    const failed = await change(name, ({ reject }) => reject(new Error('full')));
    expect(failed).toEqual({ underWay: kinds, changed: kinds, isOver: true, result: 'full' });
  });

  it('are not counted in a process of one thread', () => {
    const port = { call: async () => null } as unknown as Directory;
    expect(countDirectoryChanges(port, null)).toBe(port);
  });
});

it('commits reach the watcher and the counts, each with its end', () => {
  const calls: unknown[][] = [];
  const own = {
    block: (...args: unknown[]) => void calls.push(['block', ...args]),
    unblock: (...args: unknown[]) => void calls.push(['unblock', ...args]),
  };
  const [bucket, keys] = ['b' as BucketName, ['k' as ObjectKey]];
  const watcher = withCountedChanges(own, shared);
  watcher.block(bucket, keys);
  expect(shared.changes.read('b/k')).toBeNull();
  watcher.unblock(bucket, keys);
  expect(shared.changes.read('b/k')).not.toBeNull();
  expect(calls).toEqual([
    ['block', bucket, keys],
    ['unblock', bucket, keys],
  ]);
  expect(withCountedChanges(own, null)).toBe(own);
});

describe('changes of caps', () => {
  const account = 'a' as AccountId;

  /** A meter that notes what it is told to forget. */
  function noting() {
    const forgotten: string[] = [];
    const meter = {
      forgetAllowances: (id: AccountId) => void forgotten.push(id),
      forgetAllAllowances: () => void forgotten.push('all'),
      of: () => 'of',
      ofReadPolicy: () => 'policy',
      forgotten: () => 'forgotten',
    } as unknown as UsageMeter;
    return { meter, forgotten };
  }

  it.each(['of', 'ofReadPolicy', 'forgotten'] as const)(
    'are heeded by the other thread before its next use: %s',
    (call) => {
      const [first, other] = [noting(), noting()];
      const counting = countCapChanges(first.meter, shared);
      const heeding = heedCapChanges(other.meter, shared.changes);
      const use = () => (heeding[call] as (input?: unknown) => unknown)({});
      use();
      expect(other.forgotten).toEqual([]);
      counting.forgetAllowances(account);
      expect([first.forgotten, other.forgotten]).toEqual([['a'], []]);
      use();
      use();
      expect(other.forgotten).toEqual(['all']);
      counting.forgetAllowances(account);
      use();
      expect(other.forgotten).toEqual(['all', 'all']);
    },
  );

  it('are not counted in a process of one thread', () => {
    const { meter } = noting();
    expect(countCapChanges(meter, null)).toBe(meter);
  });
});
