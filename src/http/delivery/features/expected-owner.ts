// The owner that a call of S3 expects the bucket to have, as a feature of reads.
// Delivery's own readers can't say one. It acts before any other feature: a call
// that means another bucket hears nothing of this one.
import { requireExpectedOwner } from '../../s3/headers/expected-owner.ts';
import type { ReadFeature } from './read-feature.ts';

export function expectedOwnerFeature(): ReadFeature {
  return {
    isIn: () => true,
    refuse({ readRequest: { options }, readPolicy }) {
      if (options !== null) requireExpectedOwner(options.expectedOwner, readPolicy);
    },
  };
}
