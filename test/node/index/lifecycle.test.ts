// Lifecycle on the Node platform as a process: its own clock carries the rules out, a public reader
// sees it, and it goes on after a death in the middle.
import { createHash } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import { startNodeProcess } from '../kit/node-process.ts';
import { aws, expectOk, useNodeProcesses } from '../kit/platform-client.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

useNodeProcesses();

const PUBLIC = { 'x-amz-acl': 'public-read' };
const SHORT_DAYS = { QUAYSIDE_LIFECYCLE_DAY_SECONDS: '1', QUAYSIDE_SWEEP_INTERVAL_SECONDS: '1' };

async function put(url: string, body: string, headers: Record<string, string> = {}): Promise<void> {
  await expectOk(aws.fetch(url, { method: 'PUT', body, headers }));
}

function putRules(bucketUrl: string, rules: string): Promise<void> {
  const body = `<LifecycleConfiguration>${rules}</LifecycleConfiguration>`;
  const digest = createHash('md5').update(body).digest('base64');
  return put(`${bucketUrl}?lifecycle`, body, { 'content-md5': digest });
}

it('lifecycle ends what is due, for public readers too, and goes on after kill -9', async () => {
  const dataDir = temporaryFolder();
  const first = await startNodeProcess(dataDir, SHORT_DAYS);
  const bucket = `${first.url}/cycled`;
  // A caller that may list gets 404 for a key that is gone.
  await put(bucket, '', PUBLIC);
  const expiration = '<Expiration><Days>2</Days></Expiration>';
  await putRules(bucket, `<Rule><Prefix>tmp/</Prefix><Status>Enabled</Status>${expiration}</Rule>`);
  for (const key of ['kept', 'tmp/a']) await put(`${bucket}/${key}`, key, PUBLIC);
  // Read twice: from here on memory answers.
  for (const _ of [1, 2]) expect((await fetch(`${bucket}/tmp/a`)).status).toBe(200);
  await vi.waitFor(async () => expect((await fetch(`${bucket}/tmp/a`)).status).toBe(404), {
    timeout: 20_000,
    interval: 100,
  });
  expect(await (await fetch(`${bucket}/kept`)).text()).toBe('kept');
  await put(`${bucket}/tmp/b`, 'b', PUBLIC);
  await first.end('SIGKILL');

  const second = await startNodeProcess(dataDir, SHORT_DAYS);
  await vi.waitFor(
    async () => expect((await fetch(`${second.url}/cycled/tmp/b`)).status).toBe(404),
    {
      timeout: 20_000,
      interval: 100,
    },
  );
  expect((await fetch(`${second.url}/cycled/kept`)).status).toBe(200);
  expect(await second.end('SIGTERM')).toBe(0);
});
