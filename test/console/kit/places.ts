// Every page of the console with its address, for tests that visit all of them; dialog-places.ts
// has what opens above them. The demo instance of console-instance.ts has what they show.
import type { Page } from 'playwright-core';
import type { Client } from '../../../src/client/index.ts';
import { REGATTA } from './console-instance.ts';
import type { Texts } from './texts.ts';

/**
 * Who looks, each in a browser of their own: nobody yet known, the holder of the root key, a
 * member, the first visitor, a holder of the root key who becomes a member, one whose uploads
 * break.
 */
export type Visitor = 'stranger' | 'root' | 'member' | 'fresh' | 'holder' | 'uploader';

export type Place = {
  readonly name: string;
  readonly path: string;
  /** The root key's holder, where nothing is said. */
  readonly visitor?: Visitor;
  /** A dialog stands open then. */
  readonly hasDialog?: true;
  /** What is done when the page is shown, by the words that are on it. */
  readonly open?: (page: Page, texts: Texts) => Promise<void>;
};

export const FOLDER = `/b/assets/${REGATTA}`;
export const press = (page: Page, keys: string): Promise<void> => page.keyboard.press(keys);
export const click = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('button', { name, exact: true }).first().click();

/** Where a member's secret stands in the link of an open invitation. */
let invitationPath = '';

export const MEMBER = { login: 'grace', password: 'correct horse battery' };

