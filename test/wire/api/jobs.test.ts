// Jobs over many keys, as the JSON API starts, lists and undoes them: what each kind does on both
// platforms, beyond the moves of test/wire/s3/names.test.ts.
import { expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { type ApiClient, tokenClient } from '../kit/clients/json-api.ts';
import { client, describeCore } from '../kit/clients/suite.ts';

const fresh = () => `jobs-${crypto.randomUUID().slice(0, 8)}/`;

/** Begins a job and waits for its end, asking as a console would. */
async function run(api: ApiClient, path: string, body?: unknown) {
  const begun = await api.call('POST', path, body);
  expect([begun.status, begun.json.code]).toEqual([202, undefined]);
  const jobs = path.replace(/\/jobs.*/, '/jobs');
  let job = begun.json;
  const state = async () => {
    job = (await api.call('GET', `${jobs}/${begun.json.id}`)).json;
    return job.state;
  };
  await expect.poll(state, { timeout: 20_000, interval: 25 }).not.toBe('running');
  return job;
}

describeCore('jobs by JSON', () => {
  const bucket = useBucket(client);
  const other = useBucket(client);
  const base = `/buckets/${bucket}`;

  it('are listed over all buckets, newest first, in pages and by state', async () => {
    const api = await tokenClient(client);
    const folder = fresh();
    const here = await run(api, `${base}/jobs`, { kind: 'delete', prefix: folder });
    const there = await run(api, `/buckets/${other}/jobs`, { kind: 'delete', prefix: folder });
    expect(here.finishedAt).toBe(here.updatedAt);
    // The end of a job is noted behind it: a list of all asks where that is missing.
    const all = (await api.call('GET', '/jobs')).json.items;
    expect(all.slice(0, 2).map(({ id }: { id: string }) => id)).toEqual([there.id, here.id]);
    const first = (await api.call('GET', '/jobs?limit=1&state=done')).json;
    expect(first.items).toMatchObject([{ id: there.id, bucket: other, state: 'done' }]);
    const rest = await api.call('GET', `/jobs?limit=1&state=done&cursor=${first.nextCursor}`);
    expect(rest.json.items).toMatchObject([{ id: here.id, bucket, startedBy: here.startedBy }]);
    const running = (await api.call('GET', '/jobs?state=running')).json.items;
    expect(running.map(({ id }: { id: string }) => id)).not.toContain(here.id);
    expect((await api.call('GET', '/jobs?state=asleep')).json.code).toBe('InvalidInput');
  });
});
