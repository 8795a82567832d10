// One call to a Durable Object: a fresh stub for each attempt (a stub that failed
// stays broken), repeats where that is safe, and the platform's failures in our
// words. Called by do-metadata-index.ts and do-directory.ts.

import { StorageError } from '../../../domain/errors.ts';
import { type CallOutcome, unwrapOutcome } from '../../../index/call-outcome.ts';
import type { ReaderState } from '../pointers/feed-state.ts';
import { type OtherRelease, PROTOCOL } from '../protocol.ts';
import { retry } from './retry.ts';

/** The one method that all classes have; `protocol` is the caller's. */
export type CallableObject = {
  call(
    name: string,
    input: unknown,
    protocol?: number,
    reader?: ReaderState,
  ): Promise<OtherRelease>;
};

export type ObjectCall = {
  readonly connect: () => CallableObject;
  readonly name: string;
  readonly input: unknown;
  /** What a reader of the bucket knows; absent for every other call. */
  readonly reader?: ReaderState | undefined;
  /** Whether the call may happen twice without harm. */
  readonly isRepeatable: boolean;
  /** Sees the reply, whatever it says. */
  readonly onReply?: (reply: CallOutcome) => void;
};

/**
 * What the runtime puts on errors of stubs. Source: Durable Objects docs, "Error
 * handling".
 */
type StubError = Error & { readonly retryable?: boolean; readonly overloaded?: boolean };

/** What an attempt throws when the object runs another release, until none is left. */
class OtherReleaseError extends Error {
  readonly reply: CallOutcome;
  constructor(reply: CallOutcome) {
    super('The object runs another release.');
    this.reply = reply;
  }
}

/**
 * The call's value, or its StorageError. ServiceUnavailable while the object runs
 * another release that does not understand the call: it was not run. SlowDown when
 * the object is overloaded: the call was not run. InternalError when the connection
 * broke: a command may or may not have happened, so nothing of it may be undone.
 */
export async function callObject<Value>(options: ObjectCall): Promise<Value> {
  const { connect, name, input, reader, isRepeatable } = options;
  let reply: CallOutcome;
  try {
    reply = await retry(
      async () => {
        const object = connect();
        const attempt = await (reader === undefined
          ? object.call(name, input, PROTOCOL)
          : object.call(name, input, PROTOCOL, reader));
        if (attempt.isOtherRelease === true) throw new OtherReleaseError(attempt);
        return attempt;
      },
      // The object may be updated meanwhile.
      (error) => error instanceof OtherReleaseError || (isRepeatable && isPassing(error)),
    );
  } catch (error) {
    if (error instanceof OtherReleaseError) return unwrapOutcome<Value>(error.reply);
    throw translateError(error, name);
  }
  options.onReply?.(reply);
  return unwrapOutcome<Value>(reply);
}

function isPassing(error: unknown): boolean {
  const { retryable, overloaded } = error as StubError;
  return retryable === true && overloaded !== true;
}

function translateError(error: unknown, name: string): StorageError {
  if ((error as StubError).overloaded === true)
    return new StorageError('SlowDown', { cause: error });
  return new StorageError('InternalError', {
    detail: `The outcome of ${name} is not known.`,
    cause: error,
  });
}
