// The profile `full`: a real tree of more than 10,000 files, a large upload and a large PUT through
// the server under examination. The scripts are benches, which print what they measured; here only
// their verdict counts.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { client } from '../kit/clients/suite.ts';

const { target } = client;
const run = promisify(execFile);

/**
 * The slowest platform took ten minutes for a tree on a machine that was busy with other things.
 */
const LIMIT_MS = 30 * 60_000;

describe.runIf(target.profile === 'full')('at full size (profile full)', () => {
  it.each(['tree', 'large'])(
    'the bench %s finds every byte again',
    { timeout: LIMIT_MS },
    async (name) => {
      const script = fileURLToPath(new URL(`../../bench/${name}.ts`, import.meta.url));
      const env = {
        ...process.env,
        QUAYSIDE_WIRE_URL: target.url,
        QUAYSIDE_WIRE_ACCESS_KEY: target.accessKey,
        QUAYSIDE_WIRE_SECRET_KEY: target.secretKey,
        QUAYSIDE_WIRE_REGION: target.region,
        QUAYSIDE_WIRE_PLATFORM: target.platform,
      };
      const { stdout } = await run(process.execPath, [script], { env, timeout: LIMIT_MS });
      process.stdout.write(stdout);
      expect(stdout).toContain(`| ${target.platform} |`);
    },
  );
});
