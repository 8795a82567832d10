// Requests made out of the server's own document, sent to a real one as an account of their own:
// none may end in a 500.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { requestsOf } from '../../api/document-requests.ts';
import { FUZZ_SEED } from '../../fuzz-seed.ts';
import { apiClient, newAccount, signIn, tokenClient } from '../kit/clients/json-api.ts';
import { client, describeCore } from '../kit/clients/suite.ts';

/**
 * Wrong secrets slow whoever uses a name, and so the tests beside this one; test/api has these in
 * its own fuzz.
 */
const GUESSES_SECRETS = /^\/(sessions|passkeys|members)/;
const REQUESTS = client.target.profile === 'full' ? 10_000 : 200;

describeCore('the JSON API', () => {
  it(`answers ${REQUESTS} requests out of its document without a fault`, {
    timeout: 600_000,
  }, async () => {
    const root = await tokenClient(client);
    const { accountId, accessKey, secretKey } = await newAccount(root, 'fuzz');
    const { text } = await client.anonymous({ method: 'GET', path: '/-/api/openapi.json' });
    const known = [accountId, accessKey, `fuzz-${accountId.slice(0, 12)}`];
    const seed = FUZZ_SEED;
    let cookie = '';
    // A request may well delete the key: then the rest is asked without one, for wrong attempts
    // slow the tests beside this.
    let hasKey = true;
    for (const request of fc.sample(requestsOf(JSON.parse(text), known), {
      numRuns: REQUESTS,
      seed,
    })) {
      if (request.method !== 'GET' && GUESSES_SECRETS.test(request.path)) continue;
      if (cookie === '' && hasKey)
        cookie = await signIn(client, accessKey, secretKey).catch(() => '');
      hasKey &&= cookie !== '';
      const headers = Object.fromEntries(
        Object.entries(request.headers).filter(([, value]) => /^[\x20-\x7e]*$/.test(value)),
      );
      const api = apiClient(client, { cookie });
      const reply = await api.call(
        request.method,
        request.path,
        request.body ?? undefined,
        headers,
      );
      expect({ seed, request, isFault: reply.status >= 500, json: reply.json }).toMatchObject({
        isFault: false,
      });
      if (reply.status === 401) cookie = '';
    }
  });
});
