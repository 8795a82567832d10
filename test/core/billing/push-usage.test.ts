// Usage pushed to a billing service: each day once, whatever fails in between, and nothing of the
// month lost by rounding.
import { describe, expect, it } from 'vitest';
import { pushUsage } from '../../../src/core/billing/scheduled/push-usage.ts';
import { StorageError } from '../../../src/domain/errors.ts';
import type { UsageEvent, UsagePush } from '../../../src/ports/usage-push.ts';
import { addAccount, createBillingCore, dyingAtCall } from './billing-core.ts';

const HOUR_SECONDS = 3600;
const day = (date: number, hour = 0) => Date.UTC(2026, 10, date, hour);

/** A service that knows identifiers for a day, as Stripe does. */
function service(core: { ports: { clock: { nowMs(): number } } }) {
  const counted: UsageEvent[] = [];
  const known = new Map<string, number>();
  let fail: ((event: UsageEvent) => 'before' | 'after' | 'refused' | null) | null = null;
  const push: UsagePush = {
    async push(event) {
      const failure = fail?.(event) ?? null;
      if (failure === 'refused') throw new StorageError('InvalidRequest');
      if (failure === 'before') throw new StorageError('ServiceUnavailable');
      const nowMs = core.ports.clock.nowMs();
      const knownAtMs = known.get(event.identifier);
      if (knownAtMs === undefined || nowMs - knownAtMs > 24 * 3_600_000) {
        known.set(event.identifier, nowMs);
        counted.push(event);
      }
      if (failure === 'after') throw new StorageError('ServiceUnavailable');
    },
  };
  const failWith = (next: typeof fail): void => {
    fail = next;
  };
  return { push, counted, failWith };
}

async function prepared() {
  const core = createBillingCore();
  const ann = await addAccount(core, 'ann');
  await core.ports.directory.call('setPushTarget', {
    accountId: ann.id,
    customerId: 'cus_1',
    dayMs: day(18),
  });
  await core.use(ann, day(18, 3), 'class-a/STANDARD', 70n);
  await core.use(ann, day(18, 9), 'storage/STANDARD', 1_700_000n);
  await core.use(ann, day(19, 9), 'storage/STANDARD', 1_700_000n);
  return { core, ann, ...service(core) };
}
const shown = (events: readonly UsageEvent[]) =>
  events.map(({ eventName, value, atMs }) => [eventName, value, atMs]);

describe('usage for a billing service', () => {
  it('is a day’s, when the day is over and the ledger has it', async () => {
    const { core, push, counted } = await prepared();
    expect(await pushUsage(core, push)).toBe(2);
    const end = day(19) - 1000;
    expect(shown(counted)).toEqual([
      ['quayside_class_a_standard', 70n, end],
      ['quayside_storage_standard', 1n, end],
    ]);
    expect(counted[0]).toMatchObject({
      customerId: 'cus_1',
      identifier: expect.stringMatching(/^quayside-[0-9a-f]{20}-2026-11-18-class_a_standard$/),
    });
    // The 19th is over since midnight; after six hours it is reported. 3.4 million byte-hours
    // are 3, of which 1 was reported.
    expect(await pushUsage(core, push)).toBe(0);
    core.advanceSeconds(6 * HOUR_SECONDS);
    expect(await pushUsage(core, push)).toBe(1);
    expect(counted.at(-1)?.value).toBe(2n);
  });

  it('is reported of accounts with a customer there, and others go on when one fails', async () => {
    const { core, push, counted, failWith } = await prepared();
    const bob = await addAccount(core, 'bob');
    await core.use(bob, day(18, 3), 'class-a/STANDARD', 5n);
    await core.use(await addAccount(core, 'carl'), day(18, 3), 'class-a/STANDARD', 6n);
    await core.ports.directory.call('setPushTarget', {
      accountId: bob.id,
      customerId: 'cus_2',
      dayMs: day(18),
    });
    failWith(({ customerId }) => (customerId === 'cus_1' ? 'refused' : null));
    expect(await pushUsage(core, push)).toBe(1);
    failWith(null);
    expect(await pushUsage(core, push)).toBe(2);
    expect(counted.map(({ value }) => value)).toEqual([5n, 70n, 1n]);
  });

  it.each(['before', 'after'] as const)(
    'is counted once when the answer is lost %s it was',
    async (failure) => {
      const { core, push, counted, failWith } = await prepared();
      failWith(() => failure);
      expect(await pushUsage(core, push)).toBe(0);
      core.advanceSeconds(5 * HOUR_SECONDS);
      failWith(null);
      await pushUsage(core, push);
      expect(counted.map(({ value }) => value)).toEqual([70n, 1n]);
    },
  );

  it('is left out rather than reported twice when its outcome is unknown after a day', async () => {
    const { core, push, counted, failWith } = await prepared();
    failWith(() => 'after');
    await pushUsage(core, push);
    failWith(null);
    core.advanceSeconds(25 * HOUR_SECONDS);
    await pushUsage(core, push);
    expect(counted.map(({ value }) => value)).toEqual([70n, 1n, 2n]);
  });

  it('leaves out days that are too old to be taken', async () => {
    const { core, push, counted } = await prepared();
    core.advanceSeconds(40 * 24 * HOUR_SECONDS);
    await pushUsage(core, push);
    expect(counted).toEqual([]);
  });

  it.each([1, 2, 3, 4, 5, 6, 7])(
    'is the same after a crash at call %i of the directory',
    async (dies) => {
      const { core, push, counted } = await prepared();
      await pushUsage(dyingAtCall(core, dies), push).catch(() => undefined);
      await pushUsage(core, push);
      expect(shown(counted).map(([, value]) => value)).toEqual([70n, 1n]);
    },
  );
});
