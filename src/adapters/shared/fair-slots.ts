// Lets so many work at once and so many wait. Those that wait are taken from their tenants in turn,
// so that the queue of one is nobody else's, and when there is no more room it is the longest queue
// that loses its newest. derived-bodies.ts asks it.
// Source: fair queueing with longest queue drop, Suter et al., IEEE Journal on Selected Areas in
// Communications 17(6), 1999.

import { StorageError } from '../../domain/errors.ts';
import type { DerivedRequester } from '../../ports/derived.ts';
import type { Clock } from '../../ports/system.ts';

/** How many are made at once, and how many may wait to be. */
export type MakingLimits = {
  readonly concurrency: number;
  /**
   * Where requests may not wait for each other: 0. Then no tenant works on more than is still free.
   */
  readonly waitingMax: number;
  /**
   * How long a slot lasts, milliseconds: what takes longer has failed for all who wait, and makes
   * room for the next. It may go on and is kept if it ends after all; work of a request that ends
   * early may just stop.
   */
  readonly slotMs: number;
};

export type Slot = { release(): void };

/** `take` rejects with SlowDown where too much waits already. */
export type FairSlots = { take(requester: DerivedRequester): Slot | Promise<Slot> };

/**
 * Shares of all that may wait that one source and one bucket can have. A page with many pictures
 * asks for all of them at once.
 */
const SOURCE_SHARE = 1 / 2;
const BUCKET_SHARE = 3 / 4;

type Running = Slot & { readonly tenant: string; readonly endsAtMs: number };
type Waiting = {
  readonly requester: DerivedRequester;
  begin(slot: Slot): void;
  refuse(error: StorageError): void;
};

/** Cost of a slot: a look at all that wait, of which there are few. */
export function createFairSlots(
  { concurrency, waitingMax, slotMs }: MakingLimits,
  clock: Clock,
): FairSlots {
  /** By tenant, in the order in which their turns come. None is empty. */
  const queues = new Map<string, Waiting[]>();
  const running = new Set<Running>();

  function begin(tenant: string): Slot {
    const slot: Running = {
      tenant,
      endsAtMs: clock.nowMs() + slotMs,
      release() {
        if (running.delete(slot)) beginNext();
      },
    };
    running.add(slot);
    return slot;
  }

  function beginNext(): void {
    const next = queues.entries().next().value;
    if (next === undefined) return;
    const [tenant, queue] = next;
    const first = queue.shift();
    queues.delete(tenant);
    if (queue.length > 0) queues.set(tenant, queue);
    first?.begin(begin(tenant));
  }

  function mayBegin(tenant: string): boolean {
    const free = concurrency - running.size;
    if (waitingMax > 0) return free > 0;
    let ofTenant = 0;
    for (const slot of running) if (slot.tenant === tenant) ofTenant += 1;
    return free > ofTenant;
  }

  function count(isCounted: (requester: DerivedRequester) => boolean): number {
    let found = 0;
    for (const queue of queues.values())
      for (const { requester } of queue) if (isCounted(requester)) found += 1;
    return found;
  }

  function isOverShare({ source, bucket }: DerivedRequester): boolean {
    const shareOf = (share: number) => Math.ceil(waitingMax * share);
    if (count((other) => other.source === source) >= shareOf(SOURCE_SHARE)) return true;
    return count((other) => other.bucket === bucket) >= shareOf(BUCKET_SHARE);
  }

  /**
   * Makes room for a tenant by dropping the newest of one that waits for more; false where none
   * does.
   */
  function dropForOther(tenant: string): boolean {
    const own = queues.get(tenant)?.length ?? 0;
    const longest = queues
      .values()
      .reduce<Waiting[]>((most, queue) => (queue.length > most.length ? queue : most), []);
    if (longest.length <= own + 1) return false;
    longest.pop()?.refuse(new StorageError('SlowDown'));
    return true;
  }

  function wait(requester: DerivedRequester): Promise<Slot> {
    return new Promise((resolve, reject) => {
      const queue = queues.get(requester.tenant) ?? [];
      queue.push({ requester, begin: resolve, refuse: reject });
      queues.set(requester.tenant, queue);
    });
  }

  return {
    take(requester) {
      for (const slot of running) if (slot.endsAtMs <= clock.nowMs()) slot.release();
      if (mayBegin(requester.tenant)) return begin(requester.tenant);
      if (waitingMax === 0 || isOverShare(requester)) throw new StorageError('SlowDown');
      if (count(() => true) >= waitingMax && !dropForOther(requester.tenant))
        throw new StorageError('SlowDown');
      return wait(requester);
    },
  };
}
