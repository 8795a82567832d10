// Passwords and their hashes: who has which, and that nobody learns by time which accounts exist.
import { expect, it } from 'vitest';
import { hashPassword, isPassword } from '../../src/crypto/password.ts';

// The accent is a sign of its own here.
const HASH = await hashPassword('cafe\u0301');

/** Processor time of this process, whose threads hash, so that a busy machine does not count. */
async function cpuMsOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

it('a hash is of one password, whatever form of Unicode it is typed in', async () => {
  expect(await isPassword('caf\u00e9', HASH)).toBe(true);
  expect(await isPassword('cafe', HASH)).toBe(false);
});

it('to refuse where there is no hash takes as long as to refuse a wrong password', async () => {
  const wrongMs = await cpuMsOf(() => isPassword('wrong', HASH));
  const noneMs = await cpuMsOf(async () => {
    expect(await isPassword('wrong', null)).toBe(false);
  });
  expect(noneMs).toBeGreaterThan(wrongMs / 3);
});
