// Viewers of tables, bytes, archives, films and sound in a real browser: what is shown, and what
// is fetched for it.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { crc32, deflateSync, gzipSync } from 'node:zlib';
import { BlobReader, TextReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addressOf,
  BUCKET,
  MEGABYTE,
  type ObjectPages,
  startObjectPages,
  valueIn,
} from '../kit/object-page.ts';

let pages: ObjectPages = undefined as never;
beforeAll(async () => {
  pages = await startObjectPages();
});
afterAll(() => pages?.stop());

describe('tables and bytes', () => {
  it('65: the viewer shows the first rows of 50 MB for less than 2 MB', async () => {
    const row = (at: number) => `${at},"Person, ${at}",${(at * 7919) % 10_007}\n`;
    const block = Array.from({ length: 20_000 }, (_, at) => row(at)).join('');
    const times = Math.ceil((50 * MEGABYTE) / block.length);
    await pages.put('table/big.csv', `id,name,amount\n${block.repeat(times)}`, {
      contentType: 'text/csv',
    });
    const { page, errors, fetched } = await pages.open('table/big.csv');
    await page.getByRole('cell', { name: 'Person, 3', exact: true }).waitFor();
    expect(fetched()).toBeLessThan(2 * MEGABYTE);
    await page.getByRole('columnheader', { name: 'amount' }).getByRole('button').click();
    await page.getByRole('columnheader', { name: 'amount' }).getByRole('button').click();
    await page
      .getByRole('cell', { name: /^1000\d$/ })
      .first()
      .waitFor();
    await page.getByText('Sort and filter are of what is loaded.').waitFor();
    await page.getByRole('searchbox').fill('person, 777');
    await page.getByRole('cell', { name: 'Person, 777', exact: true }).waitFor();
    expect(fetched()).toBeLessThan(2 * MEGABYTE);
    expect(errors()).toEqual([]);
  });

  it('65: the viewer reads what Chinese Windows wrote', async () => {
    const gbk = Uint8Array.from([
      ...new TextEncoder().encode('id;city\n1;'),
      ...[0xb1, 0xb1, 0xbe, 0xa9],
      10,
    ]);
    await pages.put('table/gbk.csv', gbk, { contentType: 'text/csv' });
    const { page } = await pages.open('table/gbk.csv');
    await page.getByRole('cell', { name: '北京' }).waitFor();
    expect(await page.getByText('gb18030').count()).toBe(1);
  });

  it('59: the viewer asks before it decodes a hundred million pixels out of 13 KB', async () => {
    const side = 10_000;
    const chunk = (type: string, data: Uint8Array) => {
      const named = Buffer.concat([Buffer.from(type), data]);
      const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
      length.writeUInt32BE(data.length);
      sum.writeUInt32BE(crc32(named));
      return Buffer.concat([length, named, sum]);
    };
    const head = Buffer.alloc(13);
    head.writeUInt32BE(side, 0);
    head.writeUInt32BE(side, 4);
    // One bit a pixel.
    head[8] = 1;
    const rows = deflateSync(Buffer.alloc((side / 8 + 1) * side));
    const parts = [chunk('IHDR', head), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))];
    const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...parts]);
    await pages.put('bytes/huge.png', new Uint8Array(png), { contentType: 'image/png' });
    const { page, errors } = await pages.open('bytes/huge.png');
    await page.getByText('This picture has 10,000 × 10,000').waitFor();
    expect(await page.locator('.stage img').count()).toBe(0);
    await page.getByRole('button', { name: 'Load 10,000 × 10,000' }).click();
    await page.locator('.stage img').waitFor();
    expect(errors()).toEqual([]);
  });

  it('69: the viewer shows bytes by pages, and a font', async () => {
    const bytes = Uint8Array.from({ length: 9000 }, (_, at) => at % 256);
    await pages.put('bytes/a.bin', bytes);
    const { page } = await pages.open('bytes/a.bin');
    await page.getByText('00000010').waitFor();
    await page.getByRole('textbox', { name: 'Offset, hexadecimal' }).fill('2000');
    await page.keyboard.press('Enter');
    await page.getByText('00002000').waitFor();

    const resolve = createRequire(import.meta.url).resolve;
    const font = '@fontsource-variable/noto-sans/files/noto-sans-latin-wght-normal.woff2';
    await pages.put('bytes/b.woff2', new Uint8Array(readFileSync(resolve(font))));
    const { page: other, errors } = await pages.open('bytes/b.woff2');
    await expect.poll(() => valueIn(other, 'document.fonts.size')).toBe(1);
    expect(errors()).toEqual([]);
  });

  it('68: the viewer opens one entry of a ZIP by its directory and its own bytes', async () => {
    const writer = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false });
    const noise = new Blob([new Uint8Array(20 * MEGABYTE)]);
    await writer.add('deep/noise.bin', new BlobReader(noise), { level: 0 });
    await writer.add('deep/hello.txt', new TextReader('hello from inside\n'));
    await pages.put('arc/a.zip', (await writer.close()) as Uint8Array<ArrayBuffer>);
    const { page, errors, fetched } = await pages.open('arc/a.zip');
    await page.getByText('2 entries').waitFor();
    await page.getByRole('row', { name: /hello\.txt/ }).click();
    await page.getByText('hello from inside').waitFor();
    expect(fetched()).toBeLessThan(0.5 * MEGABYTE);
    expect(errors()).toEqual([]);
  });

  it('68: the viewer lists a TAR by its headers, plain and compressed', async () => {
    const long = `${'n'.repeat(120)}.txt`;
    const tar = Buffer.concat([
      tarEntry('first.bin', Buffer.alloc(3 * MEGABYTE, 1)),
      tarEntry('x', Buffer.from(paxRecord('path', long)), 'x'),
      tarEntry('short', Buffer.from('by its long name')),
      Buffer.alloc(1024),
    ]);
    await pages.put('arc/b.tar', new Uint8Array(tar));
    await pages.put('arc/c.tar.gz', new Uint8Array(gzipSync(tar)));
    const { page, fetched } = await pages.open('arc/b.tar');
    await page.getByText('2 entries').waitFor();
    await page.getByRole('row').last().click();
    await page.getByText('by its long name').waitFor();
    expect(fetched()).toBeLessThan(0.5 * MEGABYTE);
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => addressOf(page)).toBe(`${BUCKET}/arc/c.tar.gz`);
    await page.getByText('2 entries').waitFor();
  });
});

