// Parties, credit notes and void bills over the JSON API: who reads them, their tags and their
// files.
import { expect, it } from 'vitest';
import { monthText } from '../../../src/core/billing/month.ts';
import type { AccountId } from '../../../src/domain/nouns.ts';
import { closeBill } from '../closed-bill.ts';
import { startMemoryApi } from '../memory-api.ts';

const api = await startMemoryApi();
const PARTY = { name: '王小明 & Söhne', address: 'Weg 1\nBerlin', country: 'DE', taxId: 'DE1' };

async function send(method: string, path: string, body: object | null = null, etag = '*') {
  const headers = {
    'content-type': 'application/json',
    ...(method === 'PUT' ? { 'if-match': etag } : {}),
  };
  return api.send({ method, path, headers, body: body === null ? null : JSON.stringify(body) });
}

async function withBill() {
  const { json } = await send('POST', '/accounts', { displayName: 'Ann' });
  const accountId = json.id as AccountId;
  const of = `accountId=${accountId}`;
  return { accountId, of };
}

it('an invoice names the buyer and the tax that were set, and can be credited', async () => {
  const { accountId, of } = await withBill();
  const issuer = { name: 'Host', paymentNote: 'IBAN', taxPercentByCountry: { DE: '19' } };
  expect((await send('PUT', '/billing/issuer', issuer)).status).toBe(200);
  expect((await send('PUT', `/billing/buyer?${of}`, PARTY)).status).toBe(200);
  const month = monthText(await closeBill(api.core, accountId));
  const bill = (await send('GET', `/invoices/${month}?${of}`)).json;
  expect(bill).toMatchObject({
    status: 'closed',
    issue: 0,
    isRecomputable: true,
    netMicro: '36000000',
    taxMicro: '6840000',
    payableMicro: '42840000',
    terms: { buyer: PARTY, seller: { name: 'Host' } },
  });

  const reason = 'outage';
  const path = `/invoices/${month}/credit-notes?${of}`;
  const note = await send('POST', path, { reason, netMicro: '1000000' });
  expect([note.status, note.json.taxMicro]).toEqual([201, '190000']);
  expect((await send('POST', path, { reason, netMicro: '36000000' })).json.code).toBe(
    'InvalidInput',
  );
  expect((await send('POST', path, { reason, netMicro: '1000000', lines: [0] })).json.code).toBe(
    'InvalidInput',
  );

  const { json: voided } = await send('POST', `/invoices/${month}/void?${of}`, {
    reason,
    reissue: true,
  });
  expect(voided).toMatchObject({
    creditNote: { isVoid: true, netMicro: '35000000' },
    invoice: { issue: 1 },
  });
  expect((await send('GET', `/invoices/${month}?${of}&issue=0`)).json.status).toBe('void');
  const heads = (await send('GET', `/invoices?${of}&limit=1`)).json;
  expect(heads.items).toMatchObject([{ number: voided.invoice.number, isVoid: false }]);
  const rest = (await send('GET', `/invoices?${of}&limit=1&cursor=${heads.nextCursor}`)).json;
  expect(rest.items).toMatchObject([{ number: bill.number, isVoid: true }]);

  const notes = (await send('GET', `/credit-notes?${of}&limit=1`)).json;
  expect(notes.items).toMatchObject([{ number: voided.creditNote.number }]);
  const older = (await send('GET', `/credit-notes?${of}&cursor=${notes.nextCursor}`)).json;
  expect(older.items).toEqual([note.json]);
  expect((await send('GET', `/credit-notes/${note.json.number}?${of}`)).json).toEqual(note.json);
  const pdf = await send('GET', `/credit-notes/${note.json.number}/credit-note.pdf?${of}`);
  expect([pdf.status, pdf.json.code]).toEqual([501, 'NotImplemented']);
});

it('the parties of a bill are changed only with the ETag of their state', async () => {
  const { of } = await withBill();
  const etag = (await send('GET', `/billing/buyer?${of}`)).headers.get('etag') ?? '';
  const tax = { percent: null, reverseChargeTaxId: 'DE1' };
  expect((await send('PUT', `/billing/tax?${of}`, tax, etag)).json).toEqual(tax);
  expect((await send('PUT', `/billing/buyer?${of}`, PARTY, etag)).json.code).toBe(
    'PreconditionFailed',
  );
  const next = await send('GET', `/billing/buyer?${of}`);
  expect(next.json).toEqual({ buyer: null, tax });
  const put = await send('PUT', `/billing/buyer?${of}`, PARTY, next.headers.get('etag') ?? '');
  expect(put.json).toEqual({ buyer: PARTY, tax });
  expect(put.headers.get('etag')).toBe(
    (await send('GET', `/billing/buyer?${of}`)).headers.get('etag'),
  );
});

it('a series that ends with a digit, or serves both documents, is refused', async () => {
  for (const invoicePrefix of ['INV1', '', 'a b-']) {
    expect((await send('PUT', '/billing/issuer', { name: 'x', invoicePrefix })).status).toBe(400);
  }
  const same = { name: 'x', invoicePrefix: 'A-', creditNotePrefix: 'A-' };
  expect((await send('PUT', '/billing/issuer', same)).json.code).toBe('InvalidInput');
});
