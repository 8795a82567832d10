import { expect, it } from 'vitest';
import { createPairMemo } from '../../../src/adapters/shared/pair-memo.ts';

it('the memo of pairs remembers by both names, and forgets all when there are too many', () => {
  const memo = createPairMemo<string, number, string>(3);
  memo.set('a', 1, 'a1');
  memo.set('b', 1, 'b1');
  memo.set('a', 2, 'a2');
  expect([memo.get('a', 1), memo.get('a', 2), memo.get('b', 1), memo.get('b', 2)]).toEqual([
    'a1',
    'a2',
    'b1',
    undefined,
  ]);
  memo.set('c', 1, 'c1');
  expect([memo.get('a', 1), memo.get('c', 1)]).toEqual([undefined, 'c1']);
});
