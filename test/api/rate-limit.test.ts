import { expect, it } from 'vitest';
import { createRateLimit } from '../../src/api/requests/rate-limit.ts';

it('a limit of nothing lets every request through, and says nothing of a limit', () => {
  const limit = createRateLimit('account', 0);
  for (let i = 0; i < 100; i++) limit.count('somebody', 1000);
  expect(limit.headersOf('somebody', 1000)).toEqual({});
});

it('a limit refuses the request beyond it, and counts anew in the next minute', () => {
  const limit = createRateLimit('account', 2);
  limit.count('somebody', 1000);
  limit.count('somebody', 2000);
  expect(() => limit.count('somebody', 3000)).toThrow(
    expect.objectContaining({ code: 'TooManyRequests', fields: { RetryAfterSeconds: '58' } }),
  );
  expect(() => limit.count('another', 3000)).not.toThrow();
  expect(limit.headersOf('somebody', 3000)).toEqual({
    'ratelimit-policy': '"account";q=2;w=60',
    ratelimit: '"account";r=0;t=58',
  });
  expect(() => limit.count('somebody', 61_000)).not.toThrow();
});

it('a limit forgets the callers that began first, not those that began anew', () => {
  const limit = createRateLimit('account', 1);
  const later = 61_000;
  limit.count('first', 1000);
  for (let others = 1; others <= 9998; others++) limit.count(`other ${others}`, 2000);

  limit.count('first', later);
  limit.count('the last that fits', later);
  limit.count('one too many', later);
  expect(() => limit.count('first', later)).toThrow(
    expect.objectContaining({ code: 'TooManyRequests' }),
  );
});
