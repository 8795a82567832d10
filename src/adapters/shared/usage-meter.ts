// Counts usage in memory, for both platforms: one counter for each owner, each
// storage class apart. Counters that were used since the last drain stand in a
// list, so that draining looks at nothing else, and one that somebody still holds
// counts on even when it was forgotten here.
import type { AccountId, BucketId, BucketReadPolicy } from '../../domain/nouns.ts';
import {
  type Allowance,
  type AlsoRead,
  type DrainedUsage,
  type Meter,
  type MeterTotals,
  type OpenUse,
  type OperationClass,
  type UsageCounter,
  type UsageCounts,
  type UsageOwner,
  type UsageTier,
  type Use,
  unitsOf,
} from '../../ports/metering.ts';
import type { Clock } from '../../ports/system.ts';
import { createQuotaReservations, haveRoom, type QuotaReservations } from './quota-reservations.ts';

export type UsageMeter = Meter & {
  /**
   * What was counted of a bucket and not drained yet, by whatever key; null when
   * nothing was. For tests.
   */
  ofBucket(bucketId: BucketId): MeterTotals | null;
  /** Forgets the allowances of all counters: another thread has changed a cap. */
  forgetAllAllowances(): void;
};

/**
 * Counters that can be looked up; with more, all are forgotten and begin anew.
 * About 500 B each.
 */
const COUNTERS_MAX = 10_000;

const newCounts = (): UsageCounts => ({
  classA: 0,
  classB: 0,
  free: 0,
  memoryBytes: 0,
  edgeBytes: 0,
  bucketBytes: 0,
  madeBytes: 0,
  retrievedBytes: 0,
});

const NO_OPERATIONS: ReadonlyMap<string, number> = new Map();

/**
 * `list` is called at a counter's first use after each drain, `addApart` with what
 * drains don't take.
 */
type Listener = {
  list(counter: Counter): void;
  addApart(usage: DrainedUsage): void;
  readonly reserve: QuotaReservations['reserve'];
  nowMs(): number;
};

class Counter implements UsageCounter {
  readonly owner: UsageOwner;
  allowances: readonly Allowance[] | null = null;
  usedFromMs = 0;
  #standard = newCounts();
  #others: Map<string, UsageCounts> | null = null;
  #blocked = 0;
  #clientErrors = 0;
  #serverErrors = 0;
  #operations: Map<string, number> | null = null;
  #namedReads = 0;
  #isListed = false;
  readonly #listener: Listener;

  constructor(owner: UsageOwner, listener: Listener) {
    this.owner = owner;
    this.#listener = listener;
  }

