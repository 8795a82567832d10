// Credit notes: money of a closed bill that need not be paid, or is paid back, with
// the tax on it. The bill itself never changes. A void takes back all that is left.
// Another bill may take its place: of the same usage, card and credits, by today's
// terms, because what was wrong is mostly an address or a tax.

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

/**
 * Attempts at storing a note while other notes of the same bill are stored at once.
 */
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
 * What is taken back: an amount without tax, lines by their positions in the bill,
 * or all that is left.
 */
export type CreditRequest = {
  readonly reason: string;
  readonly part: { readonly netMicro: bigint } | { readonly lines: readonly number[] } | null;
};

/**
 * Issues a credit note for a part of a bill. NoSuchInvoice; InvalidInput for more
 * than is left, and for an amount that is not in whole coins.
 */
export async function creditInvoice(
  core: Core,
  account: Account,
  period: BillingMonth,
  { reason, part }: CreditRequest,
): Promise<CreditNoteDocument> {
  const { note } = await issueNote(core, account, period, ({ invoice }, leftMicro) => {
    const { currency } = invoice;
    const positions = part !== null && 'lines' in part ? part.lines : null;
    const lines = (positions ?? []).map((position) => lineOf(invoice, position));
    const sumMicro = lines.reduce((sum, { amountMicro }) => sum + amountMicro, 0n);

    let netMicro = positions === null ? leftMicro : wholeCoins(sumMicro, currency);
    if (part !== null && 'netMicro' in part) netMicro = part.netMicro;
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
 * Voids a bill: takes back all that is left of it, and returns the credits that it
 * took. With `isReissued` another bill takes its place in the same commit.
 * NoSuchInvoice, InvalidInput.
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
    const replacement = {
      ...document,
      accountName: account.displayName,
      issue: document.issue + 1,
      terms,
      closedAtMs,
    };
    const reissue = isReissued ? newInvoice(replacement, parties.issuer.invoicePrefix) : null;
    return { netMicro: leftMicro, lines: [], reason, isVoid: true, reissue };
  });
}

type Draft = Pick<CreditNoteDocument, 'netMicro' | 'lines' | 'reason' | 'isVoid'> & {
  readonly reissue: NewInvoice | null;
};

/**
 * Stores the note that `draftOf` makes, optimistically: again from the start when
 * it changed.
 */
async function issueNote(
  core: Core,
  account: Account,
  period: BillingMonth,
  draftOf: (document: InvoiceDocument, leftMicro: bigint) => Draft,
) {
  const { directory, ids, clock } = core.ports;
  const invoiceKey = { accountId: account.id, period: monthText(period) };
  const { parties } = await readParties(core, account.id);
  const id = ids.recordId();
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const invoice = await directory.call('getInvoice', invoiceKey);
    if (invoice === null) throw new StorageError('NoSuchInvoice');
    if (invoice.isVoid)
      throw new StorageError('InvalidInput', { detail: `${invoice.number} is void already.` });

    const document = parseStoredInvoice(invoice);
    const notes = await directory.call('listNotesOf', { ...invoiceKey, issue: invoice.issue });
    const { reissue, ...draft } = requireLeft(document, notes, draftOf);
    const note = {
      id,
      period: invoiceKey.period,
      issue: invoice.issue,
      isVoid: draft.isVoid,
      currency: document.invoice.currency,
      netMicro: String(draft.netMicro),
      taxMicro: String(taxOf(document, notes, draft.netMicro)),
      issuedAtMs: clock.nowMs(),
      json: writeNote({
        accountId: account.id,
        accountName: document.accountName,
        invoiceNumber: invoice.number,
        reason: draft.reason,
        lines: draft.lines,
        terms: document.terms,
      }),
    };

    const stored = await directory.call('keepCreditNote', {
      accountId: account.id,
      note,
      prefix: parties.issuer.creditNotePrefix,
      noteCount: notes.length,
      reissue,
    });
    if (stored !== null) {
      return {
        note: parseCreditNote(stored.note),
        invoice: stored.invoice === null ? null : parseStoredInvoice(stored.invoice),
      };
    }
  }
  throw new StorageError('ConditionalRequestConflict');
}

const sumOf = (notes: readonly StoredCreditNote[], name: 'netMicro' | 'taxMicro'): bigint =>
  notes.reduce((sum, note) => sum + BigInt(note[name]), 0n);

/**
 * Makes the draft, and refuses one that takes back more than is left of the bill.
 */
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
 * The tax of a part: the tax of all parts with this one, less that of the parts
 * before. All parts together therefore take back the whole tax, to the coin.
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

function lineOf({ lines }: InvoiceDocument['invoice'], position: number) {
  const line = lines[position];
  if (line === undefined)
    throw new StorageError('InvalidInput', { detail: `The invoice has no line ${position}.` });
  return { label: line.label, amountMicro: line.amountMicro };
}

/** Fields of a note that are stored as JSON, beside the columns of its row. */
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

/** Reads a note from its row in the directory. */
export function parseCreditNote(stored: StoredCreditNote): CreditNoteDocument {
  const { number, period, isVoid, currency, netMicro, taxMicro, issuedAtMs } = stored;
  const { lines, ...json } = JSON.parse(stored.json) as NoteJson;
  return {
    ...json,
    number,
    period,
    isVoid,
    currency,
    issuedAtMs,
    lines: lines.map(({ label, amountMicro }) => ({ label, amountMicro: BigInt(amountMicro) })),
    netMicro: BigInt(netMicro),
    taxMicro: BigInt(taxMicro),
  };
}
