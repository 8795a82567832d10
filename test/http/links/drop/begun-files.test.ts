// Files that strangers begin and give up again: on nobody's bill, and not without end.
import { expect, it } from 'vitest';
import {
  DROP_BEGUN_PER_SENDER,
  DROP_BEGUN_PER_SOURCE,
  DROP_BEGUN_WINDOW_MS,
  DROP_WASTED_PER_SOURCE,
} from '../../../../src/domain/links/link-limits.ts';
import { addDrop, becomeSender, createLinkApp, type LinkApp } from '../kit/link-app.ts';

const LIMITS = {
  fileBytes: null,
  files: 10_000,
  totalBytes: null,
  senderFiles: null,
  senderBytes: null,
  types: null,
};
const SOURCE = '203.0.113.9';

type Sender = { readonly headers: Record<string, string>; readonly from: string };

async function open() {
  const app = await createLinkApp();
  const link = await addDrop(app, { limits: LIMITS });
  const target = `/-/d/${link.id}/files`;
  const sender = async (from = SOURCE): Promise<Sender> => ({
    headers: await becomeSender(app, link, from),
    from,
  });
  const begin = ({ headers, from }: Sender, length = 5) =>
    app.ask({
      method: 'POST',
      target,
      headers: {
        ...headers,
        'upload-length': `${length}`,
        'upload-metadata': `filename ${btoa('a.txt')}`,
      },
      from,
    });
  const giveUp = (who: Sender, begun: Response) =>
    app.ask({ method: 'DELETE', target: begun.headers.get('location') ?? '', ...who });
  const send = (who: Sender, begun: Response, body: string) =>
    app.ask({
      method: 'PATCH',
      target: begun.headers.get('location') ?? '',
      headers: {
        ...who.headers,
        'content-type': 'application/offset+octet-stream',
        'upload-offset': '0',
      },
      from: who.from,
      body,
    });
  return { app, sender, begin, giveUp, send };
}

const operations = ({ core, bucket }: LinkApp) => {
  const meter = core.ports.meter as typeof core.ports.meter & {
    ofBucket(id: string): { operations: { A: number } } | null;
  };
  return meter.ofBucket(bucket.record().id)?.operations.A ?? 0;
};

it('a file that is given up before any byte costs its receiver nothing', async () => {
  const { app, sender, begin, giveUp, send } = await open();
  const who = await sender();
  const before = operations(app);
  const begun = await begin(who);
  expect([begun.status, (await giveUp(who, begun)).status]).toEqual([201, 204]);
  expect(operations(app) - before).toBe(0);

  // One that comes costs its beginning, its piece and its end.
  expect((await send(who, await begin(who), 'hello')).status).toBe(204);
  expect(operations(app) - before).toBe(3);
});

it('a sender who gives up one file after the other must wait', async () => {
  const { app, sender, begin, giveUp, send } = await open();
  const who = await sender();
  for (let count = 0; count < DROP_BEGUN_PER_SENDER; count++) {
    const begun = await begin(who);
    expect(begun.status).toBe(201);
    await giveUp(who, begun);
  }
  const refused = await begin(who);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3000);

  // Neither another sender is held up by it, nor what has begun.
  const other = await sender();
  expect((await send(other, await begin(other), 'hello')).status).toBe(204);
  app.core.advanceSeconds(DROP_BEGUN_WINDOW_MS / 1000);
  expect((await begin(who)).status).toBe(201);
});

it('a source that gives them up by many senders must wait, others need not', async () => {
  const { sender, begin, giveUp } = await open();
  const senders = [await sender(), await sender(), await sender()];
  for (let count = 0; count < DROP_BEGUN_PER_SOURCE; count++) {
    const who = senders[count % senders.length] as Sender;
    const begun = await begin(who);
    expect(begun.status).toBe(201);
    await giveUp(who, begun);
  }
  expect((await begin(senders[0] as Sender)).status).toBe(429);
  expect((await begin(await sender())).status).toBe(429);
  expect((await begin(await sender('198.51.100.7'))).status).toBe(201);
});

it('bytes of which nothing stays are received so often, and no more', async () => {
  const { app, sender, begin, send } = await open();
  const who = await sender();
  const begun = await begin(who, 5);
  const target = begun.headers.get('location') ?? '';
  const wrong = () =>
    app.ask({
      method: 'PATCH',
      target,
      headers: {
        ...who.headers,
        'content-type': 'application/offset+octet-stream',
        'upload-offset': '0',
        'upload-checksum': `md5 ${btoa('x'.repeat(16))}`,
      },
      from: SOURCE,
      body: 'hello',
    });
  for (let count = 0; count < DROP_WASTED_PER_SOURCE; count++)
    expect((await wrong()).status).toBe(460);
  expect((await wrong()).status).toBe(429);
  expect((await send({ ...who, from: '198.51.100.7' }, begun, 'hello')).status).toBe(204);
});

it('files that come to their end are not counted, nor refused ones', async () => {
  const { sender, begin, send } = await open();
  const who = await sender();
  for (let count = 0; count <= DROP_BEGUN_PER_SENDER; count++) {
    const begun = await begin(who, 1);
    expect([begun.status, (await send(who, begun, 'x')).status]).toEqual([201, 204]);
    expect((await begin(who, 10 ** 14)).status).toBe(413);
  }
});
