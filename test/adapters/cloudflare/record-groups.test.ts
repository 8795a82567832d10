// Group commit of usage: what comes together is recorded together, what comes alone at once.
import { describe, expect, it } from 'vitest';
import { createRecordGroups } from '../../../src/adapters/cloudflare/durable-objects/record-groups.ts';
import type { AccountId } from '../../../src/domain/nouns.ts';
import type { CallOutcome } from '../../../src/index/call-outcome.ts';
import type { RecordInput } from '../../../src/ports/ledger.ts';

function createObject(outcome: CallOutcome = { isOk: true, value: undefined }) {
  let nowMs = 1_000_000;
  const records: string[][] = [];
  const waiting: { atMs: number; resolve: () => void }[] = [];
  const record = createRecordGroups({
    record(input) {
      records.push(input.batches.map(({ source }) => source));
      return outcome;
    },
    nowMs: () => nowMs,
    wait: (ms) => new Promise((resolve) => waiting.push({ atMs: nowMs + ms, resolve })),
  });
  const call = (source: string) => {
    const batches = [{ source, sequence: 1, rows: [] }];
    const input: RecordInput = { accountId: 'alice' as AccountId, batches, nowMs };
    return Promise.resolve(record(input));
  };
  const advance = async (ms: number) => {
    nowMs += ms;
    for (const { atMs, resolve } of waiting) if (atMs <= nowMs) resolve();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { call, advance, records };
}

describe('records of usage', () => {
  it('are written at once when they come alone', async () => {
    const { call, advance, records } = createObject();
    await call('a');
    await advance(10_000);
    await call('b');
    expect(records).toEqual([['a'], ['b']]);
  });

  it('are written together when they come close behind one', async () => {
    const { call, advance, records } = createObject();
    await call('a');
    let answered = 0;
    const late = ['b', 'c', 'd'].map((source) => call(source).then(() => (answered += 1)));
    await advance(100);
    expect([records, answered]).toEqual([[['a']], 0]);
    await advance(200);
    await Promise.all(late);
    expect(records).toEqual([['a'], ['b', 'c', 'd']]);
    const next = call('e');
    await advance(250);
    await next;
    expect(records.at(-1)).toEqual(['e']);
  });

  it('do not wait for a crowd, and none is left out', async () => {
    const { call, advance, records } = createObject();
    await call('first');
    const crowd = Array.from({ length: 2_500 }, (_, at) => call(`${at}`));
    expect(records.map((group) => group.length)).toEqual([1, 1000, 1000]);
    await advance(250);
    await Promise.all(crowd);
    expect(records.flat()).toHaveLength(2_501);
  });

  it('give the alerts of a group to one sender, who reports them', async () => {
    const alerts: CallOutcome = { isOk: true, value: ['half of it'] };
    const { call, advance } = createObject(alerts);
    await call('a');
    const late = [call('b'), call('c'), call('d')];
    await advance(250);
    const outcomes = await Promise.all(late);
    expect(outcomes.map((outcome) => outcome.isOk && outcome.value)).toEqual([
      ['half of it'],
      [],
      [],
    ]);
  });

  it('fail together, so that each sender repeats its own', async () => {
    const failure = { isOk: false, code: 'StorageFull' } as unknown as CallOutcome;
    const { call, advance } = createObject(failure);
    expect(await call('a')).toBe(failure);
    const late = [call('b'), call('c')];
    await advance(250);
    expect(await Promise.all(late)).toEqual([failure, failure]);
  });
});
