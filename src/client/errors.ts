// The one error of the client. Programs branch on `code`, which is the server's own
// word; people read `message` and `hint`.

export type QuaysideErrorFacts = {
  /** HTTP status; null: no response came. */
  readonly status?: number | null;
  readonly requestId?: string | null;
  /** Whether the very same request may succeed later. */
  readonly retryable?: boolean;
  /** How long the server wants to be left alone, milliseconds. */
  readonly retryAfterMs?: number | null;
  /** Each field of the input that cannot be used. */
  readonly fields?: readonly { readonly field: string; readonly message: string }[];
  readonly cause?: unknown;
};

/** What failed, and what to do about it. */
export class QuaysideError extends Error {
  override readonly name = 'QuaysideError';
  readonly code: string;
  readonly status: number | null;
  readonly requestId: string | null;
  readonly retryable: boolean;
  readonly retryAfterMs: number | null;
  readonly fields: NonNullable<QuaysideErrorFacts['fields']>;
  readonly hint: string;

  constructor(code: string, message: string, facts: QuaysideErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = code;
    this.status = facts.status ?? null;
    this.requestId = facts.requestId ?? null;
    this.retryable = facts.retryable ?? false;
    this.retryAfterMs = facts.retryAfterMs ?? null;
    this.fields = facts.fields ?? [];
    this.hint = hintOf(code, this.retryable);
  }
}

/**
 * What to do next where the client knows better than the server's page of codes.
 */
const HINTS: Readonly<Record<string, string>> = {
  ChecksumMismatch: 'The bytes changed on the way: download them again.',
  IncompleteList: 'Narrow the prefix or the text, or sort by name.',
  InvalidInput: 'See `fields`: each names a field and what is wrong with it.',
  NetworkFailure: 'Check the endpoint, the line and, in a browser, the CORS rules of the bucket.',
  NoSuchUpload: 'It was completed, cancelled or swept: begin a new upload.',
  ObjectChanged: 'Somebody wrote the object meanwhile: begin the download anew.',
  PreconditionFailed: 'It changed meanwhile: read it again, then decide.',
  PreconditionRequired: 'Read it first, then pass it as `ifMatch`.',
};

const hintOf = (code: string, retryable: boolean): string =>
  HINTS[code] ?? (retryable ? 'Try again later.' : `See /-/docs#${code} of the server.`);

/** A request that got no response. */
export const networkFailure = (cause: unknown): QuaysideError =>
  new QuaysideError('NetworkFailure', 'The request got no whole response.', {
    retryable: true,
    cause,
  });
