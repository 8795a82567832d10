// The published price examples of R2 and S3, and properties that every invoice has.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  divideRounded,
  formatMicro,
  parseDecimal,
  SCALE,
} from '../../../src/core/billing/decimal.ts';
import { makeInvoice } from '../../../src/core/billing/invoices/invoice.ts';
import { hoursOf } from '../../../src/core/billing/month.ts';
import { parseRateCard, RateCardError } from '../../../src/core/billing/prices/rate-card.ts';
import { RATE_CARDS } from '../../../src/core/billing/prices/rate-cards.ts';
import { addUsage } from '../../../src/core/metering/usage.ts';
import { anyUsage, card, GB, GiB, MARCH, type Quantities, usageOf } from './billing-samples.ts';

const bill = (id: string, quantities: Quantities, period = MARCH) =>
  formatMicro(makeInvoice(usageOf(quantities), card(id), period).totalMicro);

// Source: https://developers.cloudflare.com/r2/pricing/#r2-billing-examples
describe('the billing examples of R2', () => {
  it('standard storage: 1,000 objects of 1 GB, each read 1,000 times', () => {
    const quantities = {
      'storage/STANDARD': 1000n * GB * 720n,
      'class-a/STANDARD': 1000n,
      'class-b/STANDARD': 1_000_000n,
    } as const;
    expect(bill('cloudflare-r2', quantities)).toBe('14.85');
  });

  it('infrequent access: the same for 5 days, billed for 30, with retrieval', () => {
    const quantities = {
      'storage/STANDARD_IA': 1000n * GB * 5n * 24n,
      'early-delete/STANDARD_IA': 1000n * GB * 25n * 24n,
      'class-a/STANDARD_IA': 1000n,
      'class-b/STANDARD_IA': 1_000_000n,
      // The table counts each gigabyte once.
      'retrieval/STANDARD_IA': 1000n * GB,
    } as const;
    expect(bill('cloudflare-r2', quantities)).toBe('29.90');
  });

  it('asset hosting: 100,000 files of 100 KB, 10 million reads a day', () => {
    const quantities = {
      'storage/STANDARD': 100_000n * 100_000n * 720n,
      'class-a/STANDARD': 100_000n,
      'class-b/STANDARD': 300_000_000n,
    } as const;
    expect(bill('cloudflare-r2', quantities)).toBe('104.40');
  });

  it('a unit that was begun is paid whole', () => {
    expect(bill('cloudflare-r2', { 'class-a/STANDARD': 2_000_001n })).toBe('9.00');
    expect(bill('cloudflare-r2', { 'class-a/STANDARD': 1_000_000n })).toBe('0.00');
    expect(bill('cloudflare-r2', { 'storage/STANDARD': 10n * GB * 720n + 1n })).toBe('0.02');
  });
});

// Source: https://aws.amazon.com/s3/faqs/#Billing (quantities), at the prices of
// https://aws.amazon.com/s3/pricing/
describe('the billing examples of S3', () => {
  it('storage: 100 GB for 15 days of March and 100 TB for 16, across a tier', () => {
    const byteHours = 100n * GiB * 15n * 24n + 102_400n * GiB * 16n * 24n;
    expect(byteHours).toBe(42_259_901_212_262_400n);
    const invoice = makeInvoice(
      usageOf({ 'storage/STANDARD': byteHours }),
      card('aws-s3-us-east-1'),
      MARCH,
    );
    expect(divideRounded(invoice.lines[0]?.units ?? 0n, 10n ** 12n)).toBe(52_900n);
    // 51,200 GB at $0.023 and 1,700 at $0.022.
    expect(formatMicro(invoice.totalMicro)).toBe('1215.00');
  });

  it('versions: 4 GB for 31 days and 5 GB for 16', () => {
    const byteHours = 4n * GiB * 31n * 24n + 5n * GiB * 16n * 24n;
    expect(byteHours).toBe(5_257_039_970_304n);
    expect(bill('aws-s3-us-east-1', { 'storage/STANDARD': byteHours })).toBe('0.15');
  });

  it('requests: 10,000 files in and 20,000 out each day of March', () => {
    expect(bill('aws-s3-us-east-1', { 'class-a/STANDARD': 310_000n })).toBe('1.55');
    expect(bill('aws-s3-us-east-1', { 'class-b/STANDARD': 620_000n })).toBe('0.25');
    expect(bill('aws-s3-us-east-1', { 'free/STANDARD': 5000n })).toBe('0.00');
  });

  it('transfer: 1 TB out each day of March', () => {
    // 10,240 GB at $0.09 and 21,504 at $0.085.
    expect(bill('aws-s3-us-east-1', { 'egress/edge': 31n * 1024n * GiB })).toBe('2749.44');
  });
});

