// The program `quayside` of the npm package. Any Node from 18 on can start it: it reads the command
// and hands it to a Node that is new enough, its own or the one that the package brings. It decides
// nothing about storage; the commands themselves are in dist/server.
import { fileURLToPath } from 'node:url';
import { type Command, readCommand } from './command.ts';
import { findNode, isNewEnough } from './find-node.ts';
import { obeyNpx } from './obey-npx.ts';
import { isSupervised, obeySupervisor, superviseNode } from './supervise-node.ts';

/** Exit code of a command that could not do its work. Source: docs/running.md */
const FAILED = 1;

const self = fileURLToPath(import.meta.url);

/** Runs the command in this process, as if its own file had been started with its arguments. */
async function runHere({ file, args, settings }: Command): Promise<void> {
  Object.assign(process.env, settings);
  const url = new URL(`../server/${file}`, import.meta.url);
  process.argv = [process.execPath, fileURLToPath(url), ...args];
  if (isSupervised()) obeySupervisor();
  else obeyNpx();
  await import(url.href);
}

async function main(args: readonly string[]): Promise<void> {
  const command = readCommand(args);
  if (command.kind === 'end') {
    const output = command.exitCode === 0 ? process.stdout : process.stderr;
    output.write(command.text);
    process.exitCode = command.exitCode;
    return;
  }
  if (isNewEnough(process.versions.node)) return runHere(command);

  const node = findNode();
  if (node.path !== null) {
    obeyNpx();
    return superviseNode(node.path, [self, ...args]);
  }
  process.stderr.write(`Quayside can't start: ${node.reason}\n`);
  process.exitCode = FAILED;
}

await main(process.argv.slice(2));
