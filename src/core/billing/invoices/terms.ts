// The terms of a bill: who bills whom, by what tax, and until when it is to be
// paid. Settings may change; the terms that held when a month was closed are frozen
// in its bill.
import type { Account, AccountId } from '../../../domain/nouns.ts';
import { DAY_MS } from '../../../domain/time.ts';
import type { Core } from '../../core.ts';
import { coinOf, wholeCoins } from '../coins.ts';
import { divideRounded, formatDecimal, parseDecimal, SCALE } from '../decimal.ts';
import { dayText } from '../month.ts';

/** A company or person on a bill. Empty texts are not known. */
export type Party = {
  readonly name: string;
  /** Lines, with line feeds between. */
  readonly address: string;
  /** ISO 3166-1, two capital letters. */
  readonly country: string;
  readonly taxId: string;
};

/** Who issues all bills of this server, and how. The operator's. */
export type Issuer = Party & {
  /** How to pay: a bank account, say. */
  readonly paymentNote: string;
  readonly dueDays: number;
  /** Beginnings of numbers; each ends with no digit, and they differ. */
  readonly invoicePrefix: string;
  readonly creditNotePrefix: string;
  /** Decimals: of buyers of a country that `taxPercentByCountry` does not name. */
  readonly taxPercent: string;
  readonly taxPercentByCountry: Readonly<Record<string, string>>;
  readonly reverseChargeNote: string;
};

/** What the operator set for one account; null: by the issuer's rates. */
export type AccountTax = {
  readonly percent: string | null;
  /**
   * The buyer's tax id that the operator has checked: while it is the buyer's, the
   * tax is the buyer's to pay. A buyer that changes it pays tax until the new one
   * is checked.
   */
  readonly reverseChargeTaxId: string | null;
};

/** Frozen in a closed bill. */
export type Terms = {
  readonly seller: Party;
  readonly buyer: Party;
  readonly paymentNote: string;
  /** A day, UTC; null while the month is open. */
  readonly dueOn: string | null;
  readonly taxPercent: string;
  /** The sentence of reverse charge; null: the tax is on the bill. */
  readonly reverseChargeNote: string | null;
};

export type Parties = {
  readonly issuer: Issuer;
  /** Null: the buyer said nothing, and is called by the account's name. */
  readonly buyer: Party | null;
  readonly tax: AccountTax;
};

export const NO_TAX_OF_ITS_OWN: AccountTax = { percent: null, reverseChargeTaxId: null };

/** What holds until the operator says otherwise. */
const defaultIssuer = (name: string): Issuer => ({
  name,
  address: '',
  country: '',
  taxId: '',
  paymentNote: '',
  dueDays: 14,
  invoicePrefix: 'QS-',
  creditNotePrefix: 'QS-CN-',
  taxPercent: '0',
  taxPercentByCountry: {},
  reverseChargeNote: 'Reverse charge: the recipient is liable for the tax.',
});

/**
 * Reads the parties as they are now, with the JSON that is stored. Cost: a
 * directory read.
 */
export async function readParties(core: Core, accountId: AccountId) {
  const stored = await core.ports.directory.call('getParties', { accountId });
  const parse = <Value>(json: string | null): Value | null =>
    json === null ? null : (JSON.parse(json) as Value);
  const parties: Parties = {
    issuer: parse<Issuer>(stored.issuer) ?? defaultIssuer(core.settings.invoiceIssuer),
    buyer: parse<Party>(stored.buyer),
    tax: parse<AccountTax>(stored.tax) ?? NO_TAX_OF_ITS_OWN,
  };
  return { stored, parties };
}

/** Makes the terms of a bill. Pure. `closedAtMs` null: the month is open. */
export function makeTerms(account: Account, parties: Parties, closedAtMs: number | null): Terms {
  const { issuer, tax } = parties;
  const { name, address, country, taxId } = issuer;
  const accountAsBuyer = { name: account.displayName, address: '', country: '', taxId: '' };
  const buyer = parties.buyer ?? accountAsBuyer;

  const isReversed = buyer.taxId !== '' && buyer.taxId === tax.reverseChargeTaxId;
  const byCountry = Object.hasOwn(issuer.taxPercentByCountry, buyer.country)
    ? issuer.taxPercentByCountry[buyer.country]
    : undefined;

  return {
    seller: { name, address, country, taxId },
    buyer,
    paymentNote: issuer.paymentNote,
    dueOn: closedAtMs === null ? null : dayText(closedAtMs + issuer.dueDays * DAY_MS),
    taxPercent: isReversed ? '0' : plainDecimal(tax.percent ?? byCountry ?? issuer.taxPercent),
    reverseChargeNote: isReversed ? issuer.reverseChargeNote : null,
  };
}

/**
 * The shortest text of a decimal: `19` of `19.00`, so that a rate of 0 is known by
 * its text.
 */
const plainDecimal = (text: string): string => formatDecimal(parseDecimal(text) ?? 0n);

/** The amounts to pay, in whole coins. */
export type Amounts = {
  readonly netMicro: bigint;
  readonly taxMicro: bigint;
  readonly payableMicro: bigint;
};

/**
 * The amounts of a bill: its total rounded down to a coin, the tax on that to the
 * nearest coin (halves up), and both together. A bill without terms is an old one,
 * and has no tax.
 */
export function amountsOf(totalMicro: bigint, currency: string, terms: Terms | null): Amounts {
  const netMicro = wholeCoins(totalMicro, currency);
  const percent = parseDecimal(terms?.taxPercent) ?? 0n;
  const coin = coinOf(currency);
  const taxMicro = divideRounded((netMicro / coin) * percent, 100n * SCALE) * coin;
  return { netMicro, taxMicro, payableMicro: netMicro + taxMicro };
}