/** A record of a pax header: its length counts itself. */
function paxRecord(name: string, value: string): string {
  const rest = ` ${name}=${value}\n`;
  let length = rest.length;
  while (`${length}`.length + rest.length !== length) length = `${length}`.length + rest.length;
  return `${length}${rest}`;
}

function tarEntry(name: string, body: Buffer, type = '0'): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write('0000644\0', 100);
  header.write(`${body.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write('        ', 148);
  header.write(type, 156);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, body, Buffer.alloc((512 - (body.length % 512)) % 512)]);
}

describe('films and sound', () => {
  it('59: a film plays at a second of the address, with the subtitles beside it', async () => {
    const maker = await pages.newPage();
    const recorded = await maker.evaluate<number[]>(RECORD_FILM);
    await maker.close();
    await pages.put('film/a.webm', Uint8Array.from(recorded), { contentType: 'video/webm' });
    await pages.put('film/a.en.srt', '1\r\n00:00:00,000 --> 00:00:09,000\r\nAhoy\r\n');
    const { page, errors } = await pages.open('film/a.webm#t=1');
    await expect
      .poll(() => valueIn(page, `[${FILM}.videoWidth, Math.round(${FILM}.currentTime)]`))
      .toEqual([64, 1]);
    // The subtitles are looked for after the film, and read when they are to be shown.
    const cue = () =>
      valueIn(
        page,
        `for (const track of ${FILM}.textTracks) track.mode = 'showing';
        ${FILM}.textTracks[0]?.cues?.[0]?.text`,
      );
    await expect.poll(cue).toBe('Ahoy');
    expect(errors()).toEqual([]);
  });

  it('60: the sounds of a folder play while one browses on', async () => {
    for (const name of ['1.wav', '2.wav'])
      await pages.put(`sound/${name}`, wav(), { contentType: 'audio/wav' });
    await pages.put('sound/notes.txt', 'x');
    const { page, errors } = await pages.open('sound/1.wav');
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    const player = page.getByRole('region', { name: 'Player' });
    await player.getByText('1 of 2').waitFor();
    await page.getByRole('link', { name: 'Home' }).first().click();
    await expect.poll(() => new URL(page.url()).pathname).toBe('/-/console/');
    await player.getByRole('button', { name: 'Next track' }).click();
    await player.getByText('2 of 2').waitFor();
    await expect
      .poll(() => valueIn(page, "document.querySelector('audio').currentTime"))
      .toBeGreaterThan(0);
    await player.getByRole('button', { name: 'Stop and close the player' }).click();
    expect(await page.locator('audio').count()).toBe(0);
    expect(errors()).toEqual([]);
  });

  it('61: the viewer offers a new tab where the browser shows no PDF', async () => {
    await pages.put('pdf/a.pdf', '%PDF-1.1\n', { contentType: 'application/pdf' });
    const { page } = await pages.open('pdf/a.pdf');
    await page.getByText('This browser shows no PDF inside a page').waitFor();
    const link = page.getByRole('link', { name: 'Open in a new tab' }).first();
    expect(await link.getAttribute('href')).toContain('/content?key=pdf%2Fa.pdf');
    expect(await page.locator('iframe').count()).toBe(0);
  });

  it.each([
    ['typed.pdf', 'application/pdf'],
    ['bytes.pdf', 'application/octet-stream'],
  ])(
    '61: the viewer gives a PDF to that of the browser: %s, stored as %s',
    async (name, contentType) => {
      const body = '%PDF-1.7\n<script>parent.document.title = "mine"</script>\n';
      await pages.put(`pdf/${name}`, body, { contentType });
      const { page, errors } = await pages.open(`pdf/${name}`);
      // The browser under test has no viewer; the console asks whether there is one.
      await page.addInitScript(
        "Object.defineProperty(Navigator.prototype, 'pdfViewerEnabled', { get: () => true })",
      );
      const loaded = await page.reload();
      const policy = (await loaded?.headerValue('content-security-policy')) ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-src 'self'");

      const frame = page.locator('iframe');
      const src = (await frame.getAttribute('src')) ?? '';
      // No browser shows a PDF in a sandbox.
      expect(await frame.getAttribute('sandbox')).toBeNull();
      expect(await frame.getAttribute('title')).toBe(`PDF ${name}`);
      const url = new URL(src, page.url());
      expect(url.origin).toBe(new URL(page.url()).origin);
      const response = await page.context().request.get(url.href);
      expect(response.headers()).toMatchObject({
        'content-type': 'application/pdf',
        'content-disposition': expect.stringMatching(/^inline;/),
        'x-content-type-options': 'nosniff',
        'accept-ranges': 'bytes',
      });
      expect(response.headers()).not.toHaveProperty('content-security-policy');
      expect(await response.text()).toBe(body);
      const part = await page.context().request.get(url.href, { headers: { range: 'bytes=0-7' } });
      expect([part.status(), await part.text()]).toEqual([206, '%PDF-1.7']);
      const link = page.getByRole('link', { name: 'Open in a new tab' });
      expect(await link.getAttribute('href')).toBe(src);
      expect(errors()).toEqual([]);
    },
  );
});

/** Films a square that changes its colour, as WebM, in the browser. */
const RECORD_FILM = `(async () => {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [64, 64];
  const context = canvas.getContext('2d');
  const draw = () => {
    context.fillStyle = 'hsl(' + performance.now() / 5 + ', 80%, 50%)';
    context.fillRect(0, 0, 64, 64);
  };
  draw();
  const timer = setInterval(draw, 40);
  const recorder = new MediaRecorder(canvas.captureStream(25), { mimeType: 'video/webm' });
  const chunks = [];
  recorder.addEventListener('dataavailable', ({ data }) => chunks.push(data));
  const stopped = new Promise((resolve) => recorder.addEventListener('stop', resolve));
  recorder.start();
  setTimeout(() => recorder.stop(), 2000);
  await stopped;
  clearInterval(timer);
  return [...new Uint8Array(await new Blob(chunks).arrayBuffer())];
})()`;
const FILM = "document.querySelector('video')";

/** Two seconds of a tone, 8 kHz, 16 bits. */
function wav(): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.alloc(44 + 32_000);
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(8000, 24);
  bytes.writeUInt32LE(16_000, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write('data', 36);
  bytes.writeUInt32LE(32_000, 40);
  for (let at = 0; at < 16_000; at++) {
    bytes.writeInt16LE(Math.round(Math.sin(at / 3) * 8000), 44 + at * 2);
  }
  return new Uint8Array(bytes);
}
