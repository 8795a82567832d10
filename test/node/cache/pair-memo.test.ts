import { expect, it } from 'vitest';
import { createPairMemo } from '../../../src/adapters/shared/pair-memo.ts';

it('the memo of pairs remembers by both names, and forgets what was not asked for lately', () => {
  const memo = createPairMemo<string, number, string>(6);
  memo.set('a', 1, 'a1');
  memo.set('b', 1, 'b1');
  memo.set('a', 2, 'a2');
  expect([memo.get('a', 1), memo.get('a', 2), memo.get('b', 1), memo.get('b', 2)]).toEqual([
    'a1',
    'a2',
    'b1',
    undefined,
  ]);
  for (let i = 1; i < 4; i++) memo.set('c', i, `c${i}`);
  // It is asked for now and then.
  expect(memo.get('a', 1)).toBe('a1');
  for (let i = 4; i < 7; i++) memo.set('c', i, `c${i}`);
  expect([memo.get('a', 1), memo.get('a', 2), memo.get('c', 6)]).toEqual(['a1', undefined, 'c6']);
});
