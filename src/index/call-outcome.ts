// Carries the outcome of a synchronous call over a border that takes plain data
// only: a worker thread's messages, a Durable Object's RPC (which keeps of a thrown
// error little more than its message). The side with the database runs the call and
// encodes; the caller's side decodes and throws. Callers of the port see
// StorageErrors only.
import { ERROR_MESSAGES, type ErrorCode, StorageError } from '../domain/errors.ts';

/**
 * A call's value, or why it failed. `cause` is text for the log, never for a
 * client.
 */
export type CallOutcome =
  | { readonly isOk: true; readonly value: unknown }
  | {
      readonly isOk: false;
      readonly code: ErrorCode;
      readonly message: string;
      readonly fields: Readonly<Record<string, string>>;
      readonly cause: string | null;
    };

type Calls<Api> = { readonly [Name in keyof Api]: (input: never) => unknown };
type InputOf<Call> = Call extends (input: infer Input) => unknown ? Input : never;

/**
 * Longest text of a cause, in UTF-16 units: some stack traces, not a flood of them.
 */
const CAUSE_MAX_LENGTH = 8000;
/** How deep a chain of causes is followed. */
const CAUSE_MAX_DEPTH = 5;

/**
 * Runs one call of the index or the directory. Never throws: every failure is in
 * the outcome.
 */
export function runIndexCall<Api extends Calls<Api>, Name extends keyof Api>(
  api: Api,
  name: Name,
  input: InputOf<Api[Name]>,
): CallOutcome {
  try {
    return { isOk: true, value: api[name](input as never) };
  } catch (error) {
    return failureOutcome(error);
  }
}

/**
 * The outcome that makes `unwrapOutcome` throw this error; anything but a
 * StorageError becomes InternalError with its cause.
 */
export function failureOutcome(error: unknown): CallOutcome {
  const isKnown = error instanceof StorageError;
  return {
    isOk: false,
    code: isKnown ? error.code : 'InternalError',
    message: isKnown ? error.message : ERROR_MESSAGES.InternalError,
    fields: isKnown ? error.fields : {},
    cause: describe(isKnown ? error.cause : error),
  };
}

/**
 * The value of an outcome; throws its StorageError, whose `cause` is the text that
 * the caller's log should show.
 */
export function unwrapOutcome<Value>(reply: CallOutcome): Value {
  if (reply.isOk) return reply.value as Value;
  throw new StorageError(reply.code, {
    detail: reply.message,
    fields: reply.fields,
    ...(reply.cause === null ? {} : { cause: reply.cause }),
  });
}

/**
 * An error and the chain of its causes as text: stacks where there are any. Null
 * when there is no error.
 */
function describe(error: unknown): string | null {
  const lines: string[] = [];
  let cause = error;
  for (let depth = 0; depth < CAUSE_MAX_DEPTH && cause !== undefined && cause !== null; depth++) {
    const link: unknown = cause;
    lines.push(link instanceof Error ? describeOne(link) : String(link));
    cause = link instanceof Error ? link.cause : undefined;
  }
  return lines.length === 0 ? null : lines.join('\nCaused by: ').slice(0, CAUSE_MAX_LENGTH);
}

/**
 * A stack starts with the message in V8, unless the message was set afterwards: the
 * log must never miss it.
 */
function describeOne(error: Error): string {
  const stack = error.stack ?? '';
  return stack.includes(error.message)
    ? stack || error.name
    : `${error.name}: ${error.message}\n${stack}`;
}
