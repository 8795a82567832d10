// A bill or credit note as a sheet to read and print. HTML and PDF are both made of
// it, so that the two say the same. No format here.
import { formatCoins } from '../coins.ts';
import { formatMicro } from '../decimal.ts';
import type { CreditNoteDocument } from '../invoices/credit-note.ts';
import type { InvoiceDocument } from '../invoices/invoice-document.ts';
import { type Amounts, amountsOf, type Party, type Terms } from '../invoices/terms.ts';
import { dayText } from '../month.ts';
import { amountRow, type InvoiceRow, invoiceRows, periodDays } from './invoice-rows.ts';

export type Sheet = {
  readonly title: string;
  readonly author: string;
  /** When it was made, milliseconds; of an open bill 0. */
  readonly madeAtMs: number;
  /** Names and values; a value may have several lines. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly caption: string;
  readonly currency: string;
  readonly rows: readonly InvoiceRow[];
  readonly sums: readonly (readonly [name: string, amount: string])[];
  readonly notes: readonly string[];
};

/**
 * Makes the sheet of a bill. `issuer`: who sends an old bill, which has no terms.
 */
export function invoiceSheet(document: InvoiceDocument, issuer: string): Sheet {
  const { invoice, card, terms, closedAtMs } = document;
  const { first, last } = periodDays(document);
  const { currency } = invoice;
  const kind = closedAtMs === null ? 'Open bill' : document.isVoid ? 'Void invoice' : 'Invoice';
  const amounts = amountsOf(invoice.totalMicro, currency, terms);
  const due = terms?.dueOn ?? null;
  return {
    title: `${kind} ${document.number}`,
    author: terms?.seller.name ?? issuer,
    madeAtMs: closedAtMs ?? 0,
    facts: [
      ...partyFacts(terms, issuer),
      ['Account', `${document.accountName}\n${document.accountId}`],
      ['Period', `${first} to ${last}, UTC`],
      ['Closed', closedAtMs === null ? 'not yet: the month is not over' : dayText(closedAtMs)],
      ...(due === null || document.isVoid ? [] : [['Due', due] as const]),
      ['Prices', `${card.name}, as of ${card.asOf}`],
    ],
    caption: 'What was used',
    currency,
    rows: invoiceRows(document),
    sums: [
      ['Total', formatMicro(invoice.totalMicro, 6)],
      ...amountSums(amounts, currency, terms, 'To pay'),
    ],
    notes: [
      ...(document.isVoid ? ['This invoice is void. A credit note has taken all of it back.'] : []),
      ...termNotes(terms),
      `Prices from ${card.source}`,
      ...card.notes,
    ],
  };
}

/**
 * Makes the sheet of a credit note. `issuer`: who sends one of an old bill, without
 * terms.
 */
export function creditNoteSheet(note: CreditNoteDocument, issuer: string): Sheet {
  const { currency, netMicro, taxMicro, terms } = note;
  const whole = amountRow('credit', `Of invoice ${note.invoiceNumber}`, -netMicro);
  const amounts = { netMicro: -netMicro, taxMicro: -taxMicro, payableMicro: -netMicro - taxMicro };
  return {
    title: `Credit note ${note.number}`,
    author: terms?.seller.name ?? issuer,
    madeAtMs: note.issuedAtMs,
    facts: [
      ...partyFacts(terms, issuer),
      ['Account', `${note.accountName}\n${note.accountId}`],
      ['For invoice', `${note.invoiceNumber}, of ${note.period}`],
      ['Issued', dayText(note.issuedAtMs)],
      ['Reason', note.reason],
    ],
    caption: note.isVoid ? 'The invoice is void' : 'What is taken back',
    currency,
    rows:
      note.lines.length === 0
        ? [whole]
        : note.lines.map(({ label, amountMicro }) => amountRow('credit', label, -amountMicro)),
    sums: amountSums(amounts, currency, terms, 'In your favour'),
    notes: terms?.reverseChargeNote == null ? [] : [terms.reverseChargeNote],
  };
}

function partyFacts(terms: Terms | null, issuer: string): Sheet['facts'] {
  if (terms === null) return [['From', issuer]];
  return [
    ['From', partyText(terms.seller)],
    ['To', partyText(terms.buyer)],
  ];
}

function partyText({ name, address, country, taxId }: Party): string {
  const lines = [name, address, country, taxId === '' ? '' : `Tax id ${taxId}`];
  return lines.filter((line) => line !== '').join('\n');
}

function amountSums(
  amounts: Amounts,
  currency: string,
  terms: Terms | null,
  last: string,
): Sheet['sums'] {
  const coins = (amountMicro: bigint) => formatCoins(amountMicro, currency);
  const payable = [last, coins(amounts.payableMicro)] as const;
  if (terms === null || (terms.taxPercent === '0' && terms.reverseChargeNote === null))
    return [payable];
  const tax =
    terms.reverseChargeNote === null ? `Tax, ${terms.taxPercent} %` : 'Tax, reverse charge';
  return [
    ['Net, rounded down to a coin', coins(amounts.netMicro)],
    [tax, coins(amounts.taxMicro)],
    payable,
  ];
}

function termNotes(terms: Terms | null): readonly string[] {
  const notes = terms === null ? [] : [terms.reverseChargeNote ?? '', terms.paymentNote];
  return notes.filter((note) => note !== '');
}
