import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  EVIDENCE_FILES,
  PLATFORMS,
  type Reasons,
  readEvidence,
  type SuiteEvidence,
  summarize,
} from '../../scripts/compatibility-evidence.ts';
import { compatibilityPage } from '../../scripts/s3-compatibility.ts';
import { OPERATION_NAMES } from '../../src/http/s3/call/detect.ts';

/** The operations that a page has rows for. */
const operationsOf = (page: string) =>
  [...page.matchAll(/^\| (\w+) \| `(?:GET|HEAD|PUT|POST|DELETE) \//gm)]
    .map(([, name]) => name)
    .sort();

describe('docs/s3-compatibility.md', () => {
  const page = readFileSync(new URL('../../docs/s3-compatibility.md', import.meta.url), 'utf8');

  it('has our operations; else run npm run compatibility -- --no-run', () => {
    expect(operationsOf(page)).toEqual([...OPERATION_NAMES].sort());
  });

  it('is made with all of them, and calls none missing that we have', () => {
    const made = compatibilityPage();
    expect(operationsOf(made)).toEqual([...OPERATION_NAMES].sort());
    const missing = made.split('\n### Missing\n')[1]?.split('\n## ')[0] ?? '';
    expect(missing).toContain('SelectObjectContent (`POST /{bucket}/{key}?select`)');
    for (const name of OPERATION_NAMES) expect(missing).not.toContain(`${name} (`);
    expect(made).toMatch(/^- Creating a bucket that one has already/m);
  });
});

describe('the evidence', () => {
  it(
    'has a reason with its source for each test of ' +
      'the suite that does not pass, and for no other',
    () => {
      const { platforms } = readEvidence<SuiteEvidence>(EVIDENCE_FILES.suite);
      const reasons = readEvidence<Reasons>(EVIDENCE_FILES.reasons);
      const notPassed = new Set(PLATFORMS.flatMap((platform) => platforms[platform].notPassed));
      expect(Object.keys(reasons).sort()).toEqual([...notPassed].sort());
      for (const { reason, source } of Object.values(reasons))
        expect([reason, source]).not.toContain('');
    },
  );

  it('adds up summaries of parts of the suite', () => {
    const test = (group: string, outcome: string, tier = 'core') => ({ tier, group, outcome });
    const result = summarize([
      {
        when: '2026-11-21T05:00:00Z',
        tests: { b: test('copy', 'failed'), a: test('copy', 'passed') },
      },
      {
        when: '2026-11-20T05:00:00Z',
        tests: { c: test('acl', 'skipped', 'extended'), d: test('iam', 'failed', 'bonus') },
      },
    ]);
    expect(result).toEqual({
      date: '2026-11-21',
      groups: { 'core: copy': { passed: 1, total: 2 }, 'extended: acl': { passed: 0, total: 1 } },
      notPassed: ['b', 'c'],
    });
  });
});