// Sources: the cards' own. Prices as published, quantities ours where no example is.
describe('the other cards', () => {
  // Source: https://help.aliyun.com/document_detail/109686.html, case 1: 505 GB, 1,000 reads an
  // hour, 5 GB a day.
  it("OSS: the billing case of a site's static files, 151.47", () => {
    const quantities = {
      'storage/STANDARD': 505n * GiB * 720n,
      'class-b/STANDARD': 1000n * 24n * 30n,
      'egress/bucket': 5n * 30n * GiB,
    } as const;
    expect(bill('alibaba-oss-cn-hangzhou', quantities)).toBe('151.47');
  });

  it('B2: a TB for 30 days, and downloads beyond three times what is stored', () => {
    const stored = {
      'storage/STANDARD': 1010n * GB * 720n,
      'class-a/STANDARD': 10n ** 9n,
    } as const;
    expect(bill('backblaze-b2', stored)).toBe('6.95');
    expect(bill('backblaze-b2', { ...stored, 'egress/edge': 3030n * GB })).toBe('6.95');
    expect(
      bill('backblaze-b2', { ...stored, 'egress/edge': 3000n * GB, 'egress/bucket': 130n * GB }),
    ).toBe('7.95');
  });

  it('Bunny: a month costs a dollar at least, unless nothing at all was used', () => {
    const month = 744n;
    const quantities = { 'storage/STANDARD': 60n * GB * month, 'egress/edge': 20n * GB } as const;
    const invoice = makeInvoice(usageOf(quantities), card('bunny-storage'), MARCH);
    expect([invoice.minimumMicro, invoice.totalMicro]).toEqual([200_000n, 1_000_000n]);
    expect(
      bill('bunny-storage', { 'storage/STANDARD': 600n * GB * month, 'egress/edge': 20n * GB }),
    ).toBe('6.20');
    expect(bill('bunny-storage', { 'storage/STANDARD': 0n })).toBe('0.00');
  });

  it('a minimum is not owed for what strangers were refused', () => {
    const refused = { 'free/blocked': 5_000n } as const;
    expect(bill('bunny-storage', refused)).toBe('0.00');
    expect(bill('bunny-storage', { ...refused, 'class-b/STANDARD': 1n })).toBe('1.00');
    const { unpriced } = makeInvoice(usageOf(refused), card('bunny-storage'), MARCH);
    expect(unpriced).toEqual(usageOf(refused));
  });

  it('R2 says where R2 differs', () => {
    const notes = card('cloudflare-r2').notes.join(' ');
    for (const subject of ['each day', 'cache', 'fail', 'Buckets'])
      expect(notes).toContain(subject);
  });

  it('ship beside R2 and S3', () => {
    expect(RATE_CARDS.map(({ id }) => id)).toEqual([
      'cloudflare-r2',
      'aws-s3-us-east-1',
      'backblaze-b2',
      'bunny-storage',
      'alibaba-oss-cn-hangzhou',
    ]);
  });
});

describe('an invoice', () => {
  const s3 = card('aws-s3-us-east-1');

  it('adds up, never falls with more usage, and is the same again', () => {
    fc.assert(
      fc.property(anyUsage, anyUsage, (a, b) => {
        const invoice = makeInvoice(a, s3, MARCH);
        expect(invoice.lines.reduce((sum, line) => sum + line.amountMicro, 0n)).toBe(
          invoice.totalMicro,
        );
        expect(makeInvoice(addUsage(a, b), s3, MARCH).totalMicro).toBeGreaterThanOrEqual(
          invoice.totalMicro,
        );
        expect(makeInvoice(new Map([...a].reverse()), s3, MARCH)).toEqual(invoice);
      }),
    );
  });

  it('takes credits in order, and none below nothing', () => {
    const credits = [
      { id: 'a', label: 'welcome', amountMicro: 1_000_000n },
      { id: 'b', label: 'more', amountMicro: 5_000_000n },
      { id: 'c', label: 'not needed', amountMicro: 5_000_000n },
    ];
    const invoice = makeInvoice(usageOf({ 'class-a/STANDARD': 310_000n }), s3, MARCH, credits);
    expect(invoice.credits).toEqual([
      credits[0],
      { id: 'b', label: 'more', amountMicro: 550_000n },
    ]);
    expect(invoice.totalMicro).toBe(0n);
  });

  it('shows each tier, and they add up', () => {
    const { lines } = makeInvoice(usageOf({ 'egress/edge': 31n * 1024n * GiB }), s3, MARCH);
    expect(lines.at(-1)?.parts).toEqual([
      { tier: 0, units: 10_240n * SCALE, price: 90_000_000_000n, amountMicro: 921_600_000n },
      { tier: 1, units: 21_504n * SCALE, price: 85_000_000_000n, amountMicro: 1_827_840_000n },
    ]);
    fc.assert(
      fc.property(anyUsage, (quantities) => {
        for (const line of makeInvoice(quantities, s3, MARCH).lines) {
          expect(line.parts.reduce((sum, part) => sum + part.amountMicro, 0n)).toBe(
            line.amountMicro,
          );
        }
      }),
    );
  });

  it('shows what is free as a part of its own', () => {
    const { lines } = makeInvoice(
      usageOf({ 'class-b/STANDARD': 12_500_001n }),
      card('cloudflare-r2'),
      MARCH,
    );
    expect(lines.find((line) => line.meters.includes('class-b/STANDARD'))?.parts).toEqual([
      { tier: null, units: 10n * SCALE, price: 0n, amountMicro: 0n },
      { tier: 0, units: 3n * SCALE, price: 360_000_000_000n, amountMicro: 1_080_000n },
    ]);
  });

  it('shows what the card has no price for', () => {
    const invoice = makeInvoice(usageOf({ 'storage/GLACIER': 5n, 'free/STANDARD': 0n }), s3, MARCH);
    expect([...invoice.unpriced]).toEqual([['storage/GLACIER', 5n]]);
  });

  it('knows the hours of months', () => {
    expect([
      hoursOf({ year: 2028, month: 2 }),
      hoursOf({ year: 2026, month: 12 }),
      hoursOf(MARCH),
    ]).toEqual([696n, 744n, 744n]);
  });
});

