// What is asked of caps for the bytes of an answer: for all that read, whichever class they count
// as.
import { expect, it } from 'vitest';
import { createCapGuard } from '../../../../src/core/caps/cap-guard.ts';
import { markBucket, setCap } from '../../../../src/core/caps/set-cap.ts';
import { createUsageFlusher } from '../../../../src/core/metering/flush-usage.ts';
import { parseBucketName } from '../../../../src/core/parse-names.ts';
import { createCapCheck } from '../../../../src/http/s3/features/caps.ts';
import { bytesCap } from '../../../core/caps/cap-samples.ts';
import { createTestSurface, OWNER } from '../kit/surface.ts';

async function createWorld(limit: bigint) {
  const { core } = createTestSurface();
  const flusher = createUsageFlusher(core, { source: 'test', intervalMs: 1 });
  const caps = createCapGuard(core, flusher, 'test', () => undefined);
  await setCap(core, OWNER.id, {
    ...{ id: 'cap', scope: { kind: 'account' }, unit: 'bytes', limit, period: 'month' },
    ...{ alertPercents: [], cachedFromPercent: null, cardId: null, liftedUntilMs: null },
  });
  return (operationClass: 'A' | 'B') =>
    createCapCheck(
      caps,
      { accountId: OWNER.id, bucketId: null, accessKeyId: null },
      operationClass,
    );
}

/** An answer of so many bytes, and whether its body was let go. */
function streamOf(bytes: number) {
  const state = { isLetGo: false };
  const body = new ReadableStream<Uint8Array>({
    cancel() {
      state.isLetGo = true;
    },
  });
  return { state, answer: { status: 200, headers: { 'content-length': `${bytes}` }, body } };
}

it.each(['A', 'B'] as const)('a stream is asked for whole, in class %s', async (operationClass) => {
  const check = (await createWorld(1000n))(operationClass);
  await check.before();
  const fits = streamOf(1000);
  await check.answer(fits.answer);
  check.last(fits.answer);
  expect(fits.state.isLetGo).toBe(false);
  const late = streamOf(1001);
  expect(() => check.last(late.answer)).toThrow('more than the whole cap that its owner has set');
  expect(late.state.isLetGo).toBe(true);
  const over = streamOf(1001);
  await expect(check.answer(over.answer)).rejects.toMatchObject({ code: 'UsageCapReached' });
  expect(over.state.isLetGo).toBe(true);
});

it('the short answer of a write that has happened goes out', async () => {
  const check = (await createWorld(10n))('A');
  const answer = { status: 200, headers: {}, body: '<a-document/>' };
  await check.answer(answer);
  expect(() => check.last(answer)).not.toThrow();
});

/** A unit of money for each byte and month, and nothing else. */
const DEAR_STORAGE = {
  ...{
    id: 'dear',
    name: 'Dear',
    currency: 'EUR',
    source: 'https://example.org/',
    asOf: '2013-01-01',
  },
  monthHours: 720,
  lines: [
    {
      ...{ label: 'Storage', meters: ['storage/STANDARD'] },
      ...{ unit: { name: 'byte-month', size: 1, perMonth: true }, tiers: [{ price: '1' }] },
    },
  ],
};

it('an upload is checked with the cost of its storage until the month ends, unread', async () => {
  const { core, send } = createTestSurface();
  await send({ method: 'PUT', path: '/shop' });
  const cap = bytesCap(1_000_000n, { unit: 'money', cardId: 'dear', card: DEAR_STORAGE });
  await core.ports.ledger.call('putCap', { accountId: OWNER.id, cap, known: null });
  await markBucket(core, OWNER.id, parseBucketName('shop'), true);
  const put = async (path: string, body: string, query = {}) =>
    (await send({ method: 'PUT', path, body, query })).status;
  // A quarter of the month is left: four bytes for one unit of money, less than that with what is
  // there.
  expect([await put('/shop/a', 'xxx'), await put('/shop/b', 'xxxxx')]).toEqual([200, 402]);
  const begun = await send({ method: 'POST', path: '/shop/c', query: { uploads: '' } });
  const [, uploadId = ''] = /<UploadId>(.*)<\/UploadId>/.exec(begun.text) ?? [];
  const part = { partNumber: '1', uploadId };
  expect([await put('/shop/c', 'xxxxx', part), await put('/shop/c', 'xxx', part)]).toEqual([
    402, 200,
  ]);
});
