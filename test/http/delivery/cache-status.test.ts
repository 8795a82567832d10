// Cache-Status of every tier that a pointer or body can come from.
import { expect, it } from 'vitest';
import { createCacheStatus } from '../../../src/http/delivery/cache-status.ts';

const statusOf = createCacheStatus({
  metadata: ['memory', 'colo', 'kv'],
  body: ['memory', 'edge'],
});
const STALE = {
  reason: 'revalidating',
  isForwarded: false,
  ageSeconds: 4,
  stalenessSeconds: 0.5,
} as const;

it('Cache-Status names each tier that had a part of the response', () => {
  expect(statusOf('memory', 'memory')).toBe('quayside-memory; hit');
  expect(statusOf('colo', 'none')).toBe('quayside-colo; hit, quayside-memory; fwd=uri-miss');
  expect(statusOf('kv', 'none')).toBe('quayside-kv; hit, quayside-memory; fwd=uri-miss');
  expect(statusOf('index', 'edge')).toBe('quayside-edge; hit, quayside-memory; fwd=uri-miss');
});

it('Cache-Status says at the tier that was stale how long it has been', () => {
  expect(statusOf('memory', 'memory', STALE)).toBe(
    'quayside-memory; hit; ttl=-1; detail=stale-while-revalidate',
  );
  expect(statusOf('colo', 'memory', STALE)).toBe(
    'quayside-colo; hit; ttl=-1; detail=stale-while-revalidate, quayside-memory; fwd=uri-miss',
  );
});
