// The proof of the protocol that moves a range of keys (ADR 53): nothing that can happen
// breaks it, and without any one of its steps something does.
import { expect, test } from 'vitest';
import { explore, type LeftOut, type Scenario } from './move-model.ts';

/** Some 220,000 states: 7 s of a processor that nobody else uses. */
const LIMIT_MS = 240_000;

test.each([
  ['each key has one owner with its last write', 'keys', 200_000],
  ['nobody acts on an older record once its change is answered', 'record', 40_000],
] as const)(
  '%s, in every order and after every loss',
  {
    timeout: LIMIT_MS,
  },
  (_, scenario, statesMin) => {
    const { states, violation, stuck } = explore(scenario, null);
    expect(violation).toBeNull();
    // From every state everybody can still come to the end of what they do.
    expect(stuck).toBe(0);
    expect(states).toBeGreaterThan(statesMin);
  },
);

const VIOLATIONS = {
  'writes wait for the frozen slice': ['keys', 'a write to key 1 is lost'],
  'rows arrive before they are given up': ['keys', 'nobody owns key 1'],
  'shards refuse callers with an old map': ['keys', 'a write to key 1 is lost'],
  'old slices are refused': ['keys', 'nobody owns key 1'],
  'only what was given up is adopted': ['keys', 'two shards own key 1'],
  'a slice is given up under its own epoch': ['keys', 'nobody owns key 1'],
  'a list goes on where its last part ended': ['keys', 'a list showed the keys 0'],
  'every shard hears of a new record': ['record', 'a caller acted on an older record'],
  'a record older than a shard knows is read again': [
    'record',
    'a caller acted on an older record',
  ],
} as const satisfies Record<LeftOut, readonly [Scenario, string]>;

test.each(Object.entries(VIOLATIONS))(
  'it breaks without the step that %s',
  {
    timeout: LIMIT_MS,
  },
  (leftOut, [scenario, violation]) => {
    expect(explore(scenario, leftOut as LeftOut).violation).toBe(violation);
  },
);
