// Clocks that jump, stand still, go back and were wrong from the start: no month is closed, nothing
// is stored into the future, no bill is skipped, and the operator's word lets all go on.
import { describe, expect, it } from 'vitest';
import { deleteAccount } from '../../../src/core/accounts/delete-account.ts';
import { confirmTime } from '../../../src/core/clock/confirm-time.ts';
import { readTimeState } from '../../../src/core/clock/trust-time.ts';
import type { Core } from '../../../src/core/core.ts';
import { maintain } from '../../../src/core/maintenance.ts';
import type { Account } from '../../../src/domain/nouns.ts';
import { addAccount, createBillingCore } from '../billing/billing-core.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOVEMBER_30 = Date.UTC(2026, 10, 30);

/**
 * A machine whose clock and steady time move as the test says. `hasSteady` false: one that has
 * none.
 */
async function startMachine({ hasSteady = true } = {}) {
  const memory = createBillingCore();
  let [clockMs, steadyMs, awakeMs, boot] = [NOVEMBER_30, 7 * DAY, 0, 1];
  const logged: string[] = [];
  const advice: unknown[] = [];
  const core: Core = {
    ...memory,
    ports: {
      ...memory.ports,
      clock: { nowMs: () => clockMs },
      steadyClock: hasSteady
        ? { awakeMs: () => awakeMs, read: () => ({ epoch: `boot ${boot}`, ms: steadyMs }) }
        : null,
      log: {
        info: () => undefined,
        error: (event, fields) => {
          logged.push(event);
          advice.push(fields?.mend);
        },
      },
    },
  };
  const ann = await addAccount(memory, 'ann');
  await memory.use(ann, Date.UTC(2026, 10, 3), 'class-a/STANDARD', 3_000_000n);
  const { directory } = core.ports;
  const machine = {
    ...{ core, memory, ann, logged, advice },
    run: () => maintain(core, { stopping: new AbortController().signal }),
    pass(ms: number) {
      clockMs += ms;
      steadyMs += ms;
      awakeMs += ms;
    },
    sleep(ms: number) {
      clockMs += ms;
      steadyMs += ms;
    },
    jump(ms: number) {
      clockMs += ms;
    },
    reboot(offMs: number) {
      clockMs += offMs;
      [steadyMs, awakeMs, boot] = [0, 0, boot + 1];
    },
    nowMs: () => clockMs,
    isTrusted: async () => (await readTimeState(core)).jumpMs === 0,
    closed: async (account: Account = ann) => {
      const heads = await directory.call('listInvoices', {
        accountId: account.id,
        before: '',
        limit: 9,
      });
      return heads.map(({ period }) => period);
    },
    closingAt: async () => (await directory.call('getClosing', {}))?.period,
  };
  await machine.run();
  expect(await machine.closingAt()).toBe('2026-11');
  return machine;
}

describe('the scheduled work', () => {
  it('closes nothing by a clock that jumps ahead, and goes on when it is right again', async () => {
    const machine = await startMachine();
    machine.pass(HOUR);
    machine.jump(40 * DAY);
    for (const _ of [1, 2]) await machine.run();
    expect([await machine.closed(), await machine.closingAt()]).toEqual([[], '2026-11']);
    expect(machine.logged).toEqual(['clock-in-doubt', 'clock-in-doubt']);
    expect(machine.advice[0]).toContain('confirm');
    machine.jump(-40 * DAY);
    machine.pass(2 * DAY);
    await machine.run();
    expect([await machine.closed(), await machine.closingAt()]).toEqual([['2026-11'], '2026-12']);
  });

  it('closes nothing by a jump in the middle of a run', async () => {
    for (const hasSteady of [true, false]) {
      const machine = await startMachine({ hasSteady });
      const { directory } = machine.core.ports;
      const call: typeof directory.call = async (name, input) => {
        const value = await directory.call(name, input);
        if (name === 'getClosing') machine.jump(40 * DAY);
        return value;
      };
      const jumping = {
        ...machine.core,
        ports: { ...machine.core.ports, directory: { ...directory, call } },
      };
      await maintain(jumping, { stopping: new AbortController().signal });
      expect([await machine.closed(), await machine.closingAt()]).toEqual([[], '2026-11']);
    }
  });

  it('goes on after a sleep of the machine, and a day of being off', async () => {
    const machine = await startMachine();
    machine.sleep(60 * DAY);
    await machine.run();
    expect(await machine.closed()).toEqual(['2026-11']);
    machine.reboot(DAY);
    await machine.run();
    expect([await machine.isTrusted(), machine.logged]).toEqual([true, []]);
  });

  it.each<[string, boolean, (machine: Awaited<ReturnType<typeof startMachine>>) => void]>([
    ['weeks of being off', true, (machine) => machine.reboot(21 * DAY)],
    ['a stop of the whole virtual machine', true, (machine) => machine.jump(21 * DAY)],
    [
      'weeks without a run, where there is no steady time',
      false,
      (machine) => machine.pass(21 * DAY),
    ],
  ])('waits for the operator after %s', async (_, hasSteady, happen) => {
    const machine = await startMachine({ hasSteady });
    happen(machine);
    await machine.run();
    expect([await machine.closed(), machine.logged]).toEqual([[], ['clock-in-doubt']]);
    // Nor are the last bills of an account made.
    const bob = await addAccount(machine.memory, 'bob');
    await expect(deleteAccount(machine.core, bob.id)).rejects.toMatchObject({
      code: 'ServiceUnavailable',
    });
    await expect(confirmTime(machine.core, machine.nowMs() - DAY)).rejects.toMatchObject({
      code: 'InvalidInput',
    });
    await confirmTime(machine.core, machine.nowMs() + 1000);
    await machine.run();
    expect([await machine.closed(), await machine.closingAt()]).toEqual([['2026-11'], '2026-12']);
    await deleteAccount(machine.core, bob.id);
  });

  it('skips no bill when the clock was ahead before, and is set back', async () => {
    const machine = await startMachine();
    machine.jump(400 * DAY);
    await confirmTime(machine.core, machine.nowMs());
    await machine.run();
    const ahead = await machine.closingAt();
    expect(ahead).toBe('2028-01');
    machine.jump(-400 * DAY);
    await machine.run();
    expect([machine.logged, await machine.closingAt()]).toEqual([['clock-in-doubt'], ahead]);
    await confirmTime(machine.core, machine.nowMs());
    expect(await machine.closingAt()).toBe('2026-10');
    const { dayMs } = (await machine.core.ports.directory.call('getUsageReported', {})) ?? {
      dayMs: 0,
    };
    expect(dayMs).toBe(NOVEMBER_30);
    machine.pass(40 * DAY);
    await machine.memory.use(machine.ann, Date.UTC(2026, 11, 5), 'class-a/STANDARD', 3_000_000n);
    machine.pass(27 * DAY);
    await machine.run();
    expect((await machine.closed()).toReversed()).toEqual(['2026-11', '2026-12']);
  });

  it('is held by a clock that goes back, until it is right again', async () => {
    const machine = await startMachine();
    machine.jump(-3 * DAY);
    machine.pass(HOUR);
    await machine.run();
    machine.jump(3 * DAY);
    await machine.run();
    expect([machine.logged, await machine.isTrusted()]).toEqual([['clock-in-doubt'], true]);
  });
});
