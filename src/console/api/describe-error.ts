// Errors in people's words: what happened, why, what next. The server's own message
// stands where the console has no better one.
import { t } from '../i18n/i18n.ts';
import { QuaysideError } from './client.ts';

export type ErrorWords = {
  readonly what: string;
  readonly next: string;
  readonly requestId: string | null;
  /** Page of the code in the API's documentation. */
  readonly docs: string | null;
  readonly isOffline: boolean;
};

/** Fields of an input that are named in one sentence. */
const FIELDS_MAX = 3;

/** A failure whose message is all there is to say, in the language that is shown. */
export class PlainFailure extends Error {}

export function describeError(error: unknown): ErrorWords {
  const texts = t().errors;
  if (!(error instanceof QuaysideError)) {
    const said = error instanceof Error ? error.message : String(error);
    const isBrowsers = error instanceof DOMException;
    const isRefused = isBrowsers && error.name === 'NotAllowedError';
    const what = isRefused ? texts.notAllowed : isBrowsers ? texts.browserFailed(said) : said;
    const next = isBrowsers || error instanceof PlainFailure ? '' : texts.ownFault;
    return { what, next, requestId: null, docs: null, isOffline: false };
  }
  const { code, message, hint, requestId, status, fields } = error;
  const isOffline = status === null;
  const known: Readonly<Record<string, { what: string; next: string }>> = texts.codes;
  const words = known[code];
  const named = fields.slice(0, FIELDS_MAX).map((one) => `${one.field}: ${one.message}`);
  return {
    what: words?.what ?? (named.length === 0 ? message : `${named.join('; ')}.`),
    // The hint of what names fields says that it names fields.
    next: words?.next ?? (named.length === 0 ? hint : ''),
    requestId,
    docs: isOffline ? null : `/-/docs#${code}`,
    isOffline,
  };
}

/** Whether somebody closed what the browser asked, or left: no failure. */
export const isGivenUp = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'AbortError';

/** The error as one sentence, for places that have no more room. */
export const errorLine = (error: unknown): string => {
  const { what, next } = describeError(error);
  return `${what} ${next}`.trimEnd();
};
