// Requests by the thousand, made out of the API's own document: none may end in a 500, and every
// refusal is a problem.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FUZZ_SEED, fuzzRuns } from '../fuzz-seed.ts';
import { requestsOf } from './document-requests.ts';
import { startMemoryApi } from './memory-api.ts';

const REQUESTS = fuzzRuns(1200);
const BATCH = 500;

it(`the JSON API answers ${REQUESTS} requests without a fault`, { timeout: 120_000 }, async () => {
  const api = await startMemoryApi();
  const statuses = new Map<number, number>();
  const seed = FUZZ_SEED;
  for (let done = 0; done < REQUESTS; done += BATCH) {
    const requests = fc.sample(requestsOf(api.document, api.known(), api.named()), {
      numRuns: BATCH,
      seed: seed + done,
    });
    for (const request of requests) {
      const reply = await api.send(request);
      statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
      const isProblem = reply.status < 400 || reply.json?.code !== undefined;
      expect({ seed, request, status: reply.status, isProblem, faults: api.faults }).toMatchObject({
        isProblem: true,
        faults: [],
      });
      expect(reply.status).not.toBe(500);
      if (reply.status === 401) await api.signInAgain();
    }
  }
  // A fuzz whose every request is refused at the door would find nothing.
  const count = (from: number, to: number) =>
    [...statuses]
      .filter(([status]) => status >= from && status < to)
      .reduce((sum, [, times]) => sum + times, 0);
  expect(count(200, 300)).toBeGreaterThan(REQUESTS / 10);
  expect(count(400, 500)).toBeGreaterThan(REQUESTS / 10);
  expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 201, 204, 400, 404]));
});
