// Tables of requests that are refused, each with its own code, and beside them such as are taken.
import { expect, it } from 'vitest';
import { contentMd5, outcomeOf } from './responses.ts';
import type { Sent, TestSurface } from './surface.ts';

/** `expected`: a status, or a code, with a part of the message behind a colon. */
export type Line = readonly [title: string, sent: Omit<Sent, 'path'>, expected: string];

/** Tests of a table; all its requests are sent to one path, and share what is not their own. */
export function testLines(
  { send }: TestSurface,
  path: string,
  shared: Partial<Sent>,
  table: readonly Line[],
): void {
  it.each(table)('a request of the table has its outcome: %s', async (_title, sent, expected) => {
    const headers = { 'content-md5': contentMd5(sent.body ?? ''), ...sent.headers };
    const reply = await send({ ...shared, ...sent, path, headers });
    expectOutcome(reply, expected);
  });
}

/** Expects a status, or a code, with a part of the message behind a colon. */
export function expectOutcome(reply: Awaited<ReturnType<TestSurface['send']>>, expected: string) {
  const [code, said = ''] = expected.split(/: (.*)/s);
  expect(outcomeOf(reply)).toEqual([code, expect.stringContaining(said)]);
}
