// What people see of a link whose files are too many for one ZIP: why there is none, and the files.
import { expect, it } from 'vitest';
import { putBytes } from '../../../core/memory-core.ts';
import { addShare, createLinkApp, type LinkApp } from '../kit/link-app.ts';

const BROWSER = { accept: 'text/html,*/*;q=0.8' };
const WHY = {
  en: 'No ZIP can be made of that.',
  zh: '无法将这些内容打包为 ZIP',
};
const COUNTED = {
  en: 'There is no ZIP of this folder: it has 3 files, and one ZIP may have 2.',
  zh: '共有 3 个文件，而一个 ZIP 最多包含 2 个',
};

/** A link to three files, of which a ZIP may have two. */
async function openLarge() {
  const app = await createLinkApp({ QUAYSIDE_ZIP_MAX_OBJECTS: '2' });
  for (const name of ['a.txt', 'b.txt', 'sub/c.txt'])
    await putBytes(app.core, app.bucket, `a/${name}`, new Uint8Array([1]));
  const { id } = await addShare(app);
  const view = async (target: string, more: Partial<Parameters<LinkApp['ask']>[0]> = {}) => {
    const reply = await app.ask({ target, headers: BROWSER, ...more });
    return {
      status: reply.status,
      type: reply.headers.get('content-type'),
      html: await reply.text(),
    };
  };
  return { app, path: `/-/s/${id}`, view };
}

it.each(['en', 'zh'] as const)(
  'a ZIP that was refused is explained beside the files, %s',
  async (language) => {
    const { path, view } = await openLarge();
    const { html: before } = await view(`${path}/?lang=${language}`);
    expect(before).toContain('?zip');
    const { status, html } = await view(`${path}/?zip=1&lang=${language}`);
    expect(status).toBe(200);
    expect(html).toContain(WHY[language]);
    for (const name of ['a.txt', 'b.txt', 'sub']) expect(html).toContain(name);
    expect(html).not.toMatch(/class="button primary" href="[^"]*zip/);
  },
);

it('files that were picked and are too many are refused on the page, too', async () => {
  const { path, view } = await openLarge();
  const picks = ['a.txt', 'b.txt', 'sub/'].map((pick) => `pick=${encodeURIComponent(pick)}`);
  const { html } = await view(`${path}?zip=1`, {
    method: 'POST',
    headers: { ...BROWSER, 'content-type': 'application/x-www-form-urlencoded' },
    body: picks.join('&'),
  });
  expect(html).toContain(WHY.en);
  const fewer = await view(`${path}?zip=1`, {
    method: 'POST',
    headers: { ...BROWSER, 'content-type': 'application/x-www-form-urlencoded' },
    body: picks.slice(0, 2).join('&'),
  });
  expect([fewer.status, fewer.type]).toEqual([200, 'application/zip']);
});

it.each(['en', 'zh'] as const)(
  'a folder that is known to be too large has no button, %s',
  async (language) => {
    const { app, path, view } = await openLarge();
    // Somebody measured the bucket before; a visitor does not begin that.
    while ((await app.bucket.call('countAllKeys', {})).state !== 'ready');
    const { html } = await view(`${path}/?lang=${language}`);
    expect(html).toContain(COUNTED[language]);
    expect(html).not.toMatch(/class="button primary" href="[^"]*zip/);
    const { html: below } = await view(`${path}/sub/?lang=${language}`);
    expect(below).toMatch(/class="button primary" href="[^"]*zip/);
  },
);

it('programs get the refusal as it is', async () => {
  const { path, view } = await openLarge();
  const { status, type, html } = await view(path, { headers: { accept: '*/*' } });
  expect([status, type]).toEqual([400, 'text/plain; charset=utf-8']);
  expect(html).not.toContain(WHY.en);
});
