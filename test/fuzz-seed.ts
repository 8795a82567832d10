// The seed of every test with random input: the same on each run, so that a change is judged by the
// change and not by luck. QUAYSIDE_FUZZ_SEED=random (or a number) looks elsewhere,
// QUAYSIDE_FUZZ_MORE=10 longer; a failure prints its seed. vitest.config.ts loads this file before
// each test file.
import fc from 'fast-check';

const asked = process.env.QUAYSIDE_FUZZ_SEED ?? '20261121';

/** What random tests start from. Source: QUAYSIDE_FUZZ_SEED, by default a fixed number. */
export const FUZZ_SEED = asked === 'random' ? Date.now() % 2 ** 31 : Number(asked);

const MORE = Number(process.env.QUAYSIDE_FUZZ_MORE ?? 1);

/**
 * Runs of a slow random test: the usual number, or so many times more. Source: QUAYSIDE_FUZZ_MORE,
 * by default 1.
 */
export const fuzzRuns = (usual: number): number => Math.ceil(usual * MORE);

// A list that may have 300 items shall have them now and then: left alone, none gets beyond 21.
fc.configureGlobal({ seed: FUZZ_SEED, defaultSizeToMaxWhenMaxSpecified: true });
