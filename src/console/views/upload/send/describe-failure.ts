// Why a file could not be sent, and what can be done about it from its row.
import type { QueueItem } from 'quayside/client';
import { describeError } from '../../../api/describe-error.ts';
import { t } from '../../../i18n/i18n.ts';
import { replaceTaken, retryUploads } from './upload-store.ts';

type Remedy = { readonly label: string; readonly run: () => void };
type FailureWords = { readonly why: string; readonly remedies: readonly Remedy[] };

export function describeFailure(item: QueueItem): FailureWords {
  const texts = t().upload;
  const { id, error } = item;
  const reasons: Readonly<Record<string, string>> = texts.reasons;
  const { what, requestId } = describeError(error);
  const known = reasons[error?.code ?? ''];
  const why = known ?? (requestId === null ? what : `${what} (${requestId})`);
  const again = { label: texts.sendAgain, run: () => retryUploads([id]) };
  const isTaken = error?.code === 'PreconditionFailed';
  const replace = { label: texts.replaceIt, run: () => void replaceTaken(item) };
  return { why, remedies: [isTaken ? replace : again] };
}
