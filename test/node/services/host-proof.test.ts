// A host of a customer's own from the first question to the first page, on a running server that
// asks DNS on loopback.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AwsClient } from 'aws4fetch';
import { expect, it, onTestFinished } from 'vitest';
import { startDnsServer } from '../kit/dns-server.ts';
import { startNodeProcess } from '../kit/node-process.ts';
import { apiAt, expectOk, useNodeProcesses } from '../kit/platform-client.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

useNodeProcesses();

const KEY = { accessKeyId: 'alices-access-key', secretAccessKey: 'alices-secret-key' };
const HOST = 'www.shop.example';

it('the server binds a host of an account by the record that the API names', async () => {
  const dns = await startDnsServer();
  onTestFinished(() => dns.close());
  const dataDir = temporaryFolder();
  const seed = join(dataDir, 'seed.json');
  const keys = [{ accessKey: KEY.accessKeyId, secretKey: KEY.secretAccessKey }];
  writeFileSync(seed, JSON.stringify({ accounts: [{ id: 'alice', displayName: 'Alice', keys }] }));
  const { url } = await startNodeProcess(join(dataDir, 'data'), {
    QUAYSIDE_SEED: seed,
    QUAYSIDE_OWN_HOSTS: 'console.example',
    QUAYSIDE_DNS_RESOLVER: dns.address,
  });
  const alice = new AwsClient({ ...KEY, service: 's3', region: 'auto', retries: 0 });
  await expectOk(alice.fetch(`${url}/pages`, { method: 'PUT' }));
  const session = await expectOk(apiAt(url, '')('POST', '/sessions', KEY));
  const call = apiAt(url, (session.headers.get('set-cookie') ?? '').split(';')[0] ?? '');
  const check = async (host = HOST) => {
    const reply = await call('POST', '/buckets/pages/domains/check', { host });
    return { status: reply.status, json: (await reply.json()) as Record<string, unknown> };
  };
  const bindByS3 = () =>
    alice.fetch(`${url}/pages?hosting=`, {
      method: 'PUT',
      body: JSON.stringify({ domains: [{ host: HOST }] }),
    });

  const missing = await check();
  expect(missing).toMatchObject({
    status: 200,
    json: { host: HOST, isBound: false, isProven: false },
  });
  const { name, type, value } = missing.json.record as {
    name: string;
    type: string;
    value: string;
  };
  expect([name, type]).toEqual([`_quayside.${HOST}`, 'TXT']);
  const refused = await bindByS3();
  const text = await refused.text();
  expect([refused.status, text]).toEqual([
    403,
    expect.stringContaining('<Code>DomainNotProven</Code>'),
  ]);
  expect(text).toContain(`<RecordName>${name}</RecordName><RecordValue>${value}</RecordValue>`);
  const change = { hosting: { domains: [{ host: HOST, prefix: '' }] } };
  const refusedByJson = await call('PATCH', '/buckets/pages', change, { 'if-match': '*' });
  expect([refusedByJson.status, await refusedByJson.json()]).toMatchObject([
    403,
    { code: 'DomainNotProven', detail: expect.stringContaining(`${name} TXT "${value}"`) },
  ]);

  dns.records.set(name, [[value.slice(0, 9), value.slice(9)]]);
  expect((await check()).json).toMatchObject({ isBound: false, isProven: true });
  expect((await bindByS3()).status).toBe(200);
  dns.records.clear();
  expect((await check()).json).toMatchObject({ isBound: true, isProven: false });
  expect((await call('PATCH', '/buckets/pages', change, { 'if-match': '*' })).status).toBe(200);
  const listed = await (await call('GET', '/buckets/pages/domains')).json();
  expect(listed).toMatchObject({
    items: [{ host: HOST, isBound: true, record: { name, type, value } }],
  });
  for (const own of ['console.example', 'localhost', 'WWW.SHOP.EXAMPLE']) {
    expect([own, await check(own)]).toMatchObject([
      own,
      { status: 400, json: { code: 'InvalidInput' } },
    ]);
  }
});
