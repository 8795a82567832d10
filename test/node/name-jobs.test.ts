// A rename of thousands of objects through the death of the Node home in the middle: nothing is lost, nothing is twice, and
// the next process ends it unasked.
import { expect, it } from 'vitest';
import { startHome } from './home.ts';
import { apiAt, aws, expectOk, signIn, useHomes } from './home-client.ts';
import { temporaryFolder } from './temporary-folder.ts';

useHomes();

const OBJECTS = 3000;

async function fill(url: string): Promise<void> {
  await expectOk(aws.fetch(`${url}/bucket`, { method: 'PUT' }));
  let next = 0;
  const work = async () => {
    for (let at = next++; at < OBJECTS; at = next++) {
      await expectOk(aws.fetch(`${url}/bucket/a/${at}`, { method: 'PUT', body: `body ${at}` }));
    }
  };
  await Promise.all(Array.from({ length: 32 }, work));
}

it('a rename goes on where the process that was killed left it', async () => {
  const dataDir = temporaryFolder();
  const first = await startHome(dataDir);
  await fill(first.url);
  const { cookie, call } = await signIn(first.url);
  const begun = await expectOk(call('POST', '/buckets/bucket/jobs', { kind: 'move', prefix: 'a/', to: 'b/' }));
  const { id } = (await begun.json()) as { id: string };
  await first.end('SIGKILL');

  const second = await startHome(dataDir, { QUAYSIDE_SWEEP_INTERVAL_SECONDS: '1' });
  const api = apiAt(second.url, cookie);
  const read = async () => {
    const answer = await expectOk(api('GET', `/buckets/bucket/jobs/${id}`));
    return (await answer.json()) as { state: string; counts: { done: number } };
  };
  await expect.poll(async () => (await read()).state, { timeout: 40_000, interval: 200 }).toBe('done');
  expect((await read()).counts).toMatchObject({ done: OBJECTS, missing: 0, conflicts: 0 });
  const size = await expectOk(api('GET', '/buckets/bucket/sizes?prefix=a/&prefix=b/'));
  expect(await size.json()).toMatchObject({ items: [{ objects: 0 }, { objects: OBJECTS }] });
  for (const at of [0, 999, OBJECTS - 1]) {
    expect(await (await expectOk(aws.fetch(`${second.url}/bucket/b/${at}`))).text()).toBe(`body ${at}`);
  }
  expect(await second.end('SIGTERM')).toBe(0);
});
