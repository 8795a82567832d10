// What a contract suite is given: a name, a maker of fresh ports, and the tests that an adapter
// can't pass with the reason why. Contract files import only vitest, src/ports and pure src/core,
// so that they run on every platform.
import { it } from 'vitest';

export type Subject<Port> = {
  readonly name: string;
  /** A port for one test. It need not be empty: tests use ids of their own. */
  readonly make: () => Port | Promise<Port>;
  readonly skip?: readonly { readonly test: string; readonly reason: string }[];
};

/**
 * `it` for a subject: hands each test its port and leaves out what the subject skips, naming the
 * reason.
 */
export function testsOf<Port>(
  subject: Subject<Port>,
): (test: string, run: (port: Port) => Promise<void>) => void {
  return (test, run) => {
    const skipped = subject.skip?.find((entry) => entry.test === test);
    if (skipped !== undefined) it.skip(`${test} (${skipped.reason})`, () => {});
    else it(test, async () => run(await subject.make()));
  };
}
