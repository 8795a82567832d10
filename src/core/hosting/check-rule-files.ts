// A report on the rule files of a bucket's sites, for their owner: how many rules
// each has, and which lines are ignored and why. Called by the JSON API. It reads
// the files as they are now.

import { type HostingSettings, SITE_FILE_NAMES } from '../../domain/hosting.ts';
import type { BucketName } from '../../domain/nouns.ts';
import type { Core } from '../core.ts';
import { parseHeaders } from './parse-headers.ts';
import { parseRedirects } from './parse-redirects.ts';
import { readRuleFile } from './read-rule-file.ts';
import { type RuleProblem, ruleFileKey } from './rule-lines.ts';

/** The report on one rule file. */
export type CheckedFile = {
  readonly key: string;
  readonly rules: number;
  readonly problems: readonly RuleProblem[];
};

/**
 * Checks the existing rule files at the roots of all sites of the bucket. Cost:
 * that of readRuleFile, twice for each root.
 */
export async function checkRuleFiles(
  core: Core,
  bucket: BucketName,
  { domains }: Pick<HostingSettings, 'domains'>,
): Promise<readonly CheckedFile[]> {
  const roots = new Set(['', ...domains.map(({ prefix }) => prefix)]);
  const checked: CheckedFile[] = [];
  for (const root of roots) {
    for (const name of SITE_FILE_NAMES) {
      const key = ruleFileKey(root, name);
      const file = await readRuleFile(core, bucket, key);
      if (file === null) continue;

      const parse = name === '_headers' ? parseHeaders : parseRedirects;
      const { count, problems } =
        'text' in file
          ? parse(file.text)
          : { count: 0, problems: [{ line: 0, reason: file.problem }] };
      checked.push({ key, rules: count, problems });
    }
  }
  return checked;
}