  count(
    operationClass: OperationClass,
    bytesOut: number,
    tier: UsageTier,
    storageClass: string,
  ): void {
    const counts = this.#of(storageClass);
    if (operationClass === 'B') counts.classB += 1;
    else if (operationClass === 'A') counts.classA += 1;
    else counts.free += 1;
    addBytes(counts, bytesOut, tier);
    if (this.allowances !== null) spend(this.allowances, operationClass, bytesOut);
    if (!this.#isListed) this.#enlist();
  }

  countOpen(
    operationClass: OperationClass,
    bytesOut: number,
    tier: UsageTier,
    storageClass: string,
  ): OpenUse {
    this.count(operationClass, 0, tier, storageClass);
    const { reserve } = this.#listener;
    let left = bytesOut;
    let reservation = reserve(this.allowances ?? [], left);
    return {
      sent: (bytes) => {
        const counted = Math.min(bytes, left);
        if (counted === 0) return true;
        if (!reservation.isKept()) {
          const allowances = this.allowances ?? [];
          if (!haveRoom(allowances, left)) return false;
          reservation = reserve(allowances, left);
        }
        left -= counted;
        addBytes(this.#of(storageClass), counted, tier);
        reservation.pass(counted);
        if (!this.#isListed) this.#enlist();
        return true;
      },
      end() {
        reservation.letGo();
        left = 0;
      },
    };
  }

  countApart({ operationClass, bytesOut, tier, storageClass, alsoRead }: Use) {
    const { addApart } = this.#listener;
    const list = (counter: Counter) => {
      counter.usedFromMs = this.#listener.nowMs();
    };
    const apart = new Counter(this.owner, { ...this.#listener, list });
    apart.allowances = this.allowances;
    apart.count(operationClass, bytesOut, tier, storageClass);
    for (const read of alsoRead) apart.alsoRead(read);
    const usage = apart.take();
    addApart(usage);
    const reads = alsoRead.reduce((sum, read) => sum + read.reads, 0);
    const spent = (this.allowances ?? []).map((allowance) => {
      const units =
        unitsOf(allowance, operationClass, bytesOut) + reads * unitsOf(allowance, 'B', 0);
      allowance.underWay += units;
      return { allowance, units };
    });
    const settle = () => {
      for (const { allowance, units } of spent) allowance.underWay -= units;
    };
    return { usage, settle };
  }

  note(operation: string, isCountedRead: boolean): void {
    this.#operations ??= new Map();
    this.#operations.set(operation, (this.#operations.get(operation) ?? 0) + 1);
    if (isCountedRead) this.#namedReads += 1;
    if (!this.#isListed) this.#enlist();
  }

  alsoRead({ storageClass, reads, retrievedBytes }: AlsoRead): void {
    const counts = this.#of(storageClass);
    counts.classB += reads;
    counts.retrievedBytes += retrievedBytes;
    for (const allowance of this.allowances ?? [])
      allowance.used += reads * unitsOf(allowance, 'B', 0);
    if (!this.#isListed) this.#enlist();
  }

  block(): void {
    this.#blocked += 1;
    if (!this.#isListed) this.#enlist();
  }

  fail(fault: 'client' | 'server'): void {
    if (fault === 'client') this.#clientErrors += 1;
    else this.#serverErrors += 1;
    if (!this.#isListed) this.#enlist();
  }

  /** What was counted so far. */
  peek(): DrainedUsage {
    const counts = new Map(this.#others ?? []).set('STANDARD', this.#standard);
    let reads = 0;
    for (const { classB } of counts.values()) reads += classB;
    return {
      owner: this.owner,
      usedFromMs: this.usedFromMs,
      counts,
      blocked: this.#blocked,
      clientErrors: this.#clientErrors,
      serverErrors: this.#serverErrors,
      operations: this.#operations ?? NO_OPERATIONS,
      unnamedReads: reads - this.#namedReads,
    };
  }

  /** A drain has taken the counts: the next use lists the counter again. */
  unlist(): void {
    this.#isListed = false;
  }

  take(): DrainedUsage {
    const taken = this.peek();
    this.#standard = newCounts();
    this.#others = null;
    this.#blocked = 0;
    this.#clientErrors = 0;
    this.#serverErrors = 0;
    this.#operations = null;
    this.#namedReads = 0;
    return taken;
  }

  #enlist(): void {
    this.#isListed = true;
    this.#listener.list(this);
  }

  #of(storageClass: string): UsageCounts {
    return storageClass === 'STANDARD' ? this.#standard : this.#other(storageClass);
  }

  #other(storageClass: string): UsageCounts {
    this.#others ??= new Map();
    const known = this.#others.get(storageClass);
    if (known !== undefined) return known;
    const counts = newCounts();
    this.#others.set(storageClass, counts);
    return counts;
  }
}

function addBytes(counts: UsageCounts, bytesOut: number, tier: UsageTier): void {
  if (tier === 'memory') counts.memoryBytes += bytesOut;
  else if (tier === 'edge') counts.edgeBytes += bytesOut;
  else if (tier === 'bucket') counts.bucketBytes += bytesOut;
  else counts.madeBytes += bytesOut;
}

function spend(
  allowances: readonly Allowance[],
  operationClass: OperationClass,
  bytesOut: number,
): void {
  for (const allowance of allowances)
    allowance.used += unitsOf(allowance, operationClass, bytesOut);
}

/** Makes a meter that has counted nothing. */
export function createUsageMeter(clock: Clock): UsageMeter {
  const counters = new Map<string, Counter>();
  let ofReadPolicies = new WeakMap<BucketReadPolicy, Counter>();
  /** Counters that hold something. */
  const used = new Set<Counter>();
  let onUse: () => void = () => {};
  const drained = newTotals();
  let forgotten = 0;

  function list(counter: Counter): void {
    // One that a drain left alone holds older uses.
    if (!used.has(counter)) counter.usedFromMs = clock.nowMs();
    used.add(counter);
    onUse();
  }

  const addApart = (usage: DrainedUsage) => addTo(drained, usage);
  const { reserve, releaseIdleReservations } = createQuotaReservations(clock);
  const listener: Listener = { list, addApart, reserve, nowMs: () => clock.nowMs() };

  function of(owner: UsageOwner): Counter {
    // No id of a bucket or an account has a space.
    const name = `${owner.accountId} ${owner.bucketId ?? ''} ${owner.accessKeyId ?? ''}`;
    const known = counters.get(name);
    if (known !== undefined) return known;
    if (counters.size >= COUNTERS_MAX) {
      counters.clear();
      ofReadPolicies = new WeakMap();
    }
    const counter = new Counter(owner, listener);
    counters.set(name, counter);
    return counter;
  }

  return {
    of,
    ofReadPolicy(readPolicy) {
      let counter = ofReadPolicies.get(readPolicy);
      if (counter === undefined) {
        counter = of({
          accountId: readPolicy.ownerId,
          bucketId: readPolicy.bucketId,
          accessKeyId: null,
        });
        ofReadPolicies.set(readPolicy, counter);
      }
      return counter;
    },
    drain(wants) {
      const taken: DrainedUsage[] = [];
      for (const counter of used) {
        counter.unlist();
        if (!wants(counter.owner.accountId)) continue;
        used.delete(counter);
        const usage = counter.take();
        addTo(drained, usage);
        taken.push(usage);
      }
      return taken;
    },
    hasUses: () => used.size > 0,
    releaseIdleReservations,
    forgotten: () => forgotten,
    forgetAllowances(accountId: AccountId) {
      forgotten += 1;
      for (const counter of counters.values())
        if (counter.owner.accountId === accountId) counter.allowances = null;
    },
    forgetAllAllowances() {
      forgotten += 1;
      for (const counter of counters.values()) counter.allowances = null;
    },
    whenUsed(callback) {
      onUse = callback;
    },
    totals() {
      const sums = newTotals();
      addTotals(sums, drained);
      for (const counter of used) addTo(sums, counter.peek());
      return sums;
    },
    ofBucket(bucketId) {
      const sums = newTotals();
      const found = [...used].filter((counter) => counter.owner.bucketId === bucketId);
      for (const counter of found) addTo(sums, counter.peek());
      return found.length === 0 ? null : sums;
    },
  };
}

type Totals = { operations: Record<OperationClass, number>; bytesOut: Record<UsageTier, number> };

const newTotals = (): Totals => ({
  operations: { A: 0, B: 0, free: 0 },
  bytesOut: { memory: 0, edge: 0, bucket: 0, none: 0 },
});

function addTo({ operations, bytesOut }: Totals, { counts }: DrainedUsage): void {
  for (const of of counts.values()) {
    operations.A += of.classA;
    operations.B += of.classB;
    operations.free += of.free;
    bytesOut.memory += of.memoryBytes;
    bytesOut.edge += of.edgeBytes;
    bytesOut.bucket += of.bucketBytes;
    bytesOut.none += of.madeBytes;
  }
}

function addTotals(sums: Totals, other: Totals): void {
  for (const name of ['A', 'B', 'free'] as const) sums.operations[name] += other.operations[name];
  for (const name of ['memory', 'edge', 'bucket', 'none'] as const)
    sums.bytesOut[name] += other.bytesOut[name];
}
