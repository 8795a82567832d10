// The list of features by itself: which of them a call brings into play, and in which order they
// act.
import { expect, it } from 'vitest';
import { NO_SETTINGS } from '../../../../src/domain/bucket-settings.ts';
import type { BucketRecord } from '../../../../src/domain/nouns.ts';
import type { S3Call, S3Response } from '../../../../src/http/s3/call/call.ts';
import type { AuthorizedCall, Feature } from '../../../../src/http/s3/features/feature.ts';
import { createFeatureList } from '../../../../src/http/s3/features/feature-list.ts';
import { parseQuery } from '../../../../src/http/semantics/raw-path.ts';
import { makeRequest } from '../kit/make-request.ts';

const recordWith = (settings: object) =>
  ({ settings: { ...NO_SETTINGS, ...settings } }) as unknown as BucketRecord;

function callOf(target: string, headers: Record<string, string> = {}): S3Call {
  const request = makeRequest({ target, headers });
  const { header } = request;
  return {
    operation: 'GetObject',
    request,
    query: parseQuery(request.rawQuery),
    header,
    isPresigned: false,
    form: null,
  } as unknown as S3Call;
}

const RESPONSE: S3Response = { status: 200, headers: {}, body: null };

/** A feature that writes each of its steps down. */
function noted(steps: string[], name: string, entry: Omit<Feature, 'wrap' | 'finish'>): Feature {
  return {
    ...entry,
    wrap: (_, handle) => () => {
      steps.push(`${name} begins`);
      return handle();
    },
    finish(_, response) {
      steps.push(`${name} finishes`);
      return response;
    },
  };
}

/** The steps of a call; `after`: the record as the operation leaves it. */
async function stepsOf(
  entries: Readonly<Record<string, Omit<Feature, 'wrap' | 'finish'>>>,
  call: S3Call,
  records: { readonly before?: BucketRecord; readonly after?: BucketRecord } = {},
): Promise<readonly string[]> {
  const { before = recordWith({}), after = before } = records;
  const steps: string[] = [];
  const features = Object.entries(entries).map(([name, entry]) => noted(steps, name, entry));
  const list = createFeatureList(features);
  const bucket = { record: () => after };
  const authorized = { call, bucket, record: before } as unknown as AuthorizedCall;
  const response = await list.wrap(authorized, () => RESPONSE)();
  list.finish(authorized, response);
  return steps;
}

it('the list acts in the order of the list', async () => {
  expect(await stepsOf({ a: {}, b: {} }, callOf('/b/k'))).toEqual([
    ...['a begins', 'b begins'],
    ...['a finishes', 'b finishes'],
  ]);
});

it('the list leaves the handler as it is without a trigger', () => {
  const list = createFeatureList([
    noted([], 'a', { triggers: [{ kind: 'header', name: 'x-a' }] }),
    noted([], 'b', { operations: new Set(['PutObject']) }),
  ]);
  const handle = () => RESPONSE;
  const authorized = { call: callOf('/b/k'), bucket: null, record: null } as unknown;
  expect(list.wrap(authorized as AuthorizedCall, handle)).toBe(handle);
  expect(list.finish(authorized as AuthorizedCall, RESPONSE)).toBe(RESPONSE);
});

it('the list brings features into play by header, parameter, setting or operation', async () => {
  const entries: Record<string, Omit<Feature, 'wrap' | 'finish'>> = {
    header: { triggers: [{ kind: 'header', name: 'x-a' }] },
    parameter: { triggers: [{ kind: 'parameter', name: 'a' }] },
    setting: { triggers: [{ kind: 'setting', name: 'isCapped' }] },
    operation: { operations: new Set(['GetObject']) },
    none: { operations: new Set(['PutObject']), triggers: [{ kind: 'header', name: 'x-a' }] },
  };
  const names = async (call: S3Call, record = recordWith({})) =>
    (await stepsOf(entries, call, { before: record }))
      .filter((step) => step.endsWith('begins'))
      .map((step) => step.split(' ')[0]);
  expect(await names(callOf('/b/k'))).toEqual(['operation']);
  expect(await names(callOf('/b/k', { 'x-a': '' }))).toEqual(['header', 'operation']);
  expect(await names(callOf('/b/k?a'))).toEqual(['parameter', 'operation']);
  const capped = recordWith({ isCapped: true });
  expect(await names(callOf('/b/k'), capped)).toEqual(['setting', 'operation']);
});

it('the list finishes by a setting as the operation found it and as it left it', async () => {
  const entries: Record<string, Omit<Feature, 'wrap' | 'finish'>> = {
    cors: { triggers: [{ kind: 'setting', name: 'cors' }] },
  };
  const [on, off] = [recordWith({ cors: [] }), recordWith({})];
  const call = callOf('/b/k');
  expect(await stepsOf(entries, call, { before: off, after: on })).toEqual(['cors finishes']);
  expect(await stepsOf(entries, call, { before: on, after: off })).toEqual([
    ...['cors begins', 'cors finishes'],
  ]);
});
