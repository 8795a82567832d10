// What senders read of a drop link: types by their names, and a receipt in the order of sending.
import { expect, it } from 'vitest';
import { addDrop, becomeSender, createLinkApp } from '../kit/link-app.ts';

const LIMITS = {
  fileBytes: null,
  files: 100,
  totalBytes: null,
  senderFiles: null,
  senderBytes: null,
};
const BROWSER = { accept: 'text/html,*/*;q=0.8' };

it('a drop page names types as people do', async () => {
  const app = await createLinkApp();
  const types = ['image/*', 'video/*', 'application/pdf', 'text/plain', 'model/*'];
  const { id } = await addDrop(app, { limits: { ...LIMITS, types } });
  const page = async (query = '') =>
    (await app.ask({ target: `/-/d/${id}${query}`, headers: BROWSER })).text();
  expect(await page()).toContain('<dd>images, films, PDF, text/plain, model/*</dd>');
  expect(await page('?lang=zh')).toContain('<dd>图片, 视频, PDF, text/plain, model/*</dd>');
  // A browser's own dialog wants them as they are.
  expect(await page()).toContain('accept="image/*,video/*,application/pdf,text/plain,model/*"');
});

it('a drop page shows a receipt in the order in which files were sent', async () => {
  const app = await createLinkApp();
  const link = await addDrop(app, { limits: { ...LIMITS, types: null } });
  const headers = await becomeSender(app, link);
  const names = Array.from({ length: 12 }, (_, at) => `${(at * 7) % 12}.txt`);
  for (const name of names) {
    await app.ask({
      method: 'POST',
      target: `/-/d/${link.id}/files`,
      headers: { ...headers, 'upload-length': '0', 'upload-metadata': `filename ${btoa(name)}` },
    });
    app.core.advanceSeconds(1);
  }
  const receipt = await app.ask({ target: `/-/d/${link.id}/receipt`, headers });
  const { files } = (await receipt.json()) as { files: { name: string }[] };
  expect(files.map(({ name }) => name)).toEqual(names);

  const code = headers['x-quayside-drop-code'] ?? '';
  const page = await app.ask({
    method: 'POST',
    target: `/-/d/${link.id}`,
    headers: { ...BROWSER, 'content-type': 'multipart/form-data; boundary=b' },
    body: `--b\r\ncontent-disposition: form-data; name="code"\r\n\r\n${code}\r\n--b--\r\n`,
  });
  const html = await page.text();
  expect(html).toContain('In the order in which you sent them');
  expect([...html.matchAll(/<bdi>(\d+\.txt)<\/bdi>/g)].map(([, name]) => name)).toEqual(names);
});
