// Credit notes: money of a closed bill that need not be paid, or is paid back, with the tax on it.
// The bill itself never changes. A void takes back all that is left, and may be followed by a bill
// in its place: of the same usage, card and credits, by the terms of now, because what was wrong is
// mostly an address or a tax.

import type { NewInvoice, StoredCreditNote } from '../../../domain/billing/billing.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { Account } from '../../../domain/nouns.ts';
import type { Core } from '../../core.ts';
import { coinOf, wholeCoins } from '../coins.ts';
import { divideRounded } from '../decimal.ts';
import { type BillingMonth, monthText } from '../month.ts';
import { newInvoice } from './close-month.ts';
import type { InvoiceDocument } from './invoice-document.ts';
import { parseStoredInvoice } from './invoice-json.ts';
import { amountsOf, makeTerms, readParties, type Terms } from './terms.ts';

/** Notes of the same bill that may come between. */
const ATTEMPTS = 3;

export type CreditNoteDocument = {
  readonly number: string;
  readonly issuedAtMs: number;
  readonly accountId: string;
  readonly accountName: string;
  readonly period: string;
  readonly invoiceNumber: string;
  readonly isVoid: boolean;
  readonly reason: string;
  readonly currency: string;
  /** What is taken back, if it was said by lines of the bill. */
  readonly lines: readonly { readonly label: string; readonly amountMicro: bigint }[];
  readonly netMicro: bigint;
  readonly taxMicro: bigint;
  /** The bill's: the note goes by its seller, buyer and tax. */
  readonly terms: Terms | null;
};

/**
 * What is taken back: an amount without tax, lines by their positions in the bill, or all that is
 * left.
 */
export type CreditRequest = {
  readonly reason: string;
  readonly part: { readonly netMicro: bigint } | { readonly lines: readonly number[] } | null;
};

/** NoSuchInvoice; InvalidInput for more than is left, and for what is no amount in coins. */
export async function creditInvoice(
  core: Core,
  account: Account,
  period: BillingMonth,
  { reason, part }: CreditRequest,
): Promise<CreditNoteDocument> {
  const { note } = await issueNote(core, account, period, ({ invoice }, leftMicro) => {
    const { currency } = invoice;
    const lines =
      part !== null && 'lines' in part ? part.lines.map((at) => lineOf(invoice, at)) : [];
    const sumMicro = lines.reduce((sum, { amountMicro }) => sum + amountMicro, 0n);
    const byLines = part !== null && 'lines' in part ? wholeCoins(sumMicro, currency) : null;
    const netMicro = part !== null && 'netMicro' in part ? part.netMicro : (byLines ?? leftMicro);
    if (netMicro <= 0n || netMicro % coinOf(currency) !== 0n) {
      throw new StorageError('InvalidInput', {
        detail: 'What is taken back must be whole coins, and more than 0.',
      });
    }
    return { netMicro, lines, reason, isVoid: false, reissue: null };
  });
  return note;
}

/**
 * Takes back all that is left of a bill, and what it took of the account's credits is given back.
 * With `isReissued` another bill takes its place in the same commit. NoSuchInvoice, InvalidInput.
 */
export async function voidInvoice(
  core: Core,
  account: Account,
  period: BillingMonth,
  { reason, isReissued }: { readonly reason: string; readonly isReissued: boolean },
): Promise<{ readonly note: CreditNoteDocument; readonly invoice: InvoiceDocument | null }> {
  const { parties } = await readParties(core, account.id);
  return issueNote(core, account, period, (document, leftMicro) => {
    const closedAtMs = core.ports.clock.nowMs();
    const terms = makeTerms(account, parties, closedAtMs);
    const again = {
      ...document,
      accountName: account.displayName,
      issue: document.issue + 1,
      terms,
      closedAtMs,
    };
    const reissue = isReissued ? newInvoice(again, parties.issuer.invoicePrefix) : null;
    return { netMicro: leftMicro, lines: [], reason, isVoid: true, reissue };
  });
}

type Draft = Pick<CreditNoteDocument, 'netMicro' | 'lines' | 'reason' | 'isVoid'> & {
  readonly reissue: NewInvoice | null;
};

