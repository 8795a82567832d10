// The elements of one failure in a document that lists several. Whole error
// documents are errors.ts's.
import { shownFailure } from '../../semantics/error-status.ts';
import { textElement } from './xml-write.ts';

/** The failure of one key among many, as DeleteObjects reports it. */
export function errorElements(error: unknown): string {
  const { code, message } = shownFailure(error);
  return textElement('Code', code) + textElement('Message', message);
}
