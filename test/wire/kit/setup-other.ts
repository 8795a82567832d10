// Points the wire tests of the project `wire` at a server that somebody else runs:
// QUAYSIDE_WIRE_URL.
import type { TestProject } from 'vitest/node';
import { targetFromEnv } from './clients/target.ts';

export default function setup(project: TestProject): void {
  const target = targetFromEnv(process.env);
  if (target === null) throw new Error('QUAYSIDE_WIRE_URL is not set');
  project.provide('wire', target);
}
