// A rename of thousands of objects through the death of the Node home in the middle: nothing is lost, nothing is twice, and
// the next process ends it unasked.
import { AwsClient } from 'aws4fetch';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { type Home, killHomes, ROOT_KEY, startHome } from './home.ts';
import { temporaryFolder } from './temporary-folder.ts';

vi.setConfig({ testTimeout: 60_000 });
afterEach(killHomes);
afterAll(killHomes);

const OBJECTS = 3000;
const aws = new AwsClient({ ...ROOT_KEY, service: 's3', region: 'auto', retries: 0 });

async function expectOk(answer: Promise<Response>): Promise<Response> {
  const response = await answer;
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return response;
}

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

/** A bearer token of the root account. */
async function tokenOf({ url }: Home): Promise<string> {
  const base = `${url}/-/api/v1`;
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify(ROOT_KEY);
  const session = await expectOk(fetch(`${base}/sessions`, { method: 'POST', headers, body }));
  const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? '';
  const given = { method: 'POST', headers: { ...headers, cookie }, body: JSON.stringify({ name: 'test' }) };
  const { token } = (await (await expectOk(fetch(`${base}/tokens`, given))).json()) as { token: string };
  return token;
}

it('a rename goes on where the process that was killed left it', async () => {
  const dataDir = temporaryFolder();
  const first = await startHome(dataDir);
  await fill(first.url);
  const authorization = `Bearer ${await tokenOf(first)}`;
  const path = '/-/api/v1/buckets/bucket/jobs';
  const headers = { authorization, 'content-type': 'application/json' };
  const task = JSON.stringify({ kind: 'move', prefix: 'a/', to: 'b/' });
  const begun = await expectOk(fetch(`${first.url}${path}`, { method: 'POST', headers, body: task }));
  const { id } = (await begun.json()) as { id: string };
  await first.end('SIGKILL');

  const second = await startHome(dataDir, { QUAYSIDE_SWEEP_INTERVAL_SECONDS: '1' });
  const read = async () => {
    const answer = await expectOk(fetch(`${second.url}${path}/${id}`, { headers: { authorization } }));
    return (await answer.json()) as { state: string; counts: { done: number } };
  };
  await vi.waitFor(async () => expect((await read()).state).toBe('done'), { timeout: 40_000, interval: 200 });
  expect((await read()).counts).toMatchObject({ done: OBJECTS, missing: 0, conflicts: 0 });
  const size = await expectOk(
    fetch(`${second.url}/-/api/v1/buckets/bucket/sizes?prefix=a/&prefix=b/`, { headers: { authorization } }),
  );
  expect(await size.json()).toMatchObject({ items: [{ objects: 0 }, { objects: OBJECTS }] });
  for (const at of [0, 999, OBJECTS - 1]) {
    expect(await (await expectOk(aws.fetch(`${second.url}/bucket/b/${at}`))).text()).toBe(`body ${at}`);
  }
  expect(await second.end('SIGTERM')).toBe(0);
});
