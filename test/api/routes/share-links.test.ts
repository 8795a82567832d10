// What the API does with share links that go, are revoked by the hundred, or have long statistics.
import { expect, it } from 'vitest';
import type { LabelId, LinkId } from '../../../src/domain/links/link-ids.ts';
import { NO_COUNTS } from '../../../src/domain/links/share-records.ts';
import { DAY_MS } from '../../../src/domain/time.ts';
import type { Ports } from '../../../src/ports/index.ts';
import { startMemoryApi } from '../memory-api.ts';

const faults = { removing: false };
let calls = 0;

/** Counts calls of the index; a directory that forgets no id while it is told so. */
function wrap(ports: Ports): Ports {
  const { directory, metadataIndex } = ports;
  return {
    ...ports,
    metadataIndex: {
      ...metadataIndex,
      call: (...input: Parameters<typeof metadataIndex.call>) => {
        calls += 1;
        return metadataIndex.call(...input);
      },
    } as typeof metadataIndex,
    directory: {
      ...directory,
      call: async (name: string, input: never) => {
        if (faults.removing && name === 'removeLinkId') throw new Error('The directory is away.');
        return directory.call(name as never, input);
      },
    } as unknown as typeof directory,
  };
}

const { send, core } = await startMemoryApi(undefined, wrap);
const LINKS = '/buckets/fuzz-bucket-one/share-links';
const headers = { 'content-type': 'application/json' };
const ask = (method: string, path: string, body: object | null = null) =>
  send({ method, path, headers, body: body === null ? null : JSON.stringify(body) });
const make = async (): Promise<string> => {
  const { json } = await ask('POST', LINKS, { target: { kind: 'folder', prefix: 'photos/' } });
  return json.id;
};
const listed = async (): Promise<readonly string[]> =>
  (await ask('GET', '/links')).json.items.map(({ id }: { id: string }) => id);

it('a link whose deletion broke off in the middle is deleted by the next one', async () => {
  const id = await make();
  faults.removing = true;
  expect((await ask('DELETE', `${LINKS}/${id}`)).status).toBe(500);
  faults.removing = false;
  expect(await listed()).toContain(id);
  expect((await ask('DELETE', `${LINKS}/${id}`)).status).toBe(204);
  expect(await listed()).not.toContain(id);
  expect((await ask('DELETE', `${LINKS}/${id}`)).status).toBe(204);
});

it('many links are revoked by few calls of the index', async () => {
  for (let count = 0; count < 150; count++) await make();
  const before = calls;
  const { json } = await ask('POST', `${LINKS}/revoke`, { prefix: 'photos/' });
  expect(json.revoked).toBe(150);
  expect(calls - before).toBeLessThan(10);
});

it('statistics come newest first, page by page', async () => {
  const id = (await make()) as LinkId;
  const { json } = await ask('GET', '/buckets/fuzz-bucket-one');
  const bucket = { id: json.id, name: json.name };
  const today = Math.floor(core.ports.clock.nowMs() / DAY_MS) * DAY_MS;
  const days = [0, 1, 2].flatMap((age) =>
    [null, 'label-01' as LabelId].map((labelId) => ({
      linkId: id,
      labelId,
      dayMs: today - age * DAY_MS,
      referrers: {},
      countries: {},
      ...NO_COUNTS,
      opened: 1,
    })),
  );
  await core.ports.metadataIndex.call(json.name, 'addShareCounts', { bucket, days, nowMs: today });

  const path = `${LINKS}/${id}/statistics`;
  const shown: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await ask('GET', `${path}?limit=4${cursor === '' ? '' : `&cursor=${cursor}`}`);
    expect(page.json.sums).toHaveLength(2);
    for (const { day, labelId } of page.json.items) shown.push(`${day} ${labelId}`);
    cursor = page.json.nextCursor;
  }
  const dayOf = (age: number) => new Date(today - age * DAY_MS).toISOString().slice(0, 10);
  expect(shown).toEqual(
    [0, 1, 2].flatMap((age) => [`${dayOf(age)} label-01`, `${dayOf(age)} null`]),
  );
  expect((await ask('GET', path)).json.nextCursor).toBeNull();
});
