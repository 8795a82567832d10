// The wait of the wire suite for a month that does not turn, which no run of it meets but once a
// month.
import { expect, it } from 'vitest';
import { inOneMonth } from './wire/kit/one-month.ts';

/** Does the work with a calendar that shows these months one after the other, the last for good. */
async function over(months: readonly string[], outcomes: readonly (string | Error)[]) {
  const shown = [...months];
  const left = [...outcomes];
  const month = () => (shown.length > 1 ? shown.shift() : shown[0]) ?? '';
  const work = async () => {
    const outcome = left.shift();
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  const result = await inOneMonth(work, month).catch((error: Error) => error.message);
  return { result, times: outcomes.length - left.length };
}

it('work within a month is done once, and its failure is one', async () => {
  expect(await over(['11'], ['a', 'b'])).toEqual({ result: { month: '11', done: 'a' }, times: 1 });
  expect(await over(['11'], [new Error('a'), 'b'])).toEqual({ result: 'a', times: 1 });
});

it('work in which the month turned is done once more, in the new month', async () => {
  expect(await over(['11', '12'], ['a', 'b'])).toEqual({
    result: { month: '12', done: 'b' },
    times: 2,
  });
  expect(await over(['11', '12'], [new Error('a'), 'b'])).toEqual({
    result: { month: '12', done: 'b' },
    times: 2,
  });
  expect(await over(['11', '12'], ['a', new Error('b')])).toEqual({ result: 'b', times: 2 });
});
