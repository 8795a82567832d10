// How a bucket was served, out of its meters.
import { expect, it } from 'vitest';
import { servedOf } from '../../../src/console/views/buckets/served.ts';

const rows = (usage: Readonly<Record<string, number>>) =>
  Object.entries(usage).map(([meter, quantity]) => ({ meter, quantity: `${quantity}` }));

it('14: the hit ratio is of what a cache can have, and errors are those of anybody', () => {
  const usage = {
    'egress/memory': 60,
    'egress/edge': 30,
    'egress/bucket': 10,
    'egress/made': 900,
    'errors/4xx': 3,
    'errors/5xx': 2,
    'free/blocked': 4,
    'free/STANDARD': 100,
    'class-b/STANDARD': 1000,
    'retrieval/GLACIER_IR': 10,
  };
  expect(servedOf(rows(usage))).toEqual({
    bytes: 1000,
    hitRatio: 0.9,
    clientErrors: 7,
    serverErrors: 2,
  });
});

it('14: a month has no ratio where nothing of what caches can have went out', () => {
  expect(servedOf(rows({ 'egress/made': 5, 'storage/STANDARD': 9 }))).toEqual({
    bytes: 5,
    hitRatio: null,
    clientErrors: 0,
    serverErrors: 0,
  });
});
