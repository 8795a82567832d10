// Writes docs/s3-compatibility.md from the operation table, the head of the S3 surface, and the
// evidence in docs/evidence: responses of the wire suite, results of ceph/s3-tests, tools. `npm run
// compatibility` runs the wire suite on both platforms and writes the page; with `-- --no-run` it
// writes the page alone. compatibility-evidence.ts knows the files and takes in new results.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { OWN_SUBRESOURCES, PLAIN, SUBRESOURCES } from '../src/http/s3/call/subresources.ts';
import type { Operation } from '../src/http/s3/operations/table/operation.ts';
import { OPERATIONS } from '../src/http/s3/operations/table/operations.ts';
import { TOOLS } from '../test/clients/tools.ts';
import {
  type ClientEvidence,
  EVIDENCE_FILES,
  PLATFORMS,
  type Platform,
  type Reasons,
  readEvidence,
  type SuiteEvidence,
  type SuiteResult,
  takeSuiteResults,
  type WireEvidence,
} from './compatibility-evidence.ts';
import { wrapText } from './wrap-text.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PAGE = `${ROOT}docs/s3-compatibility.md`;

/** The platforms as the wire suite runs them, and as users start them, for heads of tables. */
const WIRE_TITLES: Readonly<Record<Platform, string>> = { node: 'Node', workers: 'workerd' };
const PLATFORM_TITLES: Readonly<Record<Platform, string>> = {
  node: '`npm start`',
  workers: '`npm run dev`',
};

/**
 * Operations that share a method and a sub-resource with another one: what tells them apart.
 * Source: refine() in detect.ts.
 */
const VARIANTS: Readonly<Record<string, string>> = {
  ListObjectsV2: 'GET /{bucket}?list-type=2',
  DryRunBucketLifecycle: 'GET /{bucket}?lifecycle&dry-run',
  CopyObject: 'PUT /{bucket}/{key} with x-amz-copy-source',
  UploadPartCopy: 'PUT /{bucket}/{key}?uploadId with x-amz-copy-source',
};
/** Variants that S3 does not have. */
const OWN_VARIANTS = ['DryRunBucketLifecycle'];
/** The preflight of CORS is no operation of the table: preflight.ts responds to it. */
const PREFLIGHT = 'OptionsObject';

/** The first request line of every operation of S3 and of Quayside, by operation. */
function requestLines(): ReadonlyMap<string, string> {
  const lines = new Map<string, string>();
  const add = (name: string, line: string) => lines.set(name, lines.get(name) ?? line);
  for (const level of ['service', 'bucket', 'object'] as const) {
    const path = level === 'service' ? '/' : level === 'bucket' ? '/{bucket}' : '/{bucket}/{key}';
    for (const [method, name] of Object.entries(PLAIN[level])) add(name, `${method} ${path}`);
    const table: Readonly<Record<string, Readonly<Record<string, string>>>> = SUBRESOURCES[level];
    for (const [subresource, methods] of Object.entries(table)) {
      for (const [method, name] of Object.entries(methods))
        add(name, `${method} ${path}?${subresource}`);
    }
  }
  for (const [name, line] of Object.entries(VARIANTS)) add(name, line);
  lines.delete(PREFLIGHT);
  return lines;
}

function ownOperations(): ReadonlySet<string> {
  const levels: readonly Readonly<Record<string, Readonly<Record<string, string>>>>[] =
    Object.values(OWN_SUBRESOURCES);
  const names = levels.flatMap((level) =>
    Object.values(level).flatMap((methods) => Object.values(methods)),
  );
  return new Set([...names, ...OWN_VARIANTS]);
}

function operationRow(
  name: string,
  line: string,
  operation: Operation,
  evidence: WireEvidence,
): string {
  const counted = (platform: Platform) => {
    const byClass = Object.entries(evidence[platform]?.[name] ?? {});
    return byClass.map(([status, count]) => `${count} × ${status}`).join(', ') || 'none yet';
  };
  const right = 'action' in operation ? `\`${operation.action}\`` : 'a signature';
  const refused = operation.rejects.map((header) => `\`${header}\``).join(', ');
  const cells = [name, `\`${line}\``, right, operation.meter, ...PLATFORMS.map(counted), refused];
  return `| ${cells.join(' | ')} |`;
}

/** Rows of the table by their kind, and the names of missing operations. */
function operationRows(evidence: WireEvidence): {
  have: string[];
  own: string[];
  missing: string[];
} {
  const table: Readonly<Record<string, Operation>> = OPERATIONS;
  const isOwn = ownOperations();
  const rows: { have: string[]; own: string[]; missing: string[] } = {
    have: [],
    own: [],
    missing: [],
  };
  for (const [name, line] of [...requestLines()].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const operation = table[name];
    if (operation === undefined) rows.missing.push(`${name} (\`${line}\`)`);
    else
      (isOwn.has(name) ? rows.own : rows.have).push(operationRow(name, line, operation, evidence));
  }
  return rows;
}

/** The list of deviations beside the S3 surface. */
function deviations(): string {
  const page = readFileSync(`${ROOT}src/http/s3/deviations.md`, 'utf8');
  return page.slice(page.indexOf('\n- ') + 1).trimEnd();
}

/** `607 of 613` of the groups whose name begins so. */
function totalOf({ groups }: SuiteResult, start: string): string {
  const counted = Object.entries(groups).filter(([name]) => name.startsWith(start));
  const sum = (of: 'passed' | 'total') => counted.reduce((all, [, group]) => all + group[of], 0);
  return `${sum('passed')} of ${sum('total')}`;
}

