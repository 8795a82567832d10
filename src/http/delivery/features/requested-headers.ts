// Headers that a reader requests, as a feature of reads: a file name to save by,
// digests, and in a call of S3 a checksum. Any bucket's reader may request them;
// ../requested-options.ts makes them.
import { requestedHeaders } from '../requested-options.ts';
import type { ReadFeature } from './read-feature.ts';

export function requestedHeadersFeature(): ReadFeature {
  return {
    isIn: () => true,
    addHeaders: ({ readRequest, pointer }, { representation, isWhole }) =>
      requestedHeaders(readRequest.request, pointer, {
        representation,
        isWhole,
        options: readRequest.options,
      }),
  };
}
