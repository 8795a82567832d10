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
  declare readonly code: string;
  declare readonly status: number | null;
  declare readonly requestId: string | null;
  declare readonly retryable: boolean;
  declare readonly retryAfterMs: number | null;
  declare readonly fields: NonNullable<QuaysideErrorFacts['fields']>;
  declare readonly hint: string;

  constructor(code: string, message: string, facts: QuaysideErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    const { retryable = false } = facts;
    const unsaid = { status: null, requestId: null, retryable, retryAfterMs: null, fields: [] };
    Object.assign(this, unsaid, facts, { code, hint: hintOf(code, retryable) });
  }
}

/**
 * What to do next where the client knows better than the server's page of codes.
 */
const HINTS: Readonly<Record<string, string | null>> = {
  // A code may be `constructor`.
  __proto__: null,
  ChecksumMismatch: 'Begin a new download.',
  IncompleteList: 'Narrow it.',
  InvalidInput: 'See `fields`.',
  NetworkFailure: 'Check the endpoint and CORS.',
  NoSuchUpload: 'Begin a new upload.',
  ObjectChanged: 'Begin a new download.',
  PreconditionFailed: 'First read it again.',
  PreconditionRequired: 'First read it, then pass it as `ifMatch`.',
};

const hintOf = (code: string, retryable: boolean): string =>
  HINTS[code] ?? (retryable ? 'Try again later.' : `See /-/docs#${code} of the server.`);

/** A success that lacks what it must say, or says what was not asked for. */
export const unusableResponse = (): QuaysideError =>
  new QuaysideError('UnusableResponse', 'The response does not fit the request.', {
    status: 200,
    retryable: true,
  });

/** A request that got no response. */
export const networkFailure = (cause: unknown): QuaysideError =>
  new QuaysideError('NetworkFailure', 'The request got no response.', {
    retryable: true,
    cause,
  });
