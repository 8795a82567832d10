// Starts a server on Node for all wire tests of the project `wire-node`, and stops it after them.
// With QUAYSIDE_WIRE_TLS=on it speaks HTTPS; with QUAYSIDE_SHARD_ROWS its buckets are split.
import type { TestProject } from 'vitest/node';
import { writeWireEvidence } from './evidence.ts';
import { startNode } from './server.ts';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startNode({ isTls: process.env.QUAYSIDE_WIRE_TLS === 'on' });
  project.provide('wire', server.target);
  return async () => {
    await writeWireEvidence(server.target);
    const code = await server.stop();
    if (code !== 0)
      throw new Error(`The server on Node ended with ${code} instead of draining and exiting 0`);
  };
}
