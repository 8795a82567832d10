// A rename of thousands of objects through the death of the Node platform in the middle: nothing is
// lost, nothing is twice, and the next process ends it unasked.

import { expect, it } from 'vitest';
import { openNodePorts } from '../../../src/adapters/node/node-ports.ts';
import { parseConfig } from '../../../src/config.ts';
import { openTestBucket, putBytes } from '../../core/memory-core.ts';
import { startNodeProcess } from '../kit/node-process.ts';
import { apiAt, aws, expectOk, signIn, useNodeProcesses } from '../kit/platform-client.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

useNodeProcesses();

const OBJECTS = 3000;

/** Fills the folder before a server opens it: by requests it would take ten times as long. */
async function fill(dataDir: string): Promise<void> {
  const config = parseConfig({ QUAYSIDE_DATA_DIR: dataDir });
  const log = { info: () => undefined, error: () => undefined };
  const { ports, close } = await openNodePorts(config, { dataDir, log, onCrash: () => undefined });
  const core = { ports, settings: config };
  const bucket = await openTestBucket(core, 'bucket');
  const putAt = (at: number) =>
    putBytes(core, bucket, `a/${at}`, new TextEncoder().encode(`body ${at}`));
  for (let from = 0; from < OBJECTS; from += 100) {
    await Promise.all(Array.from({ length: 100 }, (_, at) => putAt(from + at)));
  }
  await close(1000);
}

it('a rename goes on where the process that was killed left it', async () => {
  const dataDir = temporaryFolder();
  await fill(dataDir);
  const first = await startNodeProcess(dataDir);
  const { cookie, call } = await signIn(first.url);
  const begun = await expectOk(
    call('POST', '/buckets/bucket/jobs', { kind: 'move', prefix: 'a/', to: 'b/' }),
  );
  const { id } = (await begun.json()) as { id: string };
  await first.end('SIGKILL');

  const second = await startNodeProcess(dataDir, { QUAYSIDE_SWEEP_INTERVAL_SECONDS: '1' });
  const api = apiAt(second.url, cookie);
  const read = async () => {
    const answer = await expectOk(api('GET', `/buckets/bucket/jobs/${id}`));
    return (await answer.json()) as { state: string; counts: { done: number } };
  };
  await expect
    .poll(async () => (await read()).state, { timeout: 40_000, interval: 200 })
    .toBe('done');
  expect((await read()).counts).toMatchObject({ done: OBJECTS, missing: 0, conflicts: 0 });
  const size = await expectOk(api('GET', '/buckets/bucket/sizes?prefix=a/&prefix=b/'));
  expect(await size.json()).toMatchObject({ items: [{ objects: 0 }, { objects: OBJECTS }] });
  for (const at of [0, 999, OBJECTS - 1]) {
    expect(await (await expectOk(aws.fetch(`${second.url}/bucket/b/${at}`))).text()).toBe(
      `body ${at}`,
    );
  }
  expect(await second.end('SIGTERM')).toBe(0);
});
