// What every test file of the wire suite starts with: the clients of the target, and ways to leave
// tests out aloud.
import { describe, inject, it } from 'vitest';
import { createClient } from './client.ts';
import type { WireTarget } from './target.ts';

declare module 'vitest' {
  // An augmentation can only merge into an interface.
  interface ProvidedContext {
    wire: WireTarget;
  }
}

/** One client for all files of a process, of the server that the set-up provides. */
export const client = createClient(inject('wire'));

const { platform, profile } = client.target;

/** A group of tests that the smoke profile leaves out. */
export const describeCore = describe.skipIf(profile === 'smoke');

/** `it`, or with a reason a skipped test that shows it in its name. */
export function itUnless(reason: string | null): (name: string, test: () => Promise<void>) => void {
  return (name, test) => {
    if (reason === null) it(name, test);
    else it.skip(`${name} [${reason}]`, test);
  };
}

/** Why a request target cannot keep `../..` and `../../..` segments; null where it can. */
export const dotSegmentsReason =
  platform === 'node'
    ? null
    : 'workerd makes a URL of the request target, which resolves dot segments';

/** Why there are no websites to visit; null where there are. */
export const websiteReason =
  client.target.websiteDomain === null ? 'no QUAYSIDE_WIRE_WEBSITE_DOMAIN for this server' : null;

/** Why a Host header of our choice would not arrive; null where it does. */
export const virtualHostReason =
  client.target.baseDomain === null ? 'no QUAYSIDE_WIRE_BASE_DOMAIN for this server' : null;
