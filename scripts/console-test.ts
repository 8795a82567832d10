// `npm run console-test`: all tests of the console in a real browser, the long ones too, on Node
// and then on the Worker in `wrangler dev`. Arguments go to vitest:
// `npm run console-test -- test/console/frame.test.ts`.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const projects = ['--project', 'console', '--project', 'console-workers'];
const args = [vitest, 'run', ...projects, ...process.argv.slice(2)];
const env = { ...process.env, QUAYSIDE_CONSOLE: 'whole' };
const { status, error } = spawnSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' });
if (error) process.stderr.write(`vitest could not be started: ${error.message}\n`);
process.exitCode = status ?? 1;
