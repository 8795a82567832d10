// What a feature of the S3 surface is: something that most calls have nothing to do
// with, and that wraps the operations of those that do. routes.ts has the one
// ordered list of them, feature-list.ts runs it, and only where an operation, a
// header or a setting brings it into play.
import type { BucketHandle } from '../../../core/opened-bucket/bucket-handle.ts';
import type { BucketRecord } from '../../../domain/nouns.ts';
import type { HttpRequest } from '../../request.ts';
import type { HeaderRecord } from '../../semantics/object-headers.ts';
import type { Query } from '../../semantics/raw-path.ts';
import type { S3Call, S3Response, Target } from '../call/call.ts';
import type { OperationName } from '../call/detect.ts';

/** A call whose right was decided, with what it was decided on. */
export type AuthorizedCall = {
  readonly call: S3Call;
  readonly target: Target;
  /** Null for operations of an account, and where a bucket is made. */
  readonly bucket: BucketHandle | null;
  /**
   * The record that the right was decided on; the operation may leave another in
   * `bucket`.
   */
  readonly record: BucketRecord | null;
};

/** A request that has failed, perhaps before there was a call. */
export type FailedRequest = {
  readonly request: HttpRequest;
  readonly query: Query;
  readonly target: Target;
};

/** Runs the operation, with the features that are further inside. */
export type Handle = () => S3Response | Promise<S3Response>;

/**
 * A fact that brings a feature into play: a header or parameter of the request, or
 * a setting of its bucket that is not null.
 */
export type Trigger =
  | { readonly kind: 'header'; readonly name: string }
  | { readonly kind: 'parameter'; readonly name: string }
  /** Any parameter whose name begins so, in whatever case. */
  | { readonly kind: 'parameters'; readonly prefix: string }
  | { readonly kind: 'setting'; readonly name: 'cors' | 'isCapped' | 'lifecycle' | 'receipts' };

/**
 * When a feature acts, and its steps; it has those that it needs. Of a call of
 * another operation, or without any of the triggers, it does not hear.
 */
export type Feature = {
  /** Absent: all operations. */
  readonly operations?: ReadonlySet<OperationName>;
  /** Absent: every call. */
  readonly triggers?: readonly Trigger[];
  /** Refuses a call before anything is opened for it. */
  readonly screen?: (call: S3Call) => void;
  /** Gives the call with less to it: a body that is cut where it passes a bound. */
  readonly limit?: (call: S3Call) => S3Call;
  /** Refuses a bucket that was opened; called again when its record has changed. */
  readonly admit?: (call: S3Call, record: BucketRecord) => void;
  /** Puts itself around the operation. */
  readonly wrap?: (authorized: AuthorizedCall, handle: Handle) => Handle;
  /**
   * Adds to a response, or refuses it, in the tick in which it is counted. Gives
   * back the same response where it has nothing to add.
   */
  readonly finish?: (authorized: AuthorizedCall, response: S3Response) => S3Response;
  /** Headers of an error; null: none. Called for every error of the surface. */
  readonly failureHeaders?: (
    failed: FailedRequest,
  ) => HeaderRecord | null | Promise<HeaderRecord | null>;
};
