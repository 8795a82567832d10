// The condition that the bucket is the account's that the client expects.
import { requireExpectedOwner } from '../headers/expected-owner.ts';
import type { Feature } from './feature.ts';

const HEADER = 'x-amz-expected-bucket-owner';

/** AccessDenied where x-amz-expected-bucket-owner names another account. */
export const EXPECTED_OWNER: Feature = {
  triggers: [{ kind: 'header', name: HEADER }],

  admit(call, record) {
    requireExpectedOwner(call.header(HEADER), record);
  },
};