export const PAGES: readonly Place[] = [
  { name: 'sign-in', path: '/', visitor: 'stranger' },
  {
    name: 'sign-in by name',
    path: '/',
    visitor: 'stranger',
    open: async (page, texts) => page.getByRole('radio', { name: texts.signIn.byPassword }).check(),
  },
  { name: 'the first visit', path: '/', visitor: 'fresh' },
  {
    name: 'an invitation',
    get path() {
      return invitationPath;
    },
    visitor: 'stranger',
  },
  { name: 'home', path: '/' },
  { name: 'buckets', path: '/buckets' },
  { name: 'buckets as a filter finds none', path: '/buckets?q=no-such' },
  { name: 'settings of a bucket', path: '/b/assets' },
  { name: 'a folder', path: FOLDER },
  { name: 'a folder as a grid', path: `${FOLDER}?view=grid` },
  { name: 'a folder as a gallery', path: `${FOLDER}?view=gallery` },
  { name: 'a folder and its details', path: `${FOLDER}?panel=details` },
  { name: 'a folder and its readers', path: `${FOLDER}?panel=readers` },
  { name: 'a storage map', path: `${FOLDER}?panel=map` },
  { name: 'a search', path: '/b/assets/?q=boat' },
  { name: 'an empty folder', path: '/b/press-kit/nothing/' },
  {
    name: 'a folder with rows selected',
    path: FOLDER,
    open: (page) => press(page, 'Control+a'),
  },
  {
    name: 'a menu of a row',
    path: FOLDER,
    open: (page) => page.locator('.spacer .row').first().click({ button: 'right' }),
  },
  {
    name: 'a path that is typed',
    path: FOLDER,
    open: (page) => press(page, 'p'),
  },
  { name: 'a picture', path: `${FOLDER}10-harbour-dawn.jpg` },
  { name: 'versions of an object', path: `${FOLDER}crew-list.csv?panel=versions` },
  { name: 'readers of an object', path: `${FOLDER}crew-list.csv?panel=readers` },
  { name: 'a table', path: `${FOLDER}crew-list.csv` },
  { name: 'a film', path: `${FOLDER}protest-hearing.mp4` },
  { name: 'lines of JSON', path: `${FOLDER}results.ndjson` },
  { name: 'an archive', path: `${FOLDER}sponsor-logos.zip` },
  { name: 'a text with marks', path: `${FOLDER}README.md` },
  { name: 'a text', path: `${FOLDER}drone/frame-00001.txt` },
  {
    name: 'a text that is edited',
    path: `${FOLDER}drone/frame-00001.txt`,
    open: (page, texts) => click(page, texts.viewers.text.edit),
  },
  { name: 'a PDF', path: '/b/client-deliveries/okoro/contract.pdf' },
  { name: 'a log', path: '/b/logs-edge/2026/11/22/10.log' },
  {
    name: 'a page of HTML',
    path: '/b/website-production-www-harbourlight-example/index.html',
  },
  { name: 'bytes of no known kind', path: '/b/fonts/unknown.bin' },
  { name: 'no such object', path: '/b/fonts/none.txt' },
  { name: 'links', path: '/links' },
  { name: 'links as a filter finds none', path: '/links?q=no-such' },
  {
    name: 'a drop link',
    path: '/links?kind=drop',
    open: async (page) => {
      await page.getByRole('row').getByRole('link', { name: 'Photos of Saturday' }).click();
      await page.getByRole('heading', { name: 'Ada Byron' }).waitFor();
    },
  },
  {
    name: 'files of a drop link, some selected',
    path: '/links?kind=drop',
    open: async (page) => {
      await page.getByRole('row').getByRole('link', { name: 'Photos of Saturday' }).click();
      await page.getByRole('heading', { name: 'Grace' }).getByRole('checkbox').check();
    },
  },
  {
    name: 'no such drop link',
    path: `/links/drop/assets/${'x'.repeat(22)}`,
  },
  {
    name: 'a link',
    path: '/links?kind=share',
    open: async (page) => {
      await page.getByRole('row').getByRole('link').first().click();
      await page.getByRole('table').waitFor();
    },
  },
  { name: 'no such link', path: `/links/assets/${'x'.repeat(22)}` },
  { name: 'jobs', path: '/jobs' },
  { name: 'the trash', path: '/trash?b=assets' },
  { name: 'a trash that is off', path: '/trash?b=fonts' },
  { name: 'usage', path: '/usage' },
  { name: 'keys', path: '/keys' },
  { name: 'a new key', path: '/keys/new' },
  {
    name: 'a new key without a name',
    path: '/keys/new',
    open: (page) => press(page, 'Enter'),
  },
  {
    name: 'a key that was made',
    path: '/keys/new',
    open: async (page, texts) => {
      await page.getByLabel(texts.browse.name, { exact: true }).fill('accessible');
      await press(page, 'Enter');
      await page.getByRole('button', { name: texts.keys.kept }).waitFor();
    },
  },
  { name: 'settings', path: '/settings' },
  { name: 'settings of a member', path: '/settings', visitor: 'member' },
  { name: 'sessions', path: '/settings/sessions' },
  { name: 'members', path: '/settings/members' },
  { name: 'the account', path: '/settings/account' },
  { name: 'the audit log', path: '/settings/audit' },
  { name: 'the accounts', path: '/settings/accounts' },
  { name: 'facts of the API', path: '/settings/api' },
  { name: 'no page', path: '/none' },
  {
    name: 'the menu of the account',
    path: '/jobs',
    open: (page, texts) => click(page, texts.shell.account),
  },
];

/** Makes what the demo instance lacks for some of the pages and dialogs. */
export async function furnish(client: Client): Promise<void> {
  const bytes = new Uint8Array([0, 255, 1, 254, 7]);
  await client.upload('fonts', 'unknown.bin', bytes, { contentType: 'application/x-unknown' });
  for (const key of ['old/a.txt', 'old/b.txt', 'kept/a.txt']) {
    await client.upload('assets', key, key);
  }
  await client.request('DELETE /buckets/{bucket}/object', {
    path: { bucket: 'assets' },
    query: { key: 'kept/a.txt' },
  });
  await client.upload('assets', 'taken/a.txt', 'taken');
  const body = { kind: 'move', prefix: 'old/', to: 'taken/' } as const;
  const { id } = await client.jobs.start('assets', { body });
  while ((await client.jobs.get('assets', id)).state === 'running') {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await client.members.create({
    body: { ...MEMBER, displayName: 'Grace', role: 'admin' },
  });
  const open = { displayName: 'Ada', role: 'reader', expiresInHours: 24 } as const;
  const { url } = await client.request('POST /invitations', { body: open });
  const link = new URL(url);
  invitationPath = link.pathname.slice('/-/console'.length) + link.hash;
}
