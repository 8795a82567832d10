// Receipts: the cost of a request, for callers who want it and may know it.
// respond.ts waits for the receipt of a response that is marked here. Errors are
// free for everybody, and say so.
import { RECEIPT, RECEIPT_PARAMETER } from '../../receipt-header.ts';
import { freeReceiptOfFailure, hasReceipt } from '../headers/receipt-request.ts';
import type { Feature } from './feature.ts';

export const RECEIPTS: Feature = {
  triggers: [
    { kind: 'header', name: RECEIPT },
    { kind: 'parameter', name: RECEIPT_PARAMETER },
    { kind: 'setting', name: 'receipts' },
  ],

  finish({ call, bucket }, response) {
    const isReceipted = hasReceipt(call, bucket?.record() ?? null);
    return isReceipted ? { ...response, isReceipted } : response;
  },

  failureHeaders: ({ request, query }) => freeReceiptOfFailure(request, query),
};
