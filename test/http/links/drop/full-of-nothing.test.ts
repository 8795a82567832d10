// A drop link that strangers have filled with announcements alone: full for hours, not for ever.
import { expect, it } from 'vitest';
import { DROP_ANNOUNCED_LIFE_MS } from '../../../../src/domain/links/link-limits.ts';
import { DROP_SETTINGS } from '../../../index/kit/use-drop-links.ts';
import { addDrop, becomeSender, createLinkApp } from '../kit/link-app.ts';

it('a full link takes files, and says so, once those that never came have expired', async () => {
  const app = await createLinkApp();
  const limits = { ...DROP_SETTINGS.limits, files: 2, totalBytes: 10 };
  const link = await addDrop(app, { limits });
  const target = `/-/d/${link.id}`;
  const headers = await becomeSender(app, link);
  const begin = async (length: number) => {
    const metadata = `filename ${btoa('a.txt')}`;
    const sent = { ...headers, 'upload-length': `${length}`, 'upload-metadata': metadata };
    return (await app.ask({ method: 'POST', target: `${target}/files`, headers: sent })).status;
  };
  const page = async () => (await app.ask({ target, headers: { accept: 'text/html' } })).text();
  const state = async () => ((await (await app.ask({ target })).json()) as { state: string }).state;

  expect([await begin(1), await begin(9), await begin(1)]).toEqual([201, 201, 403]);
  expect([await state(), (await page()).includes('data-drop=')]).toEqual(['full', false]);
  app.core.advanceSeconds(DROP_ANNOUNCED_LIFE_MS / 1000);
  expect([await state(), (await page()).includes('data-drop=')]).toEqual(['open', true]);
  expect(await begin(10)).toBe(201);
});
