// Freshness of a change that requests it: the time from which no reader anywhere
// sees the past.
import type { Core } from '../../../core/core.ts';
import { parseBucketName } from '../../../core/parse-names.ts';
import { FRESH_BY_HEADER, freshByAnswer } from '../../fresh-by.ts';
import { OPERATION_NAMES } from '../call/detect.ts';
import type { Feature } from './feature.ts';

/** Operations of GET and HEAD, which change nothing. */
const READ = /^(?:Get|Head|List|DownloadZip|DryRun)/;

/** Adds x-quayside-fresh-by to the response. */
export function createFreshBy(core: Core): Feature {
  return {
    operations: new Set(OPERATION_NAMES.filter((name) => !READ.test(name))),
    triggers: [{ kind: 'header', name: FRESH_BY_HEADER }],

    finish({ call: { request }, target: { bucket } }, response) {
      if (bucket === null) return response;
      const freshBy = freshByAnswer(core, request, parseBucketName(bucket));
      if (freshBy !== null) response.headers[FRESH_BY_HEADER] = freshBy;
      return response;
    },
  };
}
