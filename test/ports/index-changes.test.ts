// Which commands of the index change what caches may know.
import { describe, expect, it } from 'vitest';
import type { ObjectKey } from '../../src/domain/nouns.ts';
import {
  changedBy,
  changesReadPolicy,
  type IndexChange,
} from '../../src/ports/index-calls/index-changes.ts';

describe('what a change does to the readPolicy', () => {
  const keys = (...names: string[]) => names as ObjectKey[];
  it.each<[IndexChange, boolean]>([
    ['readPolicy', true],
    ['nothing', false],
    [keys('a', 'b/c'), false],
    [keys(), false],
    [keys('a', '_redirects'), true],
    [keys('docs/_headers'), true],
    [keys('_headers/a', 'x_headers', '_headers.txt'), false],
  ])('%j: %s', (change, isReadPolicyChanged) => {
    expect(changesReadPolicy(change)).toBe(isReadPolicyChanged);
  });

  it('is known of a commit, an upload and a deletion', () => {
    const key = '_redirects' as ObjectKey;
    const calls = [
      changedBy('commitObject', { object: { key } }),
      changedBy('completeUpload', { key }),
      changedBy('deleteObjects', { targets: [{ key }] }),
    ];
    expect(calls.map(changesReadPolicy)).toEqual([true, true, true]);
    expect(changesReadPolicy(changedBy('getBucket', {}))).toBe(false);
  });
});