function suiteSection({ suite, platforms: results }: SuiteEvidence, reasons: Reasons): string {
  const summaryOf = (platform: Platform) => {
    const result = results[platform];
    const core = totalOf(result, 'core');
    const title = PLATFORM_TITLES[platform];
    return `**${totalOf(result, '')}** on ${title} (core: ${core}; ${result.date})`;
  };
  const rows = Object.keys(results.node.groups).map((group) => {
    const cell = (platform: Platform) => {
      const { passed, total } = results[platform].groups[group] ?? { passed: 0, total: 0 };
      return `${passed} of ${total}`;
    };
    return `| ${group} | ${PLATFORMS.map(cell).join(' | ')} |`;
  });
  const failing = [...new Set(PLATFORMS.flatMap((platform) => results[platform].notPassed))].sort();
  const reasonRows = failing.map((name) => {
    const failed = PLATFORMS.filter((platform) => results[platform].notPassed.includes(name));
    const where = failed.map((platform) => PLATFORM_TITLES[platform]);
    const { reason, source } = reasons[name] ?? {
      reason: 'no reason written down yet',
      source: '',
    };
    return `| ${name} | ${where.join(', ')} | ${reason} | ${source} |`;
  });
  const intro = [
    `[ceph/s3-tests](https://github.com/ceph/s3-tests) at ${suite.slice(0, 12)}, `,
    'tests marked `fails_on_aws` left out, its ',
    "`api_name` being the service's region `auto`, ",
    'against `npm start` and `npm run dev` (wrangler dev): ',
    PLATFORMS.map(summaryOf).join(', '),
  ].join('');
  return `${wrapText(`${intro}.`)}

| group | ${PLATFORMS.map((platform) => PLATFORM_TITLES[platform]).join(' | ')} |
|---|---|---|
${rows.join('\n')}

### What does not pass, and why
Where a test contradicts AWS's documents, AWS wins.

| test | platform | reason | source |
|---|---|---|---|
${reasonRows.join('\n')}`;
}

function clientSection(clients: ClientEvidence): string {
  const rows = Object.entries(TOOLS).map(([name, { install }]) => {
    const evidence = clients[name];
    const cells = PLATFORMS.map((platform) => evidence?.platforms[platform] ?? 'not run');
    const link = `[${name}](../test/clients/${name}.sh)`;
    const columns = [link, evidence?.version ?? '', evidence?.date ?? '', ...cells, install];
    return `| ${columns.join(' | ')} |`;
  });
  const intro = [
    "`npm run clients` does a day's work with these on both platforms as `npm start` ",
    'and `npm run dev` (wrangler dev) run them, where they are ',
    'installed; the scripts say what that is. It downloads nothing: programs are found on `PATH` ',
    '(where `go install` and a venv put them must be on it), ',
    'Python packages by the `python3` there, other libraries by the environment variable ',
    'in the last column. What is missing is skipped, and named.',
  ].join('');
  const titles = PLATFORMS.map((platform) => PLATFORM_TITLES[platform]).join(' | ');
  return `${wrapText(intro)}

| tool | version | date | ${titles} | to install |
|---|---|---|---|---|---|
${rows.join('\n')}`;
}

/** The whole page. */
export function compatibilityPage(): string {
  const { have, own, missing } = operationRows(readEvidence<WireEvidence>(EVIDENCE_FILES.wire));
  const titles = PLATFORMS.map((platform) => WIRE_TITLES[platform]).join(' | ');
  const header = [
    `| operation | request | right | class | ${titles} | headers refused |`,
    '|---|---|---|---|---|---|---|',
  ].join('\n');
  const suite = suiteSection(
    readEvidence<SuiteEvidence>(EVIDENCE_FILES.suite),
    readEvidence<Reasons>(EVIDENCE_FILES.reasons),
  );
  const intro = [
    'The right is the action that a bucket policy names for it. ',
    'The class is what a request is metered as. The next two columns count the ',
    'responses that the wire suite (test/wire: the official SDK, a second signer, raw sockets) ',
    "got from each platform in its last run: from `npm start`'s ",
    'server, and from the script that `npm run deploy` uploads, in workerd with local storage. ',
    'What is refused by its name is 501, a 5xx. ',
    'A header of the last column is refused with 501 and its name, ',
    'so that no requested option is dropped without a word.',
  ].join('');
  return `<!-- Made by \`npm run compatibility\`. Change its sources, not this page. -->
# S3 compatibility

## Operations
${wrapText(intro)}

${header}
${have.join('\n')}

### Ours, which S3 does not have
Their rights are actions of S3, because a policy may name no others.

${header}
${own.join('\n')}

### Missing
Answered 501 NotImplemented with their names:

${missing.map((operation) => `- ${operation}`).join('\n')}

## Deviations, on purpose
${deviations()}

## ceph/s3-tests
${suite}

## Tools
${clientSection(readEvidence<ClientEvidence>(EVIDENCE_FILES.clients))}
`;
}

function main(): number {
  const { values } = parseArgs({
    options: {
      'no-run': { type: 'boolean', default: false },
      suite: { type: 'string' },
      node: { type: 'string', multiple: true },
      workers: { type: 'string', multiple: true },
    },
  });
  for (const platform of PLATFORMS)
    takeSuiteResults(platform, values.suite, values[platform] ?? []);
  if (!values['no-run']) {
    const env = { ...process.env, QUAYSIDE_WIRE_EVIDENCE: EVIDENCE_FILES.wire };
    const run = spawnSync(
      'vitest',
      ['run', '--project', 'wire-node', '--project', 'wire-workers'],
      {
        cwd: ROOT,
        env,
        stdio: 'inherit',
      },
    );
    if (run.status !== 0) return run.status ?? 1;
  }
  writeFileSync(PAGE, compatibilityPage());
  return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main();
