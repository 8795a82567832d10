// TXT records by the resolver of Node, of a server of DNS on loopback.
import { afterAll, expect, it } from 'vitest';
import { createDnsTxtRecords } from '../../../src/adapters/node/services/dns-txt-records.ts';
import { startDnsServer } from '../kit/dns-server.ts';

const server = await startDnsServer();
afterAll(() => server.close());
/** For what never comes, milliseconds. */
const SHORT_MS = 50;
const read = (name: string, limitMs?: number) =>
  createDnsTxtRecords([server.address], limitMs).read(name);

it('a look-up returns each text in one piece', async () => {
  server.records.set('_quayside.a.example', [['quayside-', 'account=1'], ['v=spf1 -all'], ['']]);
  expect(await read('_quayside.a.example')).toEqual(['quayside-account=1', 'v=spf1 -all', '']);
  expect(server.asked).toEqual(['_quayside.a.example']);
});

it('a look-up returns none where there is no name, no record, or no valid name', async () => {
  server.records.set('empty.example', 'empty');
  for (const name of ['nothing.example', 'empty.example', `${'a'.repeat(64)}.example`]) {
    expect([name, await read(name)]).toEqual([name, []]);
  }
});

it.each(['failing', 'silent'] as const)(
  'the resolver rejects what is %s, in time',
  async (kind) => {
    server.records.set('bad.example', kind);
    await expect(
      read('bad.example', kind === 'silent' ? SHORT_MS : undefined),
    ).rejects.toMatchObject({
      code: 'ServiceUnavailable',
      message: 'DNS could not be asked for bad.example.',
    });
  },
);
