// Headers of CORS, for scripts of other origins: on responses of a bucket with
// rules, and on errors, which a browser would else not show to the script.
// Preflights are preflight.ts's.
import type { Core } from '../../../core/core.ts';
import { parseBucketName } from '../../../core/parse-names.ts';
import { corsHeaders, withCors } from '../../semantics/cors.ts';
import type { Feature } from './feature.ts';

export function createCors(core: Core): Feature {
  return {
    triggers: [{ kind: 'setting', name: 'cors' }],

    finish({ call, bucket }, response) {
      // The record as the operation left it: it may have changed the rules.
      const headers =
        bucket === null ? null : corsHeaders(bucket.record().settings.cors, call.request);
      if (headers === null) return response;
      return { ...response, headers: withCors(response.headers, headers) };
    },

    /**
     * Null without an Origin, so that only scripts cost another read of the index;
     * and whenever the rules can't be known, because the failure itself matters
     * more.
     */
    async failureHeaders({ request, target: { bucket } }) {
      if (request.header('origin') === null || bucket === null) return null;
      try {
        const name = parseBucketName(bucket);
        const record = await core.ports.metadataIndex.call(name, 'getBucket', {
          name,
          mayBeStale: true,
        });
        return record === null ? null : corsHeaders(record.settings.cors, request);
      } catch {
        return null;
      }
    },
  };
}
