// Headers of S3 that mean something that this service does not do, in the groups in
// which operations have them: features/refused-headers.ts refuses them by name, so
// that no request is half understood. The few that may be dropped stand at the end.
// Source: the request model of
// @aws-sdk/client-s3 3.1169.

/** Locks that wait for an event, which nobody could report here. */
const EVENT_HOLD = [
  'x-amz-object-lock-event-hold',
  'x-amz-object-lock-event-hold-duration-days',
  'x-amz-object-lock-event-hold-duration-years',
];
/** Conditions that S3 has for reads only. */
export const DATE_CONDITIONS: readonly string[] = ['if-modified-since', 'if-unmodified-since'];
/** Headers that every write of a new object refuses. */
export const NEW_OBJECT: readonly string[] = [...EVENT_HOLD, ...DATE_CONDITIONS];

/**
 * Headers of S3 that are ignored, because doing nothing is right here:
 * - request-payer: the owner pays anyway;
 * - mfa: nothing needs a second factor;
 * - bucket-object-lock-token: the owner needs none to switch object lock on;
 * - object-annotation-directive, optional-object-attributes: nothing has annotations or
 *   restore states;
 * - confirm-remove-self-bucket-access: a policy can't lock its owner out.
 *
 * test/http/s3/operations/table/operations.test.ts checks that no other is ignored.
 */
export const IGNORED_HEADERS: readonly string[] = [
  'x-amz-request-payer',
  'x-amz-mfa',
  'x-amz-bucket-object-lock-token',
  'x-amz-object-annotation-directive',
  'x-amz-optional-object-attributes',
  'x-amz-confirm-remove-self-bucket-access',
];
