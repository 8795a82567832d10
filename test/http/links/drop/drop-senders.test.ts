// What somebody says of themselves to a drop link, as a JSON document: it is kept as it was said,
// and what is no such document makes no sender.
import { expect, it } from 'vitest';
import type { DropSettings } from '../../../../src/domain/links/drop-link.ts';
import { DROP_SETTINGS } from '../../../index/kit/use-drop-links.ts';
import { addDrop, createLinkApp } from '../kit/link-app.ts';

/** Most bytes of the document, as answer-drop.ts has it. */
const DOCUMENT_MAX_BYTES = 32 * 1024;
const OPTIONAL = { name: 'optional', mail: 'optional', note: 'optional' } as const;

async function open(page: Partial<DropSettings['page']> = OPTIONAL) {
  const app = await createLinkApp();
  const { id } = await addDrop(app, { page: { ...DROP_SETTINGS.page, ...page } });
  const send = (body: string | Uint8Array) =>
    app.ask({ method: 'POST', target: `/-/d/${id}/senders`, body });
  /** What the sender of that document is remembered as. */
  async function remembered(body: string | Uint8Array): Promise<unknown> {
    const sent = await send(body);
    const { code } = (await sent.json()) as { code: string };
    const headers = { 'x-quayside-drop-code': code };
    const receipt = await app.ask({ target: `/-/d/${id}/receipt`, headers });
    return [sent.status, ((await receipt.json()) as { sender: unknown }).sender];
  }
  return { send, remembered };
}

it.each([
  [{ name: 'Ada' }, { name: 'Ada', mail: '', note: '' }],
  [{ mail: 'ada@files.test' }, { name: '', mail: 'ada@files.test', note: '' }],
  [{ note: 'one\ntwo' }, { name: '', mail: '', note: 'one\ntwo' }],
  [
    { name: ' Ada\t', note: '\n', other: 1 },
    { name: 'Ada', mail: '', note: '' },
  ],
  [{ name: null }, { name: '', mail: '', note: '' }],
])('a sender who says %j is remembered as %j', async (document, expected) => {
  const { remembered } = await open();
  expect(await remembered(JSON.stringify(document))).toEqual([201, expected]);
});

it.each(['', '{}', 'null', '[]', '1', '"Ada"'])('%j says nothing of a sender', async (body) => {
  const { remembered } = await open();
  expect(await remembered(body)).toEqual([201, { name: '', mail: '', note: '' }]);
});

it.each(['{', 'Ada', '{"name":1}', '{"mail":["a"]}', '{"note":{}}', '{"name":"\\ud800"}'])(
  'nobody becomes a sender by %j',
  async (body) => {
    const { send } = await open();
    const reply = await send(body);
    expect([reply.status, await reply.json()]).toMatchObject([400, { code: 'BadRequest' }]);
  },
);

it.each([
  [{ name: 'required' }, '{"mail":"ada@files.test"}'],
  [{ name: 'none' }, '{"name":"Ada"}'],
] as const)('a link that has %j refuses %s', async (page, body) => {
  const { send } = await open({ ...OPTIONAL, ...page });
  const reply = await send(body);
  expect([reply.status, await reply.json()]).toMatchObject([400, { code: 'InvalidArgument' }]);
});

it('a document may have so many bytes and no more', async () => {
  const { send } = await open();
  expect((await send('{}'.padEnd(DOCUMENT_MAX_BYTES))).status).toBe(201);
  expect((await send('{}'.padEnd(DOCUMENT_MAX_BYTES + 1))).status).toBe(413);
});

it('a link takes senders until it has expired', async () => {
  const app = await createLinkApp();
  const expiresAtMs = app.core.ports.clock.nowMs() + 60_000;
  const { id } = await addDrop(app, { expiresAtMs });
  const send = () => app.ask({ method: 'POST', target: `/-/d/${id}/senders`, body: '{}' });
  app.core.advanceSeconds(59);
  expect((await send()).status).toBe(201);
  app.core.advanceSeconds(1);
  expect((await send()).status).toBe(410);
});
