// A response of the API that the platform can't make: the caller gets a problem, and the platform
// no rejection, which it would have to take for a crash.
import { expect, it } from 'vitest';
import { createApi } from '../../src/api/app.ts';
import { createDecide } from '../../src/core/auth/decide.ts';
import { createAccountFinder } from '../../src/core/auth/find-accounts.ts';
import type { OutgoingAnswer } from '../../src/http/request.ts';
import { createMemoryCore } from '../core/memory-core.ts';
import { makeRequest } from '../http/s3/kit/make-request.ts';

it('a broken response becomes a failure of ours, with the headers of every one', async () => {
  const core = createMemoryCore();
  const api = createApi({
    core,
    findAccessKey: () => null,
    findAccounts: createAccountFinder(core, []),
    decide: createDecide(),
    region: 'auto',
    baseDomain: null,
    websiteDomain: null,
    rootSecretKey: null,
    requestsPerMinute: 0,
  });
  const made: number[] = [];
  const respond = ({ status, headers, body }: OutgoingAnswer) => {
    made.push(status);
    if (made.length === 1) throw new TypeError('no such header can be sent');
    return new Response(body as ConstructorParameters<typeof Response>[0], { status, headers });
  };
  const request = makeRequest({ target: '/-/api/openapi.json' });

  const response = await api.handle({ ...request, respond }, 'request-1');
  expect(made).toEqual([200, 500]);
  expect(response.status).toBe(500);
  expect(response.headers.get('x-request-id')).toBe('request-1');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(await response.json()).toMatchObject({ status: 500, requestId: 'request-1' });
});
