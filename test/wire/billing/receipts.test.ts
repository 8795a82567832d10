// Receipts as a customer keeps them: what each answer says that it cost adds up to the invoice that
// the API shows, and nobody but who pays is told, unless the owner wants it.
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { publicPolicy } from '../../access-samples.ts';
import { type Call, freshBucketName, sampleBytes } from '../kit/clients/client.ts';
import { exchange, type Reply } from '../kit/clients/http.ts';
import {
  type ApiClient,
  type NewAccount,
  newAccount,
  setRateCard,
  tokenClient,
} from '../kit/clients/json-api.ts';
import { client, describeCore } from '../kit/clients/suite.ts';
import { thisMonth } from '../kit/one-month.ts';

const run = randomUUID().slice(0, 8);
const bucket = freshBucketName();
const startMonth = thisMonth();

/**
 * Allowance, tiers, begun units that are paid whole, meters that share a line, and rounding in
 * each.
 */
const CARD = {
  id: `receipts-${run}`,
  name: 'Receipts',
  currency: 'EUR',
  source: 'https://example.com/prices',
  asOf: '2026-11-21',
  monthHours: 720,
  lines: [
    {
      label: 'Storage',
      meters: ['storage/STANDARD', 'storage/STANDARD_IA'],
      unit: { name: 'KB-month', size: 1000, perMonth: true },
      tiers: [{ price: '0.5' }],
    },
    {
      label: 'Requests',
      meters: ['class-a/STANDARD', 'class-b/STANDARD'],
      unit: { name: 'three', size: 3 },
      free: '1',
      roundUp: true,
      tiers: [{ upTo: '2', price: '0.003' }, { price: '0.001001' }],
    },
    {
      label: 'Cold',
      meters: ['class-a/STANDARD_IA', 'class-b/STANDARD_IA', 'retrieval/STANDARD_IA'],
      unit: { name: 'thing', size: 7 },
      tiers: [{ price: '0.0000033' }],
    },
    {
      label: 'Traffic',
      meters: ['egress/memory', 'egress/edge', 'egress/bucket', 'egress/made'],
      unit: { name: 'KB', size: 1024 },
      free: '0.5',
      tiers: [{ upTo: '20', price: '0.000777' }, { price: '0.00031' }],
    },
  ],
};

type Receipt = {
  readonly kind: string;
  readonly amount: bigint;
  /** The month whose bill it is on: that in which it was requested. */
  readonly period: string;
  readonly used: readonly (readonly [string, bigint])[];
};

/** Reads the header as the docs say it is written. */
function receiptOf({ headers }: Reply): Receipt | null {
  const text = headers['x-quayside-receipt'];
  if (text === undefined) return null;
  const read = (pattern: RegExp): string => pattern.exec(text)?.[1] ?? '';
  const used = [...read(/used=\(([^)]*)\)/).matchAll(/([a-z-]+\/\w+);n=(\d+);amount=(\d+)/g)];
  const receipt = {
    kind: read(/^class=(A|B|free)/),
    amount: BigInt(read(/, amount=(\d+)/)),
    period: read(/, period="([^"]*)"/),
    used: used.map(([, meter = '', n = '']) => [meter, BigInt(n)] as const),
  };
  const parts = used.reduce((sum, [, , , amount = '']) => sum + BigInt(amount), 0n);
  expect([receipt.kind !== '', parts], text).toEqual([true, receipt.amount]);
  if (used.length > 0) {
    expect(text).toContain(`, currency=EUR, card="${CARD.id}", period="${receipt.period}", `);
    expect([startMonth, thisMonth()]).toContain(receipt.period);
    expect(text).toContain(`, id="${headers['x-amz-request-id']}"`);
  }
  return receipt;
}

const sumOf = (receipts: readonly Receipt[]) =>
  receipts.reduce((total, { amount }) => total + amount, 0n);

