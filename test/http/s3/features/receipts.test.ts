// Who has a receipt at the S3 surface, and that no answer depends on it.
import { describe, expect, it } from 'vitest';
import { openBucket } from '../../../../src/core/opened-bucket/bucket-handle.ts';
import { setBucketSettings } from '../../../../src/core/opened-bucket/set-bucket-settings.ts';
import { parseBucketName } from '../../../../src/core/parse-names.ts';
import { NO_SETTINGS } from '../../../../src/domain/bucket-settings.ts';
import { StorageError } from '../../../../src/domain/errors.ts';
import type { AccountId, Principal } from '../../../../src/domain/nouns.ts';
import { hasReceipt } from '../../../../src/http/s3/headers/receipt-request.ts';
import { parseQuery } from '../../../../src/http/semantics/raw-path.ts';
import { publicPolicy } from '../../../access-samples.ts';
import { makeRequest } from '../kit/make-request.ts';
import { createTestSurface, OWNER, STRANGER } from '../kit/surface.ts';

const RECEIPT = 'x-quayside-receipt';
const MONTH_MS = Date.UTC(2013, 4, 1);

const principals = {
  owner: { kind: 'account', account: OWNER, accessKeyId: 'K' as never },
  stranger: { kind: 'account', account: STRANGER, accessKeyId: 'K' as never },
  nobody: { kind: 'anonymous' },
} as const satisfies Record<string, Principal>;

type Ways = {
  asksBy?: 'query' | 'header' | 'another';
  isPresigned?: boolean;
  isQuerySigned?: boolean;
  isForm?: boolean;
};

/** For each of the three, with the setting: null, owner, everyone. */
function decided(
  by: keyof typeof principals,
  { asksBy, isPresigned = false, isQuerySigned = true, isForm = false }: Ways = {},
): string {
  const call = {
    principal: principals[by],
    isPresigned,
    isQuerySigned,
    form: isForm ? new Map<string, string>() : null,
    query: parseQuery(asksBy === 'query' ? 'receipt=1' : asksBy === 'another' ? 'receipt=0' : ''),
    request: makeRequest({ target: '/', headers: asksBy === 'header' ? { [RECEIPT]: '1' } : {} }),
  };
  return [null, 'owner' as const, 'everyone' as const]
    .map((receipts) =>
      hasReceipt(call, { ownerId: OWNER.id, settings: { ...NO_SETTINGS, receipts } }),
    )
    .map((has) => (has ? 'y' : 'n'))
    .join('');
}

describe('who has a receipt', () => {
  it(
    'who pays and asks; who pays, where it is for the owner; everyone, where it is for ' +
      'everyone',
    () => {
      expect([decided('owner'), decided('stranger'), decided('nobody')]).toEqual([
        'nyy',
        'nny',
        'nny',
      ]);
      for (const asksBy of ['query', 'header'] as const) {
        expect(decided('owner', { asksBy })).toBe('yyy');
        expect(decided('stranger', { asksBy })).toBe('nny');
        expect(decided('nobody', { asksBy })).toBe('nny');
      }
      expect(decided('owner', { asksBy: 'another' })).toBe('nyy');
    },
  );

  it("nobody by another's signature: a URL has one where it was signed so, forms never", () => {
    expect(decided('owner', { asksBy: 'query', isPresigned: true })).toBe('yyy');
    expect(decided('owner', { asksBy: 'query', isPresigned: true, isQuerySigned: false })).toBe(
      'nny',
    );
    expect(decided('owner', { asksBy: 'header', isPresigned: true })).toBe('nny');
    expect(decided('owner', { isPresigned: true })).toBe('nny');
    expect(decided('owner', { asksBy: 'query', isForm: true })).toBe('nny');
  });

  it('who asks about no bucket pays for that', async () => {
    const surface = createTestSurface();
    const lists = await Promise.all(
      (['owner', 'stranger'] as const).map((as) =>
        surface.send({ path: '/', query: { receipt: '1' }, as }),
      ),
    );
    expect(lists.map(({ headers }) => headers[RECEIPT]?.split(',')[0])).toEqual([
      'class=A',
      'class=A',
    ]);
    const of = async (accountId: AccountId) =>
      (await surface.core.ports.ledger.call('readReceipts', { accountId, monthMs: MONTH_MS }))
        .receipts[0]?.receipts;
    expect([await of(OWNER.id), await of(STRANGER.id)]).toEqual([1, 1]);
  });
});

describe('a response', () => {
  it('is the same when the ledger fails, says that it has no receipt, and is counted', async () => {
    let isAway = false;
    const surface = createTestSurface({
      ledger: (working) => ({
        async call(name, input) {
          if (isAway) throw new StorageError('ServiceUnavailable');
          return working.call(name, input);
        },
      }),
    });
    await surface.send({ method: 'PUT', path: '/box' });
    const body = 'x'.repeat(100);
    isAway = true;
    const put = await surface.send({
      method: 'PUT',
      path: '/box/k',
      body,
      headers: { [RECEIPT]: '1' },
    });
    const get = await surface.send({ path: '/box/k', query: { receipt: '1' } });
    expect([put.status, get.status, get.text]).toEqual([200, 200, body]);
    expect([put.headers[RECEIPT], get.headers[RECEIPT]]).toEqual([
      'class=A, unavailable, id="REQUEST1"',
      'class=B, unavailable, id="REQUEST1"',
    ]);
    expect(surface.meter.totals().operations).toEqual({ A: 2, B: 1, free: 0 });
  });

  it('that is an error is free, and keeps its other headers', async () => {
    const surface = createTestSurface();
    await surface.send({ method: 'PUT', path: '/box' });
    const rule = {
      id: null,
      allowedMethods: ['GET'],
      allowedOrigins: ['https://a.example'],
      maxAgeSeconds: null,
    } as const;
    const bucket = await openBucket(surface.core, parseBucketName('box'), () => undefined);
    const cors = [{ ...rule, allowedHeaders: [], exposeHeaders: [] }];
    await setBucketSettings(surface.core, bucket, { cors });
    const headers = { origin: 'https://a.example' };
    const missing = await surface.send({ path: '/box/none', query: { receipt: '1' }, headers });
    expect([missing.status, missing.headers[RECEIPT]]).toEqual([404, 'class=free, amount=0']);
    expect(missing.headers['access-control-allow-origin']).toBe('https://a.example');
    const unasked = await surface.send({ path: '/box/none' });
    expect([unasked.status, unasked.headers[RECEIPT]]).toEqual([404, undefined]);
  });

  it('of a ZIP has a receipt for all that is in it, and each object counts once', async () => {
    const surface = createTestSurface();
    await surface.send({ method: 'PUT', path: '/box' });
    await surface.send({
      method: 'PUT',
      path: '/box',
      query: { policy: '' },
      body: publicPolicy('box'),
    });
    for (const key of ['1', '2', '3'])
      await surface.send({ method: 'PUT', path: `/box/${key}`, body: 'x'.repeat(50) });
    const before = surface.meter.totals().operations;
    const zip = await surface.send({ path: '/box', query: { zip: '', receipt: '1' } });
    expect(zip.status).toBe(200);
    expect(zip.headers[RECEIPT]).toContain('class-b/STANDARD;n=3;');
    expect(zip.headers[RECEIPT]).toContain(`egress/bucket;n=${zip.bytes.length};`);
    const after = surface.meter.totals().operations;
    expect([after.A - before.A, after.B - before.B]).toEqual([1, 3]);
  });
});
