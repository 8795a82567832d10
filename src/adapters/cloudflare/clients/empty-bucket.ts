// What a name that no bucket has answers to look-ups: strangers can make up any
// number of names, and none of them may cost an object. do-metadata-index.ts answers
// so without a call where the directory does not know the name, the object itself
// without making tables.
import type { IndexApi } from '../../../ports/metadata-index.ts';

type Answers = {
  readonly [Name in keyof IndexApi]?: (
    input: Parameters<IndexApi[Name]>[0],
  ) => ReturnType<IndexApi[Name]>;
};

const ANSWERS: Answers = {
  getBucket: () => null,
  resolve: () => ({ bucket: null, object: null }),
  listDeliveries: () => ({ deliveries: [], next: null }),
  countDeliveries: () => ({ waiting: 0, delivered: 0, dead: 0, dropped: 0 }),
  resolveAll: ({ keys }) => ({ bucket: null, objects: keys.map(() => null) }),
  listIncarnations: () => [],
  getShard: () => null,
  countShards: () => 0,
};

/** The value of the call, wrapped; null: it is no such look-up. */
export function answerOfEmpty(
  name: keyof IndexApi,
  input: unknown,
): { readonly value: unknown } | null {
  if (!Object.hasOwn(ANSWERS, name)) return null;
  const answer = ANSWERS[name] as (input: unknown) => unknown;
  return { value: answer(input) };
}
