import { describe, expect, it } from 'vitest';
import { openForm, readFilesForm } from '../../../../src/http/s3/post/form-body.ts';
import type { ByteSource } from '../../../../src/ports/byte-source.ts';
import { cpuMsOf, QUICK_MS } from '../../../cpu-time.ts';
import { failing } from '../kit/responses.ts';

const CONTENT_TYPE = 'multipart/form-data; boundary=----x';
const part = (head: string, value: string) =>
  `------x\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`;
const field = (name: string, value: string) => part(`name="${name}"`, value);
const file = (value: string, head = 'filename="a.txt"') => part(`name="file"; ${head}`, value);
const END = '------x--\r\n';

/** A body in pieces of that many bytes. */
function sourceOf(text: string, pieceBytes: number): ByteSource {
  const bytes = new TextEncoder().encode(text);
  return {
    lengthBytes: bytes.length,
    async pump(onChunk) {
      for (let at = 0; at < bytes.length; at += pieceBytes)
        await onChunk(bytes.slice(at, at + pieceBytes));
    },
  };
}

async function read(text: string, pieceBytes = 1 << 20) {
  const form = await openForm(CONTENT_TYPE, sourceOf(text, pieceBytes));
  let body = '';
  const decoder = new TextDecoder();
  await form.file.pump((chunk) => {
    body += decoder.decode(chunk, { stream: true });
  });
  const fields = Object.fromEntries(
    [...form.fields].map(([name, value]) => [name, new TextDecoder().decode(value)]),
  );
  return { fields, fileName: form.fileName, body };
}

describe('a form', () => {
  const nasty = 'line\r\n------\r\n------X\r\n\r\n--ä\r\n-----x';
  const fields = `${field('Key', 'k ü')}${field('note', nasty)}`;
  const text = `${fields}${file(nasty)}${field('late', 'ignored')}${END}`;

  it.each(Array.from({ length: 80 }, (_, at) => at + 1))(
    'is the same in pieces of %i bytes',
    async (pieceBytes) => {
      expect(await read(text, pieceBytes)).toEqual({
        fields: { key: 'k ü', note: nasty },
        fileName: 'a.txt',
        body: nasty,
      });
    },
  );

  it('may have an empty file, a type that nobody reads, and a name with folders', async () => {
    const typed = file('', 'filename="C:\\x\\b.png"\r\nContent-Type: image/png');
    expect(await read(`${field('key', 'k')}${typed}${END}`)).toEqual({
      fields: { key: 'k' },
      fileName: 'b.png',
      body: '',
    });
  });

  it('must be one, and whole', async () => {
    const open = (type: string | null, text: string) => openForm(type, sourceOf(text, 7));
    expect(() => open('text/plain', '')).toThrow(failing('PreconditionFailed'));
    expect(() => open('multipart/form-data', '')).toThrow(failing('PreconditionFailed'));
    await expect(open(CONTENT_TYPE, field('key', 'k'))).rejects.toEqual(
      failing('MalformedPOSTRequest'),
    );
    await expect(open(CONTENT_TYPE, `${field('key', 'k')}${END}`)).rejects.toEqual(
      failing('InvalidArgument'),
    );
    await expect(
      open(CONTENT_TYPE, '------x\r\nContent-Disposition: form-data\r\n\r\nx'),
    ).rejects.toEqual(failing('MalformedPOSTRequest'));
    const long = 'x'.repeat(30_000);
    await expect(open(CONTENT_TYPE, field('key', long))).rejects.toEqual(
      failing('MaxPostPreDataLengthExceededError'),
    );
    await expect(open(CONTENT_TYPE, part(`name="${long}"`, 'x'))).rejects.toEqual(
      failing('MalformedPOSTRequest'),
    );
    const cut = await open(CONTENT_TYPE, `${field('key', 'k')}${file('abc').slice(0, -4)}`);
    await expect(cut.file.pump(() => {})).rejects.toEqual(failing('IncompleteBody'));
  });

  it('stops the reading when nobody wants the file', async () => {
    let delivered = 0;
    const pieces = sourceOf(`${field('key', 'k')}${file('x'.repeat(100_000))}${END}`, 1000);
    const outcome = new Promise((resolve) => {
      const counted: ByteSource = {
        lengthBytes: null,
        pump: (onChunk) => {
          const done = pieces.pump((chunk) => {
            delivered += 1;
            return onChunk(chunk);
          });
          done.catch(resolve);
          return done;
        },
      };
      void openForm(CONTENT_TYPE, counted).then((form) => form.discard());
    });
    expect(await outcome).toMatchObject({ code: 'MalformedPOSTRequest' });
    expect(delivered).toBeLessThan(3);
  });
});

