// What webhooks hear of links: once each, with what happened, and nothing of those who only look.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { sampleBytes } from '../kit/clients/client.ts';
import { client, describeCore } from '../kit/clients/suite.ts';
import { becomeSender, create, makeDrop, sendFile, sha256Of, visit } from '../kit/drop-kit.ts';
import { open, openPage, PREVIEWS, untilStatus, useShares } from '../kit/share-kit.ts';
import { type Receiver, startReceiver } from '../kit/webhook-receiver.ts';

const BODY = sampleBytes(5000, 71);

describeCore('the webhooks of an account', () => {
  const bucket = useBucket(client);
  const shares = useShares(bucket);
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await startReceiver();
    await client.send({ method: 'PUT', bucket, key: 'a.bin', body: BODY });
    const hook = { url: `${receiver.url}/links`, types: ['link.*', 'drop.*'] };
    expect((await shares.api().call('POST', '/webhooks', hook)).status).toBe(201);
  });
  afterAll(() => receiver.close());

  /** What has come of one link, sorted; other files of the suite share the account. */
  const heardOf = (id: string) =>
    receiver.received
      .map(({ json }) => [json.type as string, json.data] as const)
      .filter(([, data]) => (data.linkId ?? data.link) === id)
      .toSorted(([a, one], [b, other]) =>
        a === b ? JSON.stringify(one).localeCompare(JSON.stringify(other)) : a < b ? -1 : 1,
      );
  /** Uses up a link of one download; what was sent before its messages has come before. */
  async function sentinel(): Promise<void> {
    const { id, url } = await shares.ofObject('a.bin', { limits: { downloads: 1 } });
    expect((await open(url)).status).toBe(200);
    const types = () => heardOf(id).map(([type]) => type);
    const both = ['link.downloaded', 'link.limit-near'];
    await expect.poll(types, { timeout: 20_000 }).toEqual(expect.arrayContaining(both));
  }

  it('hear of a share link: opened first, downloaded by whom, limit near', {
    timeout: 60_000,
  }, async () => {
    const seen = await shares.ofObject('a.bin', { limits: { downloads: 1 } });
    const copies = [seen, await shares.label(seen.id, 'Eve')];
    for (const { url } of copies) {
      expect((await untilStatus(url, 200, { 'user-agent': 'Slackbot 1.0' })).status).toBe(200);
      for (const agent of PREVIEWS) await open(url, { 'user-agent': agent });
      const { headers } = await open(url, {}, { method: 'HEAD' });
      const etag = headers.get('etag') ?? '';
      expect((await open(url, { 'if-none-match': etag })).status).toBe(304);
    }

    const { id, url } = await shares.ofObject('a.bin', { limits: { downloads: 5 } });
    const ada = await shares.label(id, 'Ada');
    const bob = await shares.label(id, 'Bob');
    for (const each of [ada, bob]) expect((await openPage(each.url)).status).toBe(200);
    const downloads = [ada.url, bob.url, url, url, ada.url];
    for (const [at, each] of downloads.entries()) {
      expect((await open(each)).bytes.equals(BODY)).toBe(true);
      await expect.poll(async () => (await shares.usage(id)).downloads).toBe(at + 1);
    }
    expect((await open(url)).status).toBe(410);

    const labels = ['Ada', 'Bob', null, null, 'Ada'];
    const factsAt = (at: number) => ({
      linkId: id,
      bucket,
      label: labels[at],
      downloads: at + 1,
      bytes: `${(at + 1) * BODY.length}`,
    });
    await expect.poll(() => heardOf(id).length, { timeout: 20_000 }).toBe(7);
    await sentinel();
    expect(heardOf(id)).toHaveLength(7);
    expect(heardOf(seen.id)).toEqual([]);
    expect(heardOf(id)).toEqual(
      expect.arrayContaining([
        ['link.opened', { linkId: id, bucket }],
        ...labels.map((_, at) => ['link.downloaded', factsAt(at)]),
        ['link.limit-near', factsAt(3)],
      ]),
    );
  });

  it('hear of a drop link: each file that has come, and a limit that is near', {
    timeout: 60_000,
  }, async () => {
    const drop = await makeDrop(shares.api(), bucket, { prefix: 'in/', limits: { files: 5 } });
    for (const method of ['HEAD', 'GET'])
      for (const agent of ['curl/8', ...PREVIEWS])
        await visit(method, drop.path, { headers: { 'user-agent': agent } });
    const code = await becomeSender(drop, { name: 'Ada' });
    expect((await create(drop, code, { name: '../x', length: 5 })).status).toBe(400);
    await sentinel();
    expect(heardOf(drop.id)).toEqual([]);

    for (const name of ['1', '2', '3', '4', '5'])
      expect((await sendFile(drop, code, `${name}.bin`, BODY)).status).toBe(204);
    expect((await create(drop, code, { name: '6', length: 5 })).status).toBe(403);
    await expect.poll(() => heardOf(drop.id).length, { timeout: 20_000 }).toBe(6);
    await sentinel();
    const { json } = await shares.api().call('GET', `${drop.route}/files`);
    const files = (json.items as { id: string; senderId: string; path: string }[]).map((file) => [
      'drop.uploaded',
      {
        ...{ bucket, link: drop.id, file: file.id, sender: file.senderId, path: file.path },
        ...{ key: `in/${file.path}`, sha256: sha256Of(BODY), size: `${BODY.length}` },
      },
    ]);
    const near = {
      ...{ bucket, link: drop.id, files: 4, bytes: `${4 * BODY.length}` },
      limits: { files: 5, totalBytes: null },
    };
    expect(files).toHaveLength(5);
    expect(heardOf(drop.id)).toHaveLength(6);
    expect(heardOf(drop.id)).toEqual(expect.arrayContaining([['drop.limit-near', near], ...files]));
  });
});
