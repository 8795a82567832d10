import { describe, expect, it } from 'vitest';
import { RATE_CARDS } from '../../src/core/billing/prices/rate-cards.ts';
import { tariffOf } from '../../src/core/billing/receipts/tariffs.ts';
import { FREE_RECEIPT, receiptHeader } from '../../src/http/receipt-header.ts';
import { parseItemList } from '../wire/kit/structured-fields.ts';

const [card] = RATE_CARDS;
if (card === undefined) throw new Error('No card ships.');
const header = (n: bigint, amountMicro: bigint) =>
  receiptHeader(
    {
      operationClass: 'B',
      price: {
        period: '2026-11',
        tariff: tariffOf(card),
        parts: [
          { meter: 'class-b/STANDARD_IA', quantity: 1n, amountMicro: 1n },
          { meter: 'egress/bucket', quantity: n, amountMicro },
        ],
      },
    },
    'REQ1',
  );

/** Members of a dictionary whose values are items, as list items: `a=1` is `a;v=1` there. */
function membersOf(text: string) {
  const inner = /used=\(([^)]*)\)/.exec(text)?.[1] ?? '';
  const items = text.replace(/, used=\([^)]*\)/, '').replace(/(^|, )([a-z]+)=/g, '$1$2;v=');
  return {
    members: Object.fromEntries(
      parseItemList(items).map(({ value, parameters }) => [
        (value as { token: string }).token,
        parameters.get('v'),
      ]),
    ),
    used: inner === '' ? [] : parseItemList(inner.replaceAll(' ', ', ')),
  };
}

describe('the header of a receipt', () => {
  it('is a dictionary of structured fields, whose parts add up', () => {
    const text = header(2n ** 20n, 36n);
    expect(text).toBe(
      'class=B, amount=37, currency=USD, card="cloudflare-r2", period="2026-11", ' +
        'used=(class-b/STANDARD_IA;n=1;amount=1 egress/bucket;n=1048576;amount=36), id="REQ1"',
    );
    const { members, used } = membersOf(text);
    expect(members).toMatchObject({
      amount: 37,
      card: 'cloudflare-r2',
      id: 'REQ1',
      class: { token: 'B' },
    });
    expect(
      used.map(({ value, parameters }) => [value, parameters.get('n'), parameters.get('amount')]),
    ).toEqual([
      [{ token: 'class-b/STANDARD_IA' }, 1, 1],
      [{ token: 'egress/bucket' }, 2 ** 20, 36],
    ]);
  });

  it('writes as text what no integer there can hold', () => {
    const { members, used } = membersOf(header(10n ** 15n - 1n, 10n ** 15n));
    expect(members.amount).toBe('1000000000000001');
    expect([used[1]?.parameters.get('n'), used[1]?.parameters.get('amount')]).toEqual([
      10 ** 15 - 1,
      '1000000000000000',
    ]);
  });

  it('says so when there is no price, and what is free', () => {
    const text = receiptHeader({ operationClass: 'A', price: null }, 'REQ1');
    expect(text).toBe('class=A, unavailable, id="REQ1"');
    expect(membersOf(FREE_RECEIPT).members).toEqual({ class: { token: 'free' }, amount: 0 });
  });
});
