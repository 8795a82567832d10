// What the ledger needs of the rules of prices. Both platforms hand it to the ledger
// where its database is.
import type { LedgerRules } from '../ports/ledger.ts';
import { priceReceipt } from './billing/receipts/price-receipt.ts';
import { decideLeases } from './caps/allowances.ts';

export const LEDGER_RULES: LedgerRules = { priceReceipt, decideLeases };
