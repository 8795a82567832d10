// What a program says of itself when it becomes the sender of a drop link.
import { describe, expect, it } from 'vitest';
import { addDrop, createLinkApp } from '../kit/link-app.ts';

const PAGE = { title: null, text: null, colour: null } as const;

/** Sends bodies to a link that wants a name, or takes one. */
async function openSenders(name: 'required' | 'optional') {
  const app = await createLinkApp();
  const page = { ...PAGE, name, mail: 'optional', note: 'optional' } as const;
  const { id } = await addDrop(app, { page });
  const send = (body: string) => app.ask({ method: 'POST', target: `/-/d/${id}/senders`, body });
  return {
    statusOf: async (body: string) => (await send(body)).status,
    async fieldsOf(body: string): Promise<unknown> {
      const { code } = (await (await send(body)).json()) as { code: string };
      const headers = { 'x-quayside-drop-code': code };
      const receipt = await app.ask({ target: `/-/d/${id}/receipt`, headers });
      return ((await receipt.json()) as { sender: unknown }).sender;
    },
  };
}

describe('a sender', () => {
  it('is who the JSON says, without the blanks around it', async () => {
    const { fieldsOf } = await openSenders('required');
    const fields = { name: ' Ann B ', mail: 'ann@b.example', note: '\tfor Tuesday\n' };
    expect(await fieldsOf(JSON.stringify(fields))).toEqual({
      name: 'Ann B',
      mail: 'ann@b.example',
      note: 'for Tuesday',
    });
  });

  it.each(['', '{}', '[]', 'null', '"text"', '{"name":null}'])(
    'is nobody by name with %s, where none is wanted',
    async (body) => {
      const { fieldsOf } = await openSenders('optional');
      expect(await fieldsOf(body)).toEqual({ name: '', mail: '', note: '' });
      const { statusOf } = await openSenders('required');
      expect(await statusOf(body)).toBe(400);
    },
  );

  it.each(['{', '{"name":1}', '{"name":"\\ud800"}', '{"note":{}}'])(
    'is refused with %s',
    async (body) => {
      const { statusOf } = await openSenders('optional');
      expect(await statusOf(body)).toBe(400);
    },
  );

  it('has a document of a bounded length', async () => {
    const { statusOf } = await openSenders('optional');
    expect(await statusOf(' '.repeat(1 << 20))).toBe(413);
    expect(await statusOf(`{}${' '.repeat(1000)}`)).toBe(201);
  });
});