describeCore('receipts', () => {
  let operator: ApiClient;
  let owner: NewAccount;
  const kept: Receipt[] = [];
  const asOwner = (call: Omit<Call, 'bucket'>) => client.send({ bucket, signer: owner, ...call });
  const visit = (target: string, headers: Readonly<Record<string, string>> = {}) =>
    exchange(client.target.url, {
      method: 'GET',
      target,
      headers: { host: client.host, ...headers },
    });

  beforeAll(async () => {
    operator = await tokenClient(client);
    expect((await operator.call('PUT', `/rate-cards/${CARD.id}`, CARD)).status).toBe(200);
    owner = await newAccount(operator, `receipts ${run}`);
    await setRateCard(operator, owner.accountId, CARD.id);
  });

  it('of all requests of a month add up to its invoice, to the last micro-unit', async () => {
    /** Sends it and asks for a receipt, by query and by header in turn, and keeps the receipt. */
    const keep = async (call: Omit<Call, 'bucket'>, status = 200): Promise<Reply> => {
      const asking =
        kept.length % 2 === 0
          ? { query: { ...(call.query as Record<string, string>), receipt: '1' } }
          : { headers: { ...call.headers, 'x-quayside-receipt': '1' } };
      const reply = await asOwner({ ...call, ...asking });
      expect(reply.status, reply.text).toBe(status);
      const receipt = receiptOf(reply);
      if (receipt !== null) kept.push(receipt);
      else expect.fail(`no receipt: ${call.method} ${JSON.stringify(call.query)}`);
      return reply;
    };
    const cold = { 'x-amz-storage-class': 'STANDARD_IA' };
    await keep({ method: 'PUT' });
    await keep({ method: 'PUT', query: { policy: '' }, body: publicPolicy(bucket, 'open/') }, 204);
    await keep({ method: 'PUT', key: 'open/small', body: sampleBytes(700) });
    await keep({ method: 'PUT', key: 'large', body: sampleBytes(40_000) });
    await keep({ method: 'PUT', key: 'cold', body: sampleBytes(30_000), headers: cold });
    const read = await keep({ method: 'GET', key: 'large' });
    await keep({ method: 'GET', key: 'large' });
    await keep({ method: 'GET', key: 'large', headers: { range: 'bytes=100-1123' } }, 206);
    await keep(
      { method: 'GET', key: 'large', headers: { 'if-none-match': read.headers.etag ?? '' } },
      304,
    );
    await keep({ method: 'HEAD', key: 'large' });
    await keep({ method: 'GET', key: 'cold' });
    await keep({ method: 'GET', query: { 'list-type': '2' } });
    await keep({
      method: 'PUT',
      key: 'copy',
      headers: { 'x-amz-copy-source': `/${bucket}/large` },
    });
    const { text } = await keep({ method: 'POST', key: 'parts', query: { uploads: '' } });
    const uploadId = /<UploadId>(.*)<\/UploadId>/.exec(text)?.[1] ?? '';
    const part = await keep({
      method: 'PUT',
      key: 'parts',
      query: { uploadId, partNumber: '1' },
      body: 'part',
    });
    const done =
      '<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>' +
      `${part.headers.etag}</ETag></Part></CompleteMultipartUpload>`;
    await keep({ method: 'POST', key: 'parts', query: { uploadId }, body: done });
    await keep({ method: 'GET', query: { zip: '' } });
    await keep({ method: 'DELETE', key: 'copy' }, 204);
    const missing = await keep({ method: 'GET', key: 'none' }, 404);
    expect(missing.headers['x-quayside-receipt']).toBe('class=free, amount=0');
    await Promise.all([1, 2, 3, 4, 5].map(() => keep({ method: 'GET', key: 'open/small' })));

    expect(sumOf(kept)).toBeGreaterThan(10_000n);
    // What was not there has a receipt and no bill.
    const paid = kept.filter(({ period }) => period !== '');
    expect(paid).toHaveLength(kept.length - 1);
    // One month, but while a month turns.
    for (const [period, receipts] of Map.groupBy(paid, (receipt) => receipt.period))
      await expectBill(period, receipts);
  });

  /** The bill of a month is the sum of its receipts, and of what was stored. */
  async function expectBill(period: string, receipts: readonly Receipt[]): Promise<void> {
    const readBoth = async () => {
      const { json: statement } = await operator.call(
        'GET',
        `/receipts/${period}?accountId=${owner.accountId}`,
      );
      const { json: invoice } = await operator.call(
        'GET',
        `/invoices/${period}?accountId=${owner.accountId}`,
      );
      return { statement, invoice };
    };
    let both = await readBoth();
    // An hour of storage was recorded between the two.
    if (both.statement.totalMicro !== both.invoice.totalMicro) both = await readBoth();
    const { statement, invoice } = both;
    const sum = sumOf(receipts);
    expect(statement.receiptsMicro).toBe(`${sum}`);
    // An hour of storage may have been recorded by now, and nothing else has no receipt.
    const stored = BigInt(
      invoice.lines.find(({ label }: { label: string }) => label === 'Storage').amountMicro,
    );
    expect(`${sum + stored}`).toBe(invoice.totalMicro);
    expect([statement.totalMicro, statement.restMicro]).toEqual([invoice.totalMicro, `${stored}`]);
    expect(statement.cards).toMatchObject([
      { cardId: CARD.id, receipts: receipts.length, isCurrent: true },
    ]);
    const used = new Map<string, bigint>();
    for (const [meter, n] of receipts.flatMap((receipt) => receipt.used))
      used.set(meter, (used.get(meter) ?? 0n) + n);
    const requests = Object.entries(invoice.usage as Record<string, string>).filter(
      ([meter]) => !/^storage/.test(meter),
    );
    expect(Object.fromEntries([...used].map(([meter, n]) => [meter, `${n}`]))).toEqual(
      Object.fromEntries(requests),
    );
  }

  it('are not for others than who pays', async () => {
    const ask = { query: { receipt: '1' }, headers: { 'x-quayside-receipt': '1' } };
    const stranger = await newAccount(operator, `stranger ${run}`);
    const asked = [
      await client.anonymous({ method: 'GET', bucket, key: 'open/small', ...ask }),
      await client.send({ method: 'GET', bucket, key: 'open/small', signer: stranger, ...ask }),
      await client.send({ method: 'HEAD', bucket, key: 'open/small', ...ask }),
      await asOwner({ method: 'GET', key: 'open/small' }),
    ];
    expect(asked.map((reply) => [reply.status, receiptOf(reply)])).toEqual(
      asked.map(() => [200, null]),
    );
  });

  it('come with a presigned URL where its signer requested them, not its bearer', async () => {
    const get = { method: 'GET', bucket, key: 'large', signer: owner };
    const wished = await visit(client.presigned({ ...get, query: { receipt: '1' } }));
    expect([wished.status, receiptOf(wished)?.kind]).toEqual([200, 'B']);
    const plain = client.presigned(get);
    const byHeader = await visit(plain, { 'x-quayside-receipt': '1' });
    expect([byHeader.status, receiptOf(byHeader)]).toEqual([200, null]);
    expect((await visit(`${plain}&receipt=1`)).status).toBe(403);
  });

  it('come unrequested where the bucket has them on, to its owner or to everyone', async () => {
    const set = async (receipts: string | null) => {
      const { headers } = await operator.call('GET', `/buckets/${bucket}`);
      const match = { 'if-match': headers.etag ?? '' };
      const { status, json } = await operator.call(
        'PATCH',
        `/buckets/${bucket}`,
        { receipts },
        match,
      );
      expect([status, json.receipts]).toEqual([200, receipts]);
    };
    const page = (headers = {}) =>
      client.anonymous({ method: 'GET', bucket, key: 'open/small', headers });
    await set('owner');
    expect(receiptOf(await asOwner({ method: 'GET', key: 'open/small' }))?.kind).toBe('B');
    expect(receiptOf(await page())).toBeNull();
    expect(
      receiptOf(
        await visit(client.presigned({ method: 'GET', bucket, key: 'large', signer: owner })),
      ),
    ).toBeNull();
    await set('everyone');
    await expect.poll(async () => receiptOf(await page())?.kind).toBe('B');
    const again = await page();
    expect(receiptOf(again)?.used).toContainEqual(['class-b/STANDARD', 1n]);
    expect(receiptOf(await page({ range: 'bytes=0-9' }))?.used.map(([, n]) => n)).toEqual([
      1n,
      10n,
    ]);
    const known = await page({ 'if-none-match': again.headers.etag ?? '' });
    expect([known.status, receiptOf(known)?.amount]).toEqual([304, 0n]);
    const missing = await client.anonymous({ method: 'GET', bucket, key: 'open/none' });
    expect([missing.status, receiptOf(missing)?.amount]).toEqual([404, 0n]);
    await set(null);
  });
});
