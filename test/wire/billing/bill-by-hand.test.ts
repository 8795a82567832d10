// Two accounts, 1,000 mixed operations by S3 clients and browsers' requests, a log of what was done
// that the test writes itself, and the bill of each worked out by hand from that log: to the last
// micro-unit.
import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { expect, it } from 'vitest';
import { publicPolicy } from '../../access-samples.ts';
import { inParallel } from '../kit/clients/bucket-work.ts';
import { freshBucketName } from '../kit/clients/client.ts';
import { type ApiClient, newAccount, setRateCard, tokenClient } from '../kit/clients/json-api.ts';
import { client, describeCore } from '../kit/clients/suite.ts';
import { createAgent } from '../kit/clients/transport.ts';
import { inOneMonth } from '../kit/one-month.ts';

const OPERATIONS = 1_000;
const WIDTH = 16;
const TIMEOUT_MS = 240_000;
/** How long the last usage may be on its way to the ledger. */
const LEDGER_MS = 60_000;

const run = crypto.randomUUID().slice(0, 8);
const agent = createAgent(client.target.url, { keepAlive: true, maxSockets: WIDTH });

/** Prices that no allowance hides, and of which every operation shows in the last digits. */
const CARD = {
  id: `hand-${run}`,
  name: 'By hand',
  currency: 'EUR',
  source: 'https://example.com/prices',
  asOf: '2026-11-21',
  monthHours: 720,
  lines: [
    {
      label: 'Writes',
      meters: ['class-a/STANDARD'],
      unit: { name: 'request', size: 1 },
      tiers: [{ upTo: '100', price: '0.003' }, { price: '0.001001' }],
    },
    {
      label: 'Cold writes',
      meters: ['class-a/STANDARD_IA'],
      unit: { name: 'request', size: 1 },
      tiers: [{ price: '0.010007' }],
    },
    {
      label: 'Reads',
      meters: ['class-b/STANDARD'],
      unit: { name: 'request', size: 1 },
      free: '7',
      tiers: [{ price: '0.000013' }],
    },
    {
      label: 'Traffic',
      meters: ['egress/memory', 'egress/edge', 'egress/bucket', 'egress/made'],
      unit: { name: 'KB', size: 1000 },
      tiers: [{ price: '0.000777' }],
    },
  ],
};

type Log = { writes: number; coldWrites: number; reads: number; bytesOut: number };

async function newCustomer(operator: ApiClient, name: string) {
  const signer = await newAccount(operator, `${name} ${run}`);
  const { accountId } = signer;
  await setRateCard(operator, accountId, CARD.id);
  const bucket = freshBucketName();
  await client.send({ method: 'PUT', bucket, signer });
  const body = publicPolicy(bucket, 'open/');
  await client.send({ method: 'PUT', bucket, query: { policy: '' }, body, signer });
  const s3 = client.sdk({
    credentials: { accessKeyId: signer.accessKey, secretAccessKey: signer.secretKey },
  });
  // The bucket and its policy.
  const log: Log = { writes: 2, coldWrites: 0, reads: 0, bytesOut: 0 };
  return { accountId, bucket, signer, s3, log, sizes: [] as number[] };
}
type Customer = Awaited<ReturnType<typeof newCustomer>>;

/** Does one thing, and writes down what it was. */
async function operate({ bucket, signer, s3, log, sizes }: Customer, at: number): Promise<void> {
  const known = at % 40;
  const key = `open/${known}`;
  const size = sizes[known] ?? 0;
  const kind = at % 8;
  if (kind === 0) {
    const bytes = 1_000 + ((at * 37) % 2_000);
    await s3.send(
      new PutObjectCommand({ Bucket: bucket, Key: `more/${at}`, Body: new Uint8Array(bytes) }),
    );
    log.writes += 1;
  } else if (kind === 1) {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
    expect((await Body?.transformToByteArray())?.length).toBe(size);
    log.reads += 1;
    log.bytesOut += size;
  } else if (kind === 2) {
    expect((await client.send({ method: 'HEAD', bucket, key, signer, agent })).status).toBe(200);
    log.reads += 1;
  } else if (kind === 3) {
    const query = { 'list-type': '2', prefix: 'open/' };
    const listed = await client.send({ method: 'GET', bucket, query, signer, agent });
    expect([listed.status, listed.text.split('<Key>').length - 1]).toEqual([200, 40]);
    log.writes += 1;
    log.bytesOut += listed.body.length;
  } else if (kind === 4) {
    const part = await client.send({
      method: 'GET',
      bucket,
      key,
      signer,
      agent,
      headers: { range: 'bytes=10-109' },
    });
    expect(part.status).toBe(206);
    log.reads += 1;
    log.bytesOut += 100;
  } else {
    const page = await client.anonymous({ method: 'GET', bucket, key, agent });
    expect([page.status, page.body.length]).toEqual([200, size]);
    log.reads += 1;
    log.bytesOut += size;
  }
}

