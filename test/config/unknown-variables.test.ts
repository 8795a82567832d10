// Misspelt settings are named with the setting that was meant, and no value is shown.
import { expect, it } from 'vitest';
import { findUnknownVariables, warnOfUnknown } from '../../src/config/unknown-variables.ts';

const nearestOf = (variable: string) => findUnknownVariables({ [variable]: 'x' })[0]?.nearest;

it.each([
  ['QUAYSIDE_PROT', 'QUAYSIDE_PORT'],
  ['QUAYSIDE_POTR', 'QUAYSIDE_PORT'],
  ['QUAYSIDE_DATADIR', 'QUAYSIDE_DATA_DIR'],
  ['QUAYSIDE_FASTPATH', 'QUAYSIDE_FAST_PATH'],
  ['QUAYSIDE_HOT_LANE', 'QUAYSIDE_FAST_PATH'],
  ['QUAYSIDE_MASTER_KEYS', 'QUAYSIDE_MASTER_KEY'],
  ['QUAYSIDE_ROOT_SECRET', 'QUAYSIDE_ROOT_SECRET_KEY'],
  ['QUAYSIDE_WEBHOOK_PRIVAT_TARGET', 'QUAYSIDE_WEBHOOK_PRIVATE_TARGETS'],
  ['quayside_port', 'QUAYSIDE_PORT'],
])('%s may mean %s', (variable, nearest) => {
  expect(nearestOf(variable)).toBe(nearest);
});

it('the check names what is near to nothing without a guess', () => {
  expect(findUnknownVariables({ QUAYSIDE_SOMETHING_VERY_DIFFERENT: '1' })).toEqual([
    { variable: 'QUAYSIDE_SOMETHING_VERY_DIFFERENT', nearest: null },
  ]);
});

it('the check leaves alone what is right, what is not ours and what tests and benches read', () => {
  const env = {
    QUAYSIDE_PORT: '1',
    QUAYSIDE_WEBHOOK_TIMEOUT_MS: '1',
    QUAYSIDE_WIRE_URL: 'x',
    QUAYSIDE_FUZZ_SEED: 'x',
    QUAYSIDE_TEST_MINUTES: 'x',
    QUAYSIDE_BENCH_ROUNDS: 'x',
    PATH: '/bin',
    BUCKETS: {},
  };
  expect(findUnknownVariables(env)).toEqual([]);
});

it('the check takes long names and many of them at a bounded cost', () => {
  const long = `QUAYSIDE_${'A'.repeat(1_000_000)}`;
  const env: Record<string, string> = { [long]: '' };
  for (let index = 0; index < 5000; index += 1) env[`QUAYSIDE_X${index}`] = '';
  const startedMs = performance.now();
  const unknown = findUnknownVariables(env);
  expect(unknown).toHaveLength(20);
  expect(unknown[0]).toEqual({ variable: long.slice(0, 64), nearest: null });
  expect(performance.now() - startedMs).toBeLessThan(2000);
});

it('the check logs the names, never a value', () => {
  const lines: unknown[] = [];
  const env = { QUAYSIDE_MASTER_KEYS: 'very-secret', QUAYSIDE_PORT: '9000' };
  warnOfUnknown(env, { error: (event, fields) => lines.push({ event, ...fields }) });
  expect(lines).toEqual([
    {
      event: 'unknown-setting',
      variable: 'QUAYSIDE_MASTER_KEYS',
      nearest: 'QUAYSIDE_MASTER_KEY',
      advice: 'docs/configuration.md has all settings',
    },
  ]);
});
