// A refusal of the server as an error: problem details of the JSON API, XML of the
// S3 surface.
import { QuaysideError } from './errors.ts';
import { textOf } from './xml.ts';

/**
 * Statuses that pass by waiting. Source: RFC 9110 section 15; 429 is RFC 6585
 * section 4.
 */
const RETRYABLE_STATUSES: readonly number[] = [408, 429, 500, 502, 503, 504];
/** Codes with other statuses that pass by waiting. */
const RETRYABLE_CODES: readonly string[] = [
  'ConditionalRequestConflict',
  'IdempotencyInProgress',
  'IncompleteBody',
  'RequestTimeout',
];
/** A 429 that only money or a new month ends. */
const LASTING_CODE = 'UsageCapReached';

type Problem = {
  readonly code?: string | null | undefined;
  readonly detail?: string | null | undefined;
  readonly requestId?: string | null | undefined;
  readonly errors?: QuaysideError['fields'] | null;
};

/** The error that a response stands for. Reads its body; never rejects. */
export async function failureOf(
  response: Response,
  learnClock: (date: string | null) => boolean = () => false,
): Promise<QuaysideError> {
  const { status, headers } = response;
  const text = await response.text().catch(() => '');
  const problem = headers.get('content-type')?.includes('json') ? fromJson(text) : fromXml(text);
  const code = problem.code || `Http${status}`;
  return new QuaysideError(code, problem.detail || `The server answered ${status}.`, {
    status,
    requestId: headers.get('x-request-id') ?? (problem.requestId || null),
    retryable:
      isRetryable(status, code) ||
      (code === 'RequestTimeTooSkewed' && learnClock(headers.get('date'))),
    retryAfterMs: retryAfterMs(headers.get('retry-after')),
    // Whatever stands between may answer in JSON too.
    fields: [problem.errors].flat().filter((one) => one?.field) as QuaysideError['fields'],
  });
}

function isRetryable(status: number, code: string): boolean {
  const isPassing = RETRYABLE_STATUSES.includes(status) || RETRYABLE_CODES.includes(code);
  return isPassing && code !== LASTING_CODE;
}

function fromJson(text: string): Problem {
  try {
    return (JSON.parse(text) ?? {}) as Problem;
  } catch {
    return {};
  }
}

function fromXml(text: string): Problem {
  const [code, detail, requestId] = ['Code', 'Message', 'RequestId'].map((name) =>
    textOf(text, name),
  );
  return { code, detail, requestId };
}

/** Retry-After in seconds or as a date. Source: RFC 9110 section 10.2.3. */
function retryAfterMs(value: string | null): number | null {
  if (value === null) return null;
  const seconds = Number(value);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - Date.now();
  return ms > 0 ? ms : null;
}

/** For `catch`: null where what was asked for is not there. */
export function nullWhereMissing(error: unknown): null {
  if (error instanceof QuaysideError && error.status === 404) return null;
  throw error;
}