/**
 * An upload to a colder class: its beginning, its part and its completion are requests of that
 * class.
 */
async function uploadCold({ bucket, signer, log }: Customer): Promise<void> {
  const of = { bucket, key: 'cold', signer };
  const headers = { 'x-amz-storage-class': 'STANDARD_IA' };
  const begun = await client.send({ ...of, method: 'POST', query: { uploads: '' }, headers });
  const uploadId = /<UploadId>([^<]+)</.exec(begun.text)?.[1] ?? '';
  const part = await client.send({
    ...of,
    method: 'PUT',
    query: { uploadId, partNumber: '1' },
    body: new Uint8Array(100),
  });
  const list = `<Part><PartNumber>1</PartNumber><ETag>${part.headers.etag}</ETag></Part>`;
  const body = `<CompleteMultipartUpload>${list}</CompleteMultipartUpload>`;
  const done = await client.send({ ...of, method: 'POST', query: { uploadId }, body });
  expect([begun.status, part.status, done.status]).toEqual([200, 200, 200]);
  log.coldWrites += 3;
  log.bytesOut += begun.body.length + done.body.length;
}

/** Two customers, when they have done all that is to be on their bills. */
async function letThemWork(operator: ApiClient): Promise<readonly Customer[]> {
  const customers = [await newCustomer(operator, 'ann'), await newCustomer(operator, 'bob')];
  for (const { s3, bucket, sizes, log } of customers) {
    for (let known = 0; known < 40; known += 1) {
      sizes.push(500 + known * 91);
      const put = { Bucket: bucket, Key: `open/${known}`, Body: new Uint8Array(sizes[known] ?? 0) };
      await s3.send(new PutObjectCommand(put));
      log.writes += 1;
    }
  }
  await Promise.all(customers.map(uploadCold));
  const all = Array.from({ length: OPERATIONS }, (_, at) => at);
  await inParallel(all, WIDTH, async (at) =>
    operate(customers[at % 3 === 0 ? 1 : 0] as Customer, at),
  );
  return customers;
}

/** What CARD makes of a log, in micro-units, in another way than the server does. */
function byHand({ writes, coldWrites, reads, bytesOut }: Log): bigint {
  const atFirst = Math.min(writes, 100) * 3_000 + Math.max(0, writes - 100) * 1_001;
  const traffic = (BigInt(bytesOut) * 777n * 2n + 1_000n) / 2_000n;
  return (
    BigInt(atFirst) + BigInt(coldWrites * 10_007) + BigInt(Math.max(0, reads - 7) * 13) + traffic
  );
}

describeCore('a bill', () => {
  it('is, to the last micro-unit, what a log of all operations comes to by hand', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const operator = await tokenClient(client);
    expect((await operator.call('PUT', `/rate-cards/${CARD.id}`, CARD)).status).toBe(200);
    const { month, done: customers } = await inOneMonth(() => letThemWork(operator));
    for (const { accountId, log } of customers) {
      const read = async () =>
        (await operator.call('GET', `/invoices/${month}?accountId=${accountId}`)).json;
      const counted = async () => {
        const { usage } = await read();
        const {
          'class-a/STANDARD': writes,
          'class-a/STANDARD_IA': coldWrites,
          'class-b/STANDARD': reads,
        } = usage;
        return { writes, coldWrites, reads };
      };
      const expected = {
        ...{
          writes: String(log.writes),
          coldWrites: String(log.coldWrites),
          reads: String(log.reads),
        },
      };
      await expect.poll(counted, { timeout: LEDGER_MS, interval: 500 }).toEqual(expected);
      const invoice = await read();
      expect([invoice.currency, invoice.totalMicro, invoice.isRecomputable]).toEqual([
        'EUR',
        String(byHand(log)),
        true,
      ]);
    }
    for (const { s3 } of customers) (s3 as S3Client).destroy();
    agent.destroy();
  });
});
