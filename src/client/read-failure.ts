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

/** Characters of a refusal from which nothing more of it is read; ours are shorter. */
const TEXT_MAX_LENGTH = 65_536;

/** The beginning of a body, as far as it came. Never rejects. */
async function beginningOf({ body }: Response): Promise<string> {
  let text = '';
  try {
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    let result = await reader?.read();
    for (; result?.value && text.length < TEXT_MAX_LENGTH; result = await reader?.read())
      text += result.value;
    await reader?.cancel();
  } catch {
    // What came says enough, or its status does.
  }
  return text;
}

/** The error that a response stands for. Reads its body; never rejects. */
export async function failureOf(
  response: Response,
  learnClock: (date: string | null) => boolean = () => false,
): Promise<QuaysideError> {
  const { status, headers } = response;
  const text = await beginningOf(response);
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
  return {
    code: textOf(text, 'Code'),
    detail: textOf(text, 'Message'),
    requestId: textOf(text, 'RequestId'),
  };
}

/** Retry-After in seconds or as a date. Source: RFC 9110 section 10.2.3. */
function retryAfterMs(value: string | null): number | null {
  if (value === null) return null;
  const seconds = Number(value);
  const ms = seconds < 1e9 ? seconds * 1000 : Date.parse(value) - Date.now();
  return ms > 0 ? ms : null;
}

/** For `catch`: null where what was asked for is not there. */
export function nullWhereMissing(error: unknown): null {
  if (error instanceof QuaysideError && error.status === 404) return null;
  throw error;
}
