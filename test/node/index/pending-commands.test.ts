// Commands that wait for the writer: their bounds, what they take of the disk, and what becomes of
// each once.
import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type CommandOptions,
  createPendingCommands,
  type PendingCommands,
} from '../../../src/adapters/node/index/pending-commands.ts';
import type { WriterCall } from '../../../src/adapters/node/index/writer-messages.ts';
import { StorageError } from '../../../src/domain/errors.ts';
import { failureOutcome } from '../../../src/index/call-outcome.ts';

const MiB = 1024 * 1024;
const BUSY = expect.objectContaining({ code: 'SlowDown' });

describe('pending commands', () => {
  let pending: PendingCommands;
  let hasReserve: boolean;
  let settled: number[];
  beforeEach(() => {
    hasReserve = true;
    settled = [];
    pending = createPendingCommands({
      takeIndex: (lengthBytes) => lengthBytes + 1000,
      settle: (lengthBytes) => void settled.push(lengthBytes),
      releaseReserve() {
        const had = hasReserve;
        hasReserve = false;
        return had;
      },
    });
  });

  const options = (changes: Partial<CommandOptions> = {}): CommandOptions => ({
    weightBytes: 10,
    onReply: () => undefined,
    ...changes,
  });
  const callOf = (id: number): WriterCall => ({ id, target: 'index', name: 'call', input: null });
  const send = (id: number, changes: Partial<CommandOptions> = {}, takenBytes = 0) => {
    const outcome = pending.add(callOf(id), options(changes), takenBytes);
    outcome.catch(() => undefined);
    return outcome;
  };

  const add = (...args: Parameters<typeof send>): void => void send(...args);

  it('are 4,096 at most', () => {
    for (let id = 1; id < 4096; id++) add(id);
    expect(() => pending.requireRoom(options())).not.toThrow();
    add(4096);
    expect(() => pending.requireRoom(options())).toThrow(BUSY);
    pending.settle(7, { isOk: true, value: 1 });
    expect(() => pending.requireRoom(options())).not.toThrow();
    expect(pending.count()).toBe(4095);
  });

  it('have 32 MiB at most', () => {
    add(1, { weightBytes: 31 * MiB });
    expect(() => pending.requireRoom(options({ weightBytes: MiB }))).not.toThrow();
    expect(() => pending.requireRoom(options({ weightBytes: MiB + 1 }))).toThrow(BUSY);
    pending.reject(1, new Error('gone'));
    expect(pending.bytes()).toBe(0);
    expect(() => pending.requireRoom(options({ weightBytes: 32 * MiB }))).not.toThrow();
  });

  it('take room on the disk where they add to the index, and give it back', async () => {
    expect(pending.requireRoom(options({ storesMore: true }))).toBe(1010);
    expect(pending.requireRoom(options())).toBe(0);
    const done = send(1, {}, 1010);
    pending.settle(1, { isOk: true, value: 'done' });
    expect([await done, settled]).toEqual(['done', [1010]]);
  });

  it('are settled once, and heard of before their caller goes on', async () => {
    const order: string[] = [];
    const outcome = send(1, { onReply: () => void order.push('reply') }).then(() =>
      order.push('caller'),
    );
    pending.settle(1, { isOk: true, value: null });
    expect(order).toEqual(['reply']);
    await outcome;
    pending.settle(1, { isOk: true, value: null });
    pending.reject(1, new Error('late'));
    expect([order, settled.length]).toEqual([['reply', 'caller'], 1]);
  });

  it('reject with what the command threw, and all with what ended the writer', async () => {
    const failed = send(1);
    pending.settle(1, failureOutcome(new StorageError('NoSuchBucket')));
    await expect(failed).rejects.toMatchObject({ code: 'NoSuchBucket' });
    const waiting = [send(2), send(3)];
    let made = 0;
    pending.rejectAll(() => new Error(`dead ${++made}`));
    await expect(Promise.allSettled(waiting)).resolves.toMatchObject([
      { reason: { message: 'dead 1' } },
      { reason: { message: 'dead 2' } },
    ]);
    expect(pending.count()).toBe(0);
  });

  it('are sent again once after room was made, but for those that add', () => {
    add(1);
    add(2, { storesMore: true });
    expect(pending.takeRetry(1)).toBeNull();
    pending.releaseReserve();
    expect(pending.takeRetry(1)).toEqual(callOf(1));
    // It was sent with that room, so that only more of it would help.
    expect(pending.takeRetry(1)).toBeNull();
    expect([pending.takeRetry(2), pending.takeRetry(99)]).toEqual([null, null]);
    add(3);
    pending.releaseReserve();
    expect([pending.takeRetry(1), pending.takeRetry(3)]).toEqual([null, null]);
  });

  it('say how long the writer has been silent while some wait', () => {
    const clock = vi.spyOn(performance, 'now');
    try {
      const at = (nowMs: number) => clock.mockReturnValue(nowMs);
      at(1000);
      expect(pending.silentMs()).toBe(0);
      add(1);
      at(1500);
      add(2);
      at(1700);
      expect(pending.silentMs()).toBe(700);
      pending.noteProgress();
      pending.settle(1, { isOk: true, value: null });
      at(1900);
      expect(pending.silentMs()).toBe(200);
      pending.settle(2, { isOk: true, value: null });
      expect(pending.silentMs()).toBe(0);
      at(5000);
      add(3);
      expect(pending.silentMs()).toBe(0);
    } finally {
      clock.mockRestore();
    }
  });
});
