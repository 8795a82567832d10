// Runs the features of the surface in the order of their list. routes.ts calls one
// function for each step of a call. Nothing here knows what a feature does; a call
// that has none of its triggers never enters its file.
import type { BucketRecord } from '../../../domain/nouns.ts';
import type { HeaderRecord } from '../../semantics/object-headers.ts';
import type { S3Call, S3Response } from '../call/call.ts';
import { OPERATION_NAMES, type OperationName } from '../call/detect.ts';
import type { AuthorizedCall, FailedRequest, Feature, Handle, Trigger } from './feature.ts';

/** All features as one. */
export type FeatureList = {
  /** The call as features limit it, once none of them refuses it. */
  screen(call: S3Call): S3Call;
  admit(call: S3Call, record: BucketRecord): void;
  wrap(authorized: AuthorizedCall, handle: Handle): Handle;
  finish(authorized: AuthorizedCall, response: S3Response): S3Response;
  failureHeaders(failed: FailedRequest): Promise<HeaderRecord | null>;
};

type StepName = 'screen' | 'limit' | 'admit' | 'wrap' | 'finish';
/**
 * A step of one feature, with the facts that bring it into play; null: every call
 * does.
 */
type Step<Name extends StepName> = {
  readonly triggers: readonly Trigger[] | null;
  readonly run: NonNullable<Feature[Name]>;
};
/** Steps of all features that one operation may have. */
type OperationSteps = {
  readonly screens: readonly Step<'screen'>[];
  readonly limits: readonly Step<'limit'>[];
  readonly admissions: readonly Step<'admit'>[];
  readonly wrappersFromInside: readonly Step<'wrap'>[];
  readonly finishers: readonly Step<'finish'>[];
};

/**
 * The first of the list is the outermost: it acts first before the operation. Cost
 * of a call that no feature affects: a comparison for each trigger, and nothing is
 * allocated.
 */
export function createFeatureList(features: readonly Feature[]): FeatureList {
  const steps = new Map(OPERATION_NAMES.map((name) => [name, stepsFor(features, name)]));
  const failureWriters = features.flatMap(({ failureHeaders }) => failureHeaders ?? []);
  const stepsOf = ({ operation }: S3Call): OperationSteps => steps.get(operation) ?? NO_STEPS;

  return {
    screen(call) {
      for (const { triggers, run } of stepsOf(call).screens)
        if (isTriggered(triggers, call, null)) run(call);
      let limited = call;
      for (const { triggers, run } of stepsOf(call).limits)
        if (isTriggered(triggers, call, null)) limited = run(limited);
      return limited;
    },

    admit(call, record) {
      for (const { triggers, run } of stepsOf(call).admissions)
        if (isTriggered(triggers, call, record)) run(call, record);
    },

    wrap(authorized, handle) {
      const { call, record } = authorized;
      let wrapped = handle;
      for (const { triggers, run } of stepsOf(call).wrappersFromInside)
        if (isTriggered(triggers, call, record)) wrapped = run(authorized, wrapped);
      return wrapped;
    },

    finish(authorized, response) {
      const { call, record, bucket } = authorized;
      const currentRecord = bucket?.record() ?? null;
      let finished = response;
      for (const { triggers, run } of stepsOf(call).finishers) {
        // The operation may have changed a setting: it counts as it was and as it
        // is.
        const isFor =
          isTriggered(triggers, call, currentRecord) ||
          (record !== currentRecord && isTriggered(triggers, call, record));
        if (isFor) finished = run(authorized, finished);
      }
      return finished;
    },

    async failureHeaders(failed) {
      const headers: HeaderRecord = {};
      for (const write of failureWriters) Object.assign(headers, await write(failed));
      return Object.keys(headers).length === 0 ? null : headers;
    },
  };
}

const NO_STEPS: OperationSteps = {
  screens: [],
  limits: [],
  admissions: [],
  wrappersFromInside: [],
  finishers: [],
};

function stepsFor(features: readonly Feature[], operation: OperationName): OperationSteps {
  const own = features.filter(({ operations }) => operations?.has(operation) ?? true);
  return {
    screens: stepsNamed(own, 'screen'),
    limits: stepsNamed(own, 'limit'),
    admissions: stepsNamed(own, 'admit'),
    wrappersFromInside: stepsNamed(own, 'wrap').toReversed(),
    finishers: stepsNamed(own, 'finish'),
  };
}

function stepsNamed<Name extends StepName>(
  features: readonly Feature[],
  name: Name,
): readonly Step<Name>[] {
  return features.flatMap((feature) => {
    const run = feature[name];
    return run === undefined ? [] : [{ triggers: feature.triggers ?? null, run }];
  });
}

function isTriggered(
  triggers: readonly Trigger[] | null,
  call: S3Call,
  record: BucketRecord | null,
): boolean {
  if (triggers === null) return true;
  for (const trigger of triggers) if (hasFact(trigger, call, record)) return true;
  return false;
}

/**
 * Forms and presigned URLs have headers of their own, and those of the request
 * count as well.
 */
function hasFact(trigger: Trigger, call: S3Call, record: BucketRecord | null): boolean {
  switch (trigger.kind) {
    case 'header':
      if (call.request.header(trigger.name) !== null) return true;
      return (call.isPresigned || call.form !== null) && call.header(trigger.name) !== null;
    case 'parameter':
      return call.query.has(trigger.name);
    case 'parameters':
      return call.query.entries.some(([name]) => name.toLowerCase().startsWith(trigger.prefix));
    case 'setting':
      return (record?.settings[trigger.name] ?? null) !== null;
  }
}
