// The fast path of signed reads counts each of its responses once, by its kind, and nothing that it
// leaves: metrics know of them by these counts alone.
import { beforeEach, expect, it } from 'vitest';
import {
  type FastPathCounts,
  newFastPathCounts,
} from '../../../../src/http/delivery/fast-path/fast-path-counts.ts';
import { signHeaders } from '../kit/sign-for-test.ts';
import { createTestSurface } from '../kit/surface.ts';

type Read = {
  readonly method?: 'GET' | 'HEAD';
  readonly ifNoneMatch?: string;
  readonly range?: string;
};

const PATH = '/signed/k';
let surface = createTestSurface();
let etag = '';

beforeEach(async () => {
  surface = createTestSurface({ inlineBodyMaxBytes: 1000 });
  await surface.send({ method: 'PUT', path: '/signed' });
  etag = (await surface.send({ method: 'PUT', path: PATH, body: 'body' })).headers.etag ?? '';
});

function statusOf({ method = 'GET', ifNoneMatch, range }: Read): number | undefined {
  const headers = new Map(Object.entries(signHeaders({ method, path: PATH, headers: {} })));
  return surface.answerSignedAtOnce({
    method,
    isHead: method === 'HEAD',
    rawPath: PATH,
    rawQuery: '',
    host: 'storage.example',
    ifNoneMatch: ifNoneMatch ?? null,
    range: range ?? null,
    header: (name) => headers.get(name) ?? null,
    headerNames: () => headers.keys(),
  })?.status;
}

it('its responses count once, by their kind', () => {
  const kinds: readonly (readonly [Read, number, keyof FastPathCounts])[] = [
    [{}, 200, 'getInRow'],
    [{ range: 'bytes=0-1' }, 206, 'getInRow'],
    [{ ifNoneMatch: etag }, 304, 'getNotModified'],
    [{ method: 'HEAD' }, 200, 'headWhole'],
    [{ method: 'HEAD', ifNoneMatch: etag }, 304, 'headNotModified'],
  ];
  const expected = newFastPathCounts();

  for (const [read, status, kind] of kinds) {
    expect(statusOf(read), kind).toBe(status);
    expected.s3[kind] += 1;
    expect(surface.fastPathCounts, kind).toEqual(expected);
  }
});

it('what is left to the full path does not count', () => {
  expect(statusOf({ method: 'HEAD', range: 'bytes=0-1' })).toBe(undefined);
  expect(statusOf({ range: 'bytes=99-' })).toBe(undefined);
  expect(surface.fastPathCounts).toEqual(newFastPathCounts());
});