describe('decimals', () => {
  it.each([
    ['0.015', 15_000_000_000n],
    ['3', 3_000_000_000_000n],
    ['0.000000000001', 1n],
  ] as const)('are read exactly: %s', (text, scaled) => {
    expect(parseDecimal(text)).toBe(scaled);
  });

  it.each(['', '.5', '1.', '-1', '1e3', ' 1', '0.0000000000001', 0.5, null])(
    'refuse %j',
    (value) => {
      expect(parseDecimal(value)).toBe(null);
    },
  );

  it('show money as people do', () => {
    expect([
      formatMicro(1_234_567n),
      formatMicro(-5_000n),
      formatMicro(4_999n),
      formatMicro(7n, 6),
    ]).toEqual(['1.23', '-0.01', '0.00', '0.000007']);
  });
});

describe('a rate card', () => {
  const line = {
    label: 'x',
    meters: ['storage/STANDARD'],
    unit: { name: 'GB', size: 1 },
    tiers: [{ price: '1' }],
  };
  const good = {
    id: 'x',
    name: 'x',
    currency: 'USD',
    source: 'https://example.com/',
    asOf: '2026-01-01',
    monthHours: 720,
    lines: [line],
  };

  it.each<[string, unknown]>([
    ['no object', 3],
    ['no lines', { ...good, lines: [] }],
    ['a price that is a number', { ...good, lines: [{ ...line, tiers: [{ price: 0.1 }] }] }],
    [
      'a tier behind the end',
      { ...good, lines: [{ ...line, tiers: [{ price: '1' }, { price: '2' }] }] },
    ],
    [
      'tiers that fall',
      {
        ...good,
        lines: [
          {
            ...line,
            tiers: [{ upTo: '5', price: '1' }, { upTo: '5', price: '1' }, { price: '2' }],
          },
        ],
      },
    ],
    ['an end', { ...good, lines: [{ ...line, tiers: [{ upTo: '5', price: '1' }] }] }],
    ['a meter that is none', { ...good, lines: [{ ...line, meters: ['water/cold'] }] }],
    ['a meter twice', { ...good, lines: [line, line] }],
    ['a source that is no link', { ...good, source: 'me' }],
    ['a month of no hours', { ...good, monthHours: 0 }],
    ['a minimum that is a number', { ...good, minimum: 1 }],
    ['notes that are none', { ...good, notes: ['a\nb'] }],
    [
      'an allowance of what is stored, for storage',
      {
        ...good,
        lines: [
          {
            ...line,
            unit: { ...line.unit, perMonth: true },
            freePerStored: { meters: ['storage/STANDARD'], times: '3' },
          },
        ],
      },
    ],
    [
      'an allowance of what is not stored',
      { ...good, lines: [{ ...line, freePerStored: { meters: ['egress/edge'], times: '3' } }] },
    ],
  ])('is refused with %s', (_, json) => {
    expect(() => parseRateCard(json)).toThrow(RateCardError);
  });

  it('is taken otherwise', () => {
    expect(parseRateCard(good).lines).toHaveLength(1);
  });
});
