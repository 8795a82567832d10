import { describe, expect, it } from 'vitest';
import { StorageError } from '../../../src/domain/errors.ts';
import {
  evaluateRead,
  isIfRangeSatisfied,
  parseWriteCondition,
  type ReadConditions,
} from '../../../src/http/semantics/conditional.ts';

const BEFORE = 'Sun, 06 Nov 1994 08:49:36 GMT';
const SAME = 'Sun, 06 Nov 1994 08:49:37 GMT';
const AFTER = 'Sun, 06 Nov 1994 08:49:38 GMT';
/** With milliseconds: headers have seconds only, and the comparison must too. */
const OBJECT = { etag: 'abc', lastModifiedMs: Date.UTC(1994, 10, 6, 8, 49, 37, 640) };

const NONE: ReadConditions = {
  ifMatch: null,
  ifNoneMatch: null,
  ifModifiedSince: null,
  ifUnmodifiedSince: null,
};

describe('evaluateRead', () => {
  const table: readonly [Partial<ReadConditions>, ReturnType<typeof evaluateRead>][] = [
    [{}, 'proceed'],
    // If-Match: strong comparison.
    [{ ifMatch: '"abc"' }, 'proceed'],
    [{ ifMatch: 'abc' }, 'proceed'],
    [{ ifMatch: '*' }, 'proceed'],
    [{ ifMatch: ' * ' }, 'proceed'],
    [{ ifMatch: '"x", "abc"' }, 'proceed'],
    [{ ifMatch: '"x"' }, 'precondition-failed'],
    [{ ifMatch: 'W/"abc"' }, 'precondition-failed'],
    [{ ifMatch: '"*"' }, 'precondition-failed'],
    [{ ifMatch: '"x", *' }, 'precondition-failed'],
    [{ ifMatch: '' }, 'precondition-failed'],
    // If-None-Match: weak comparison.
    [{ ifNoneMatch: '"abc"' }, 'not-modified'],
    [{ ifNoneMatch: 'abc' }, 'not-modified'],
    [{ ifNoneMatch: 'W/"abc"' }, 'not-modified'],
    [{ ifNoneMatch: '*' }, 'not-modified'],
    [{ ifNoneMatch: '"x", W/"abc"' }, 'not-modified'],
    [{ ifNoneMatch: '"x"' }, 'proceed'],
    [{ ifNoneMatch: 'x' }, 'proceed'],
    [{ ifNoneMatch: '"x,abc"' }, 'proceed'],
    [{ ifNoneMatch: '' }, 'proceed'],
    // If-Modified-Since.
    [{ ifModifiedSince: BEFORE }, 'proceed'],
    [{ ifModifiedSince: SAME }, 'not-modified'],
    [{ ifModifiedSince: AFTER }, 'not-modified'],
    [{ ifModifiedSince: 'Sunday, 06-Nov-94 08:49:37 GMT' }, 'not-modified'],
    [{ ifModifiedSince: 'Sun Nov  6 08:49:37 1994' }, 'not-modified'],
    [{ ifModifiedSince: '1994-11-07' }, 'proceed'],
    [{ ifModifiedSince: '' }, 'proceed'],
    // If-Unmodified-Since.
    [{ ifUnmodifiedSince: BEFORE }, 'precondition-failed'],
    [{ ifUnmodifiedSince: SAME }, 'proceed'],
    [{ ifUnmodifiedSince: AFTER }, 'proceed'],
    [{ ifUnmodifiedSince: 'long ago' }, 'proceed'],
    // If-Match beats If-Unmodified-Since, both ways. S3 documents the first line.
    [{ ifMatch: '"abc"', ifUnmodifiedSince: BEFORE }, 'proceed'],
    [{ ifMatch: '"x"', ifUnmodifiedSince: AFTER }, 'precondition-failed'],
    // If-None-Match beats If-Modified-Since, both ways. S3 documents the first line.
    [{ ifNoneMatch: '"abc"', ifModifiedSince: BEFORE }, 'not-modified'],
    [{ ifNoneMatch: '"x"', ifModifiedSince: AFTER }, 'proceed'],
    // The pairs come one after the other: a failed precondition is never a 304.
    [{ ifMatch: '"x"', ifNoneMatch: '"abc"' }, 'precondition-failed'],
    [{ ifMatch: '"abc"', ifNoneMatch: '"abc"' }, 'not-modified'],
    [{ ifMatch: '"abc"', ifNoneMatch: '"x"' }, 'proceed'],
    [{ ifMatch: '"abc"', ifModifiedSince: AFTER }, 'not-modified'],
    [{ ifMatch: '"x"', ifModifiedSince: AFTER }, 'precondition-failed'],
    [{ ifUnmodifiedSince: AFTER, ifNoneMatch: '"abc"' }, 'not-modified'],
    [{ ifUnmodifiedSince: BEFORE, ifNoneMatch: '"abc"' }, 'precondition-failed'],
    [{ ifUnmodifiedSince: SAME, ifModifiedSince: SAME }, 'not-modified'],
    [{ ifUnmodifiedSince: BEFORE, ifModifiedSince: AFTER }, 'precondition-failed'],
    [
      { ifMatch: '*', ifUnmodifiedSince: BEFORE, ifNoneMatch: '"x"', ifModifiedSince: AFTER },
      'proceed',
    ],
  ];

  it.each(table)('%j: %s', (conditions, expected) => {
    expect(evaluateRead({ ...NONE, ...conditions }, OBJECT)).toBe(expected);
  });

  it('has the resolution of a second: a change within the second of the date is not seen', () => {
    const lastModifiedMs = Date.UTC(1994, 10, 6, 8, 49, 37, 999);
    expect(evaluateRead({ ...NONE, ifUnmodifiedSince: SAME }, { ...OBJECT, lastModifiedMs })).toBe(
      'proceed',
    );
    expect(evaluateRead({ ...NONE, ifModifiedSince: SAME }, { ...OBJECT, lastModifiedMs })).toBe(
      'not-modified',
    );
    const next = { ...OBJECT, lastModifiedMs: lastModifiedMs + 1 };
    expect(evaluateRead({ ...NONE, ifUnmodifiedSince: SAME }, next)).toBe('precondition-failed');
    expect(evaluateRead({ ...NONE, ifModifiedSince: SAME }, next)).toBe('proceed');
  });
});

