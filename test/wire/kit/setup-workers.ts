// Starts the Cloudflare platform once for all wire tests of the project `wire-workers` and stops it
// after them.
import type { TestProject } from 'vitest/node';
import { writeWireEvidence } from './evidence.ts';
import { startWorkers } from './server.ts';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startWorkers();
  project.provide('wire', server.target);
  return async () => {
    await writeWireEvidence(server.target);
    await server.stop();
  };
}
