// Runs the features of the surface in the order of their list. routes.ts calls one function for
// each step of a call. Nothing here knows what a feature does.
import type { BucketRecord } from '../../../domain/nouns.ts';
import type { HeaderRecord } from '../../semantics/object-headers.ts';
import type { S3Answer, S3Call } from '../call/call.ts';
import type { AuthorizedCall, FailedRequest, Feature, Handle } from './feature.ts';

/** All features as one. */
export type FeatureList = {
  screen(call: S3Call): void;
  admit(call: S3Call, record: BucketRecord): void;
  wrap(authorized: AuthorizedCall, handle: Handle): Handle;
  finish(authorized: AuthorizedCall, response: S3Answer): S3Answer;
  failureHeaders(failed: FailedRequest): Promise<HeaderRecord | null>;
};

/**
 * The first of the list is the outermost: it acts first before the operation. Cost of a call that
 * no feature affects: a call of each step that a feature has, and nothing is allocated.
 */
export function createFeatureList(features: readonly Feature[]): FeatureList {
  const screens = features.flatMap(({ screen }) => screen ?? []);
  const admissions = features.flatMap(({ admit }) => admit ?? []);
  const wrappersFromInside = features.flatMap(({ wrap }) => wrap ?? []).toReversed();
  const finishers = features.flatMap(({ finish }) => finish ?? []);
  const failureWriters = features.flatMap(({ failureHeaders }) => failureHeaders ?? []);

  return {
    screen(call) {
      for (const screen of screens) screen(call);
    },

    admit(call, record) {
      for (const admit of admissions) admit(call, record);
    },

    wrap(authorized, handle) {
      let wrapped = handle;
      for (const wrap of wrappersFromInside) wrapped = wrap(authorized, wrapped) ?? wrapped;
      return wrapped;
    },

    finish(authorized, response) {
      let finished = response;
      for (const finish of finishers) finished = finish(authorized, finished);
      return finished;
    },

    async failureHeaders(failed) {
      const headers: HeaderRecord = {};
      for (const write of failureWriters) Object.assign(headers, await write(failed));
      return Object.keys(headers).length === 0 ? null : headers;
    },
  };
}
