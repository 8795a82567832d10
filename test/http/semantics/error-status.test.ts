import { expect, it } from 'vitest';
import { ERROR_MESSAGES } from '../../../src/domain/errors.ts';
import { ERROR_STATUS } from '../../../src/http/semantics/error-status.ts';

it('the table has an error status for each code and for no other', () => {
  expect(Object.keys(ERROR_STATUS).sort()).toEqual(Object.keys(ERROR_MESSAGES).sort());
  for (const [code, status] of Object.entries(ERROR_STATUS)) {
    expect(status >= 400 && status <= 599, code).toBe(true);
  }
});

// Codes that a wrong guess would get wrong. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
it.each([
  ['RequestTimeout', 400],
  ['ExpiredToken', 400],
  ['AuthorizationHeaderMalformed', 400],
  ['EntityTooLarge', 400],
  ['AccessDenied', 403],
  ['RequestTimeTooSkewed', 403],
  ['SignatureDoesNotMatch', 403],
  ['NoSuchKey', 404],
  ['MethodNotAllowed', 405],
  ['BucketNotEmpty', 409],
  ['ConditionalRequestConflict', 409],
  ['MissingContentLength', 411],
  ['PreconditionFailed', 412],
  ['InvalidRange', 416],
  ['BucketChanged', 500],
  ['NoSuchBlob', 500],
  ['NotImplemented', 501],
  ['SlowDown', 503],
  ['StorageFull', 507],
] as const)('%s is %d', (code, status) => {
  expect(ERROR_STATUS[code]).toBe(status);
});
