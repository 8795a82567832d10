// What a feature of the S3 surface is: something that most calls have nothing to do with, and that
// wraps the operations of those that do. routes.ts has the one ordered list of them,
// feature-list.ts runs it. A feature looks at a call and costs a comparison where it is not for it.
import type { BucketHandle } from '../../../core/buckets/bucket-handle.ts';
import type { BucketRecord } from '../../../domain/nouns.ts';
import type { HttpRequest } from '../../request.ts';
import type { HeaderRecord } from '../../semantics/object-headers.ts';
import type { Query } from '../../semantics/raw-path.ts';
import type { S3Answer, S3Call, Target } from '../call/call.ts';

/** A call whose right was decided, with what it was decided on. */
export type AuthorizedCall = {
  readonly call: S3Call;
  readonly target: Target;
  /** Null for operations of an account, and where a bucket is made. */
  readonly bucket: BucketHandle | null;
  /** The record that the right was decided on; the operation may leave another in `bucket`. */
  readonly record: BucketRecord | null;
};

/** A request that has failed, perhaps before there was a call. */
export type FailedRequest = {
  readonly request: HttpRequest;
  readonly query: Query;
  readonly target: Target;
};

/** Runs the operation, with the features that are further inside. */
export type Handle = () => S3Answer | Promise<S3Answer>;

/** The steps at which a feature may act; it has those that it needs. */
export type Feature = {
  /** Refuses a call before anything is opened for it. */
  readonly screen?: (call: S3Call) => void;
  /** Refuses a bucket that was opened; called again when its record has changed. */
  readonly admit?: (call: S3Call, record: BucketRecord) => void;
  /** Puts itself around the operation. Null: the call is not affected. */
  readonly wrap?: (authorized: AuthorizedCall, handle: Handle) => Handle | null;
  /**
   * Adds to a response, or refuses it, in the tick in which it is counted. Gives back the same
   * response where it has nothing to add.
   */
  readonly finish?: (authorized: AuthorizedCall, response: S3Answer) => S3Answer;
  /** Headers of an error; null: none. Called for every error of the surface. */
  readonly failureHeaders?: (
    failed: FailedRequest,
  ) => HeaderRecord | null | Promise<HeaderRecord | null>;
};