async function issueNote(
  core: Core,
  account: Account,
  period: BillingMonth,
  draftOf: (document: InvoiceDocument, leftMicro: bigint) => Draft,
) {
  const { directory, ids, clock } = core.ports;
  const at = { accountId: account.id, period: monthText(period) };
  const { parties } = await readParties(core, account.id);
  const id = ids.recordId();
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const stored = await directory.call('getInvoice', at);
    if (stored === null) throw new StorageError('NoSuchInvoice');
    if (stored.isVoid)
      throw new StorageError('InvalidInput', { detail: `${stored.number} is void already.` });
    const document = parseStoredInvoice(stored);
    const notes = await directory.call('listNotesOf', { ...at, issue: stored.issue });
    const { reissue, ...draft } = requireLeft(document, notes, draftOf);
    const taxMicro = taxOf(document, notes, draft.netMicro);
    const { currency } = document.invoice;
    const written = {
      ...draft,
      taxMicro,
      invoiceNumber: stored.number,
      accountName: document.accountName,
    };
    const issuedAtMs = clock.nowMs();
    const note = {
      id,
      period: at.period,
      issue: stored.issue,
      isVoid: draft.isVoid,
      currency,
      netMicro: String(draft.netMicro),
      taxMicro: String(taxMicro),
      issuedAtMs,
      json: writeNote({ ...written, accountId: account.id, terms: document.terms }),
    };
    const prefix = parties.issuer.creditNotePrefix;
    const kept = await directory.call('keepCreditNote', {
      ...{ accountId: account.id, note, prefix, noteCount: notes.length, reissue },
    });
    if (kept !== null) {
      return {
        note: parseCreditNote(kept.note),
        invoice: kept.invoice === null ? null : parseStoredInvoice(kept.invoice),
      };
    }
  }
  throw new StorageError('ConditionalRequestConflict');
}

const sumOf = (notes: readonly StoredCreditNote[], name: 'netMicro' | 'taxMicro'): bigint =>
  notes.reduce((sum, note) => sum + BigInt(note[name]), 0n);

function requireLeft(
  document: InvoiceDocument,
  notes: readonly StoredCreditNote[],
  draftOf: (document: InvoiceDocument, leftMicro: bigint) => Draft,
): Draft {
  const { invoice, terms } = document;
  const { netMicro } = amountsOf(invoice.totalMicro, invoice.currency, terms);
  const leftMicro = netMicro - sumOf(notes, 'netMicro');
  const draft = draftOf(document, leftMicro);
  if (draft.netMicro <= leftMicro) return draft;
  throw new StorageError('InvalidInput', {
    detail: `Of ${document.number} no more than ${leftMicro} micro-units are left without tax.`,
  });
}

/**
 * The tax of a part: that of all parts so far with this one, less that of those before. So all
 * parts together take back the whole tax, to the coin.
 */
function taxOf(
  { invoice, terms }: InvoiceDocument,
  notes: readonly StoredCreditNote[],
  netMicro: bigint,
): bigint {
  const all = amountsOf(invoice.totalMicro, invoice.currency, terms);
  if (all.netMicro === 0n) return 0n;
  const coin = coinOf(invoice.currency);
  const takenMicro = sumOf(notes, 'netMicro') + netMicro;
  const upTo = divideRounded((all.taxMicro / coin) * takenMicro, all.netMicro) * coin;
  return upTo - sumOf(notes, 'taxMicro');
}

function lineOf({ lines }: InvoiceDocument['invoice'], at: number) {
  const line = lines[at];
  if (line === undefined)
    throw new StorageError('InvalidInput', { detail: `The invoice has no line ${at}.` });
  return { label: line.label, amountMicro: line.amountMicro };
}

/** What is kept of a note beside its row. */
type NoteJson = Pick<
  CreditNoteDocument,
  'accountId' | 'accountName' | 'invoiceNumber' | 'reason' | 'terms'
> & {
  readonly lines: readonly { readonly label: string; readonly amountMicro: string }[];
};

function writeNote(note: Omit<NoteJson, 'lines'> & Pick<CreditNoteDocument, 'lines'>): string {
  const { accountId, accountName, invoiceNumber, reason, terms } = note;
  const lines = note.lines.map(({ label, amountMicro }) => ({
    label,
    amountMicro: String(amountMicro),
  }));
  return JSON.stringify({
    accountId,
    accountName,
    invoiceNumber,
    reason,
    lines,
    terms,
  } satisfies NoteJson);
}

/** A note as the directory gives it. */
export function parseCreditNote(stored: StoredCreditNote): CreditNoteDocument {
  const { number, period, isVoid, currency, netMicro, taxMicro, issuedAtMs } = stored;
  const { lines, ...json } = JSON.parse(stored.json) as NoteJson;
  return {
    ...json,
    ...{ number, period, isVoid, currency, issuedAtMs },
    lines: lines.map(({ label, amountMicro }) => ({ label, amountMicro: BigInt(amountMicro) })),
    netMicro: BigInt(netMicro),
    taxMicro: BigInt(taxMicro),
  };
}