describe('isIfRangeSatisfied', () => {
  it.each([
    [null, true],
    ['"abc"', true],
    ['abc', true],
    ['W/"abc"', false],
    ['"x"', false],
    ['"abc", "x"', false],
    ['*', false],
    ['', false],
    [SAME, true],
    ['Sunday, 06-Nov-94 08:49:37 GMT', true],
    // An exact match, not "not modified since".
    [AFTER, false],
    [BEFORE, false],
    ['Sun, 06 Nov 1994', false],
  ])('%j: %s', (header, expected) => {
    expect(isIfRangeSatisfied(header, OBJECT)).toBe(expected);
  });
});

describe('parseWriteCondition', () => {
  it.each([
    [null, null, null],
    ['"abc"', null, { ifMatch: 'abc', ifNoneMatch: null }],
    ['abc', null, { ifMatch: 'abc', ifNoneMatch: null }],
    ['"abc-2"', null, { ifMatch: 'abc-2', ifNoneMatch: null }],
    ['*', null, { ifMatch: '*', ifNoneMatch: null }],
    [' * ', null, { ifMatch: '*', ifNoneMatch: null }],
    [null, '*', { ifMatch: null, ifNoneMatch: '*' }],
    [null, '"abc"', { ifMatch: null, ifNoneMatch: 'abc' }],
    [null, 'abc', { ifMatch: null, ifNoneMatch: 'abc' }],
    [null, 'W/"abc"', { ifMatch: null, ifNoneMatch: 'abc' }],
  ])('reads If-Match %j, If-None-Match %j', (ifMatch, ifNoneMatch, expected) => {
    expect(parseWriteCondition(ifMatch, ifNoneMatch)).toEqual(expected);
  });

  it.each(['"a", "abc"', '"abc", "a"', 'abc, a', 'W/"abc"', '"*"', '"abc', '""', '"abc"x'])(
    'reads If-Match %j as a text that no etag equals, and not as the wildcard',
    (header) => {
      const condition = parseWriteCondition(header, null);
      expect(condition?.ifNoneMatch).toBeNull();
      // An etag of ours is hex digits, with a hyphen and a number behind multipart ones.
      expect(condition?.ifMatch).toMatch(/"/);
      expect(condition?.ifMatch).not.toBe('*');
    },
  );

  const refusals: readonly [string | null, string | null, string][] = [
    ['"abc"', '*', 'If-Match,If-None-Match'],
    ['*', '*', 'If-Match,If-None-Match'],
    ['', '', 'If-Match,If-None-Match'],
    ['', null, 'If-Match'],
    ['  ', null, 'If-Match'],
    // Let through, each of these would overwrite what the client wanted to keep.
    [null, '', 'If-None-Match'],
    [null, '"a", "abc"', 'If-None-Match'],
    [null, 'a, abc', 'If-None-Match'],
    [null, '"*"', 'If-None-Match'],
    [null, '""', 'If-None-Match'],
    [null, '"abc', 'If-None-Match'],
  ];

  it.each(refusals)(
    'refuses If-Match %j, If-None-Match %j: NotImplemented, naming %s',
    (ifMatch, ifNoneMatch, header) => {
      let thrown: unknown;
      try {
        parseWriteCondition(ifMatch, ifNoneMatch);
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toBeInstanceOf(StorageError);
      expect(thrown).toMatchObject({ code: 'NotImplemented', fields: { Header: header } });
    },
  );
});
