// The condition that the bucket is the account's that the client expects.
import { requireExpectedOwner } from '../headers/expected-owner.ts';
import type { Feature } from './feature.ts';

/** AccessDenied where x-amz-expected-bucket-owner names another account. */
export const EXPECTED_OWNER: Feature = {
  admit(call, record) {
    requireExpectedOwner(call.header('x-amz-expected-bucket-owner'), record);
  },
};