describe('a form of a stranger', () => {
  const long = ' '.repeat(60_000);

  it('has heads of 4 KiB at most, whether they come whole or by and by', async () => {
    const longType = `filename="a"\r\nContent-Type: a${' '.repeat(5000)}b`;
    const tooLong = `${field('key', 'k')}${file('x', longType)}${END}`;
    for (const pieceBytes of [1 << 20, 1000, 1]) {
      await expect(read(tooLong, pieceBytes)).rejects.toThrow(failing('MalformedPOSTRequest'));
    }
  });

  it.each([
    ['a type', `${file('x', `filename="a"\r\nContent-Type: a${long}b`)}`],
    ['a disposition', `------x\r\nContent-Disposition:${long}form-data; name="a"\r\n\r\n`],
    ['a parameter', part(`${long}name${long}=`, 'x')],
  ])('is not slow for blanks in %s', async (_, text) => {
    expect(await cpuMsOf(() => read(text + END).catch(() => undefined))).toBeLessThan(QUICK_MS);
  });

  it('is not slow for blanks in its own type', async () => {
    const type = `multipart/form-data${long};${long}boundary${long}=x`;
    expect(
      await cpuMsOf(() => openForm(type, sourceOf('', 1)).catch(() => undefined)),
    ).toBeLessThan(QUICK_MS);
  });

  it('is not searched again for each byte that comes', async () => {
    const nasty = '\r\n-----'.repeat(2500);
    const text = `${field('key', 'k')}${field('note', nasty)}${file('x')}${END}`;
    expect(await cpuMsOf(() => read(text, 1))).toBeLessThan(5 * QUICK_MS);
  });

  it('may give the value and the name of a part in any order, quoted or not', async () => {
    const key = part('x; filename=a;b.txt; Name = "key" ; name="other"', 'k');
    const text = `${key}${file('x', 'filename=b.txt ; y')}${END}`;
    expect(await read(text)).toMatchObject({ fields: { key: 'k' }, fileName: 'b.txt' });
  });
});

describe('a form of many files', () => {
  const named = (name: string, value: string) => part(`name="f"; filename="${name}"`, value);
  const text = `${field('a', '1')}${named('x', 'first')}${field('b', '2')}${named('y', '')}${named(
    'z',
    'last',
  )}${field('c', '3')}${END}`;

  it.each([1, 7, 64, 1 << 20])(
    'in pieces of %i bytes ends each before what follows it, once all of it was taken',
    async (pieceBytes) => {
      const events: string[] = [];
      const tick = () => new Promise<void>((resolve) => setImmediate(resolve));
      const fields = await readFilesForm(CONTENT_TYPE, sourceOf(text, pieceBytes), async (head) => {
        events.push(`begin ${head.fileName} behind ${[...head.fields.keys()].join()}`);
        let body = '';
        return {
          async write(chunk) {
            const before = body;
            await tick();
            body = before + new TextDecoder().decode(chunk);
          },
          async end() {
            await tick();
            events.push(`end of ${body}`);
          },
        };
      });
      expect(events).toEqual([
        'begin x behind a',
        'end of first',
        'begin y behind a,b',
        'end of ',
        'begin z behind a,b',
        'end of last',
      ]);
      expect([...fields.keys()]).toEqual(['a', 'b', 'c']);
    },
  );

  it('fails where the end of a file does', async () => {
    const failure = new Error('The end failed.');
    const reading = readFilesForm(CONTENT_TYPE, sourceOf(text, 7), async () => ({
      write: () => {},
      end: async () => Promise.reject(failure),
    }));
    await expect(reading).rejects.toBe(failure);
  });
});
