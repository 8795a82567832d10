// Evidence of S3 compatibility, as files in docs/evidence: s3-compatibility.ts makes a page of it.
// Runs write them, people write the reasons only. Results of ceph/s3-tests come in by npm run
// compatibility -- --no-run --suite <commit> --node summary.json --workers summary.json (each
// option as often as there are files; a run in parts has several).
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The platforms in the order of columns. */
export const PLATFORMS = ['node', 'workers'] as const;
export type Platform = (typeof PLATFORMS)[number];

const file = (name: string) =>
  fileURLToPath(new URL(`../docs/evidence/${name}.json`, import.meta.url));
/** Written by the wire suite, by takeSuiteResults, by hand, and by test/clients/run.ts. */
export const EVIDENCE_FILES = {
  wire: file('wire-operations'),
  suite: file('s3-tests'),
  reasons: file('s3-tests-reasons'),
  clients: file('clients'),
} as const;

/** Responses by platform, operation and class of status: `{node: {PutObject: {"2xx": 812}}}`. */
export type WireEvidence = Readonly<
  Partial<Record<Platform, Readonly<Record<string, Readonly<Record<string, number>>>>>>
>;

/** One run of ceph/s3-tests, or several of parts of it. */
export type SuiteResult = {
  readonly date: string;
  readonly groups: Readonly<Record<string, { readonly passed: number; readonly total: number }>>;
  readonly notPassed: readonly string[];
};
export type SuiteEvidence = {
  readonly suite: string;
  readonly platforms: Readonly<Record<Platform, SuiteResult>>;
};

/** Why a test does not pass, by its name, and what says so. */
export type Reasons = Readonly<
  Record<string, { readonly reason: string; readonly source: string }>
>;

/** Results of the scripts of test/clients, by their names. */
export type ClientEvidence = Readonly<
  Record<
    string,
    {
      readonly version: string;
      readonly date: string;
      readonly platforms: Readonly<Partial<Record<Platform, string>>>;
    }
  >
>;

/** A summary of the suite's runner; tests of the tier `bonus` (`fails_on_aws`) do not count. */
type Summary = {
  readonly when: string;
  readonly tests: Readonly<
    Record<string, { readonly tier: string; readonly group: string; readonly outcome: string }>
  >;
};

const readJson = <Value>(path: string): Value => JSON.parse(readFileSync(path, 'utf8')) as Value;

/** Throws an Error where the file is missing or no JSON. */
export function readEvidence<Value>(
  path: (typeof EVIDENCE_FILES)[keyof typeof EVIDENCE_FILES],
): Value {
  return readJson<Value>(path);
}

/** Writes evidence so that a change of one fact is a change of one line. */
export function writeEvidence(path: string, value: unknown): void {
  mkdirSync(fileURLToPath(new URL('../docs/evidence/', import.meta.url)), { recursive: true });
  writeFileSync(path, `${JSON.stringify(value, null, 1)}\n`);
}

/** Stores the results of the suite's runner for one platform; the last one of a test counts. */
export function takeSuiteResults(
  platform: Platform,
  suite: string | undefined,
  paths: readonly string[],
): void {
  if (paths.length === 0) return;
  if (suite === undefined)
    throw new Error('Say with --suite which commit of ceph/s3-tests was run.');
  const stored = readJson<SuiteEvidence>(EVIDENCE_FILES.suite);
  const result = summarize(paths.map((path) => readJson<Summary>(path)));
  writeEvidence(EVIDENCE_FILES.suite, {
    suite,
    platforms: { ...stored.platforms, [platform]: result },
  });
}

/** Adds the summaries up. */
export function summarize(summaries: readonly Summary[]): SuiteResult {
  const tests = new Map(summaries.flatMap((summary) => Object.entries(summary.tests)));
  const groups: Record<string, { passed: number; total: number }> = {};
  const notPassed: string[] = [];
  for (const [name, { tier, group, outcome }] of tests) {
    if (tier !== 'core' && tier !== 'extended') continue;
    const count = groups[`${tier}: ${group}`] ?? { passed: 0, total: 0 };
    groups[`${tier}: ${group}`] = count;
    count.total += 1;
    if (outcome === 'passed') count.passed += 1;
    else notPassed.push(name);
  }
  const date = summaries
    .map(({ when }) => when.slice(0, 10))
    .sort()
    .at(-1);
  const byName = Object.entries(groups).sort(([a], [b]) => (a < b ? -1 : 1));
  return { date: date ?? '', groups: Object.fromEntries(byName), notPassed: notPassed.sort() };
}
