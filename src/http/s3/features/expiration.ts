// The end that a lifecycle rule of the bucket foresees for an object that was just
// written. Reads have the header from operations/object/get-head.ts, which the fast
// path shares.
import type { Core } from '../../../core/core.ts';
import { expirationHeaders } from '../headers/lifecycle-headers.ts';
import type { Feature } from './feature.ts';

/** Adds x-amz-expiration to the response of a write. */
export function createExpiration(core: Core): Feature {
  return {
    triggers: [{ kind: 'setting', name: 'lifecycle' }],

    finish({ bucket }, response) {
      const { written } = response;
      if (bucket !== null && written !== undefined)
        Object.assign(response.headers, expirationHeaders({ bucket }, core, written));
      return response;
    },
  };
}
