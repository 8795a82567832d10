// DNS over HTTPS on the runtime of Cloudflare; test/node/services/https-txt-records.test.ts has the
// rest.
import { afterEach, expect, it, vi } from 'vitest';
import { createHttpsTxtRecords } from '../../src/adapters/shared/https-txt-records.ts';

afterEach(() => vi.unstubAllGlobals());

it('the resolver sends its query and reads the response here too', async () => {
  const asked: string[] = [];
  vi.stubGlobal('fetch', async (url: string) => {
    asked.push(url);
    return Response.json({ Status: 0, Answer: [{ type: 16, data: '"quayside-account=1"' }] });
  });
  const records = createHttpsTxtRecords('https://cloudflare-dns.com/dns-query');
  expect(await records.read('_quayside.a.example')).toEqual(['quayside-account=1']);
  expect(asked).toEqual(['https://cloudflare-dns.com/dns-query?name=_quayside.a.example&type=TXT']);
});
