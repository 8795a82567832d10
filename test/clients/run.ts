// Everyday work with the tools that people have: each script runs on both platforms as people
// start them, `npm start`'s server and `npm run dev`'s wrangler dev. `npm run clients`, or with
// names: `npm run clients -- rclone restic`. A script whose program this machine does not have is
// skipped, and says so with how to install it (tools.ts). Nothing is downloaded here, and npm test
// needs none of it. With `--evidence` what was seen goes into docs/evidence, for
// docs/s3-compatibility.md.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onEachPlatform } from '../../bench/lib/platforms.ts';
import { missingPrograms } from '../../bench/lib/programs.ts';
import {
  type ClientEvidence,
  EVIDENCE_FILES,
  readEvidence,
  writeEvidence,
} from '../../scripts/compatibility-evidence.ts';
import { freshBucketName } from '../wire/kit/clients/client.ts';
import type { WireTarget } from '../wire/kit/clients/target.ts';
import { startWranglerDev } from '../wire/kit/server.ts';
import { LIBRARIES, TOOLS } from './tools.ts';

/**
 * Longest run of one script, milliseconds: aws-cli starts sixty times, which took 236 s on two
 * cores at load 10.
 */
const SCRIPT_LIMIT_MS = 900_000;

/** Libraries by the variables that name them, each empty where it is not set. */
const libraries = Object.fromEntries(LIBRARIES.map((name) => [name, process.env[name] ?? '']));

/** Runs a script to its end. Gives what it printed, or the reason why it failed. */
async function runScript(
  name: string,
  target: WireTarget,
): Promise<{ failure: string | null; lastLine: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'quayside-clients-'));
  const env = {
    ...process.env,
    ...libraries,
    // A bundle of certificates for some other service: rclone's SDK refuses to start with it.
    AWS_CA_BUNDLE: undefined,
    HOME: folder,
    // Where package managers keep what they brought before: Go's modules, for one.
    USER_HOME: process.env.HOME,
    WORK: folder,
    ENDPOINT: target.url,
    HOST: new URL(target.url).host,
    BUCKET: freshBucketName(),
    DOCS: join(import.meta.dirname, '../../docs'),
    CLIENTS: import.meta.dirname,
    NODE: process.execPath,
    AWS_ACCESS_KEY_ID: target.accessKey,
    AWS_SECRET_ACCESS_KEY: target.secretKey,
    AWS_DEFAULT_REGION: 'us-east-1',
    AWS_EC2_METADATA_DISABLED: 'true',
  };
  const script = join(import.meta.dirname, `${name}.sh`);
  const child = spawn('bash', [script], { env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const timer = setTimeout(() => child.kill('SIGKILL'), SCRIPT_LIMIT_MS);
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  clearTimeout(timer);
  await rm(folder, { recursive: true, force: true });
  const lines = output.trim().split('\n');
  return { failure: code === 0 ? null : lines.slice(-25).join('\n'), lastLine: lines.at(-1) ?? '' };
}

/**
 * Adds what a script came to on one platform; of another version or another day nothing stays. It
 * ends with its version.
 */
function note(
  name: string,
  platform: WireTarget['platform'],
  isPassed: boolean,
  lastLine: string,
): void {
  const known = readEvidence<ClientEvidence>(EVIDENCE_FILES.clients);
  const version = isPassed
    ? (/\d+(?:[.-]\d+)+/.exec(lastLine)?.[0] ?? 'unknown')
    : (known[name]?.version ?? 'unknown');
  const date = new Date().toISOString().slice(0, 10);
  const before =
    known[name]?.version === version && known[name].date === date ? known[name].platforms : {};
  const entry = {
    version,
    date,
    platforms: { ...before, [platform]: isPassed ? 'passed' : 'failed' },
  };
  const sorted = Object.entries({ ...known, [name]: entry }).sort(([a], [b]) => (a < b ? -1 : 1));
  writeEvidence(EVIDENCE_FILES.clients, Object.fromEntries(sorted));
}

const print = (line: string) => process.stdout.write(`${line}\n`);
const isEvidence = process.argv.includes('--evidence');
const wanted = process.argv.slice(2).filter((name) => name !== '--evidence');
const unknown = wanted.filter((name) => !(name in TOOLS));
if (unknown.length > 0)
  throw new Error(
    `No such script: ${unknown.join(', ')}. There are ${Object.keys(TOOLS).join(', ')}.`,
  );
let failures = 0;
await onEachPlatform(async ({ target }) => {
  print(`\n${target.url}`);
  for (const [name, { programs, install }] of Object.entries(TOOLS)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const missing = missingPrograms(programs);
    if (missing.length > 0) {
      print(`  ${name}: skipped, this machine has no ${missing.join(', ')} (${install})`);
      continue;
    }
    const startedMs = performance.now();
    const { failure, lastLine } = await runScript(name, target);
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
    if (failure === null && lastLine.startsWith('skipped')) {
      print(`  ${name}: ${lastLine} (${install})`);
      continue;
    }
    print(
      failure === null
        ? `  ${name}: ok in ${seconds} s (${lastLine})`
        : `  ${name}: FAILED after ${seconds} s\n${failure}`,
    );
    if (failure !== null) failures += 1;
    if (isEvidence) note(name, target.platform, failure === null, lastLine);
  }
}, startWranglerDev);
process.exitCode = failures === 0 ? 0 : 1;
