// The version of what a Worker and its Durable Objects say to each other. After a
// deploy, or a rollback, objects run the code before it for some time, seconds to
// minutes: callers and objects of neighbouring releases meet. A call says which
// version its caller speaks; one that is too far away, or that the object has never
// heard of, is refused before anything was done, and can be repeated. Source:
// https://developers.cloudflare.com/durable-objects/platform/known-issues/
import { StorageError } from '../../domain/errors.ts';
import { type CallOutcome, failureOutcome } from '../../index/call-outcome.ts';

/**
 * Raised by each release in which a call of the index, the directory or the ledger
 * means something else, or has another input or reply, than in the release before.
 * What is only added (a call, an optional input) leaves it. A release understands its
 * own version and the one before.
 */
export const PROTOCOL = 1;
/** How far the versions of a caller and an object may be apart. */
const DISTANCE_MAX = 1;

/** The reply of an object that can't understand its caller; it has done nothing. */
export type OtherRelease = CallOutcome & { readonly isOtherRelease?: true };

/**
 * The refusal of a call that this program does not understand; null: it does.
 * `protocol` is absent from callers before there were versions, which speak 0.
 */
export function refuseCall(api: object, name: string, protocol = 0): OtherRelease | null {
  if (Math.abs(protocol - PROTOCOL) <= DISTANCE_MAX && Object.hasOwn(api, name)) return null;
  const refusal = new StorageError('ServiceUnavailable', {
    detail: 'The service is being updated. Please try again in a moment.',
    cause: `${name} of protocol ${protocol} came to an object of protocol ${PROTOCOL}.`,
  });
  return { ...failureOutcome(refusal), isOtherRelease: true };
}
