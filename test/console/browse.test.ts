// A folder in a real browser against a server on Node: the list, its keyboard, path, search, links,
// columns, map, copying, odd names.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Client, createClient } from '../../src/client/index.ts';
import { type Look, launchBrowser, newContext, signIn, watchErrors } from './kit/browser.ts';
import { startServer, type WireServer } from './kit/server.ts';

let [browser, server, client]: [Browser, WireServer, Client] = [] as never;

const AXE = fileURLToPath(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url));
/** More names than a folder that is sorted by people's order from its first page. */
const MANY = 2600;

const FILES = [
  'trip/10-dawn.jpg',
  'trip/2-start.txt',
  'trip/Boat.txt',
  'trip/raw/a.dng',
  'trip/raw/b.dng',
  'trip/web/index.html',
  'other/trip-notes.md',
];

beforeAll(async () => {
  [browser, server] = await Promise.all([launchBrowser(), startServer()]);
  const { url, accessKey: id, secretKey: secret } = server.target;
  client = createClient({ endpoint: url, accessKey: { id, secret } });
  for (const name of ['browse', 'browse-many', 'browse-odd']) {
    await client.buckets.create({ body: { name } });
  }
  for (const key of FILES) await client.upload('browse', key, 'x'.repeat(key.length * 10));
  for (let from = 0; from < MANY; from += 65) {
    const numbers = Array.from({ length: 65 }, (_, at) => from + at);
    await Promise.all(
      numbers.map((number) => client.upload('browse-many', `many/file ${number}.txt`, 'x')),
    );
  }
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

type Opened = { readonly page: Page; readonly context: BrowserContext; readonly errors: string[] };

async function open(path: string, look: Look = {}): Promise<Opened> {
  const context = await newContext(browser, look);
  await signIn(context, server.target.url, server.target);
  const page = await context.newPage();
  const errors = watchErrors(page);
  await goTo(page, path);
  return { page, context, errors };
}

const goTo = (page: Page, path: string) => page.goto(`${server.target.url}/-/console${path}`);

/** Names of the rows that are drawn, from above. */
const names = (page: Page): Promise<readonly string[]> =>
  page.locator('.spacer .row .text').allTextContents();
const focused = (page: Page): Promise<string> =>
  page
    .locator('.spacer .row:focus .text')
    .textContent({ timeout: 2000 })
    .then(String, () => '');
const row = (page: Page, name: string) => page.locator('.spacer .row', { hasText: name });
const topOf = async (box: Locator) => (await box.boundingBox())?.y ?? Number.NaN;
const toolBar = (page: Page) => page.locator('.tool-bar');

it('25, 26: a folder sorts names as people do, folders first, and by a head', async () => {
  const { page, errors } = await open('/b/browse/trip/');
  await row(page, 'raw').waitFor();
  expect(await names(page)).toEqual(['raw', 'web', '2-start.txt', '10-dawn.jpg', 'Boat.txt']);
  await page.getByRole('button', { name: 'Name' }).click();
  await expect
    .poll(() => names(page))
    .toEqual(['web', 'raw', 'Boat.txt', '10-dawn.jpg', '2-start.txt']);
  await page.getByRole('button', { name: 'Size' }).click();
  await expect.poll(() => new URL(page.url()).searchParams.get('sort')).toBe('-size');
  await expect
    .poll(async () => (await names(page)).slice(2))
    .toEqual(['10-dawn.jpg', '2-start.txt', 'Boat.txt']);
  expect(errors).toEqual([]);
});

it('24: a row draws an object with few elements', async () => {
  const { page } = await open('/b/browse/trip/');
  await row(page, 'Boat.txt').waitFor();
  // Each costs style, layout and paint in every step of the wheel: bench/console-rows.ts.
  expect(await row(page, 'Boat.txt').locator('*').count()).toBeLessThanOrEqual(14);
});

it('32: the status bar fills in sizes of folders, and sums up what is there', async () => {
  const { page } = await open('/b/browse/trip/');
  await row(page, 'raw').getByText('280').waitFor();
  await page.locator('.status-bar').getByText('6 objects').waitFor();
  expect(await page.locator('.status-bar').textContent()).toContain('a month here');
});

it('36: somebody walks, selects, opens and goes up by keyboard alone', async () => {
  const { page } = await open('/b/browse/trip/');
  await row(page, 'raw').waitFor();
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => focused(page)).toBe('raw');
  expect(await page.locator('.spacer .row[tabindex="0"]').count()).toBe(1);
  await page.keyboard.press('End');
  await expect.poll(() => focused(page)).toBe('Boat.txt');
  await page.keyboard.press('x');
  await toolBar(page).getByText('1 selected').waitFor();
  await page.keyboard.press('Shift+ArrowUp');
  await toolBar(page).getByText('2 selected').waitFor();
  await page.keyboard.press('Control+a');
  await toolBar(page).getByText('All 6 selected').waitFor();
  await page.keyboard.press('Escape');
  await toolBar(page).getByRole('button', { name: 'New folder' }).waitFor();

  await page.keyboard.press('Home');
  await page.keyboard.press('Shift+F10');
  await page.getByRole('menuitem', { name: 'Delete' }).waitFor();
  const [top, menuTop] = await Promise.all([
    topOf(row(page, 'raw')),
    topOf(page.getByRole('menu')),
  ]);
  expect(menuTop - top).toBeLessThan(60);
  const items = await page.locator('.menu [role^=menuitem]').allTextContents();
  expect(items.filter((label) => label.startsWith('Copy URL'))).toHaveLength(1);
  await page.keyboard.press('Escape');
  await expect.poll(() => focused(page)).toBe('raw');
  await page.keyboard.press('Enter');
  await row(page, 'a.dng').waitFor();
  await page.keyboard.press('Backspace');
  await expect.poll(() => focused(page)).toBe('raw');
});

it('24: the list knows the length of a folder, jumps to its end and to a name', async () => {
  const { page, errors } = await open('/b/browse-many/many/');
  await expect.poll(() => page.getByRole('grid').getAttribute('aria-rowcount')).toBe(`${MANY + 1}`);
  await expect
    .poll(async () => (await names(page)).slice(0, 3))
    .toEqual(['file 0.txt', 'file 1.txt', 'file 2.txt']);
  expect(await page.locator('.spacer .row').count()).toBeLessThan(60);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('End');
  await expect.poll(() => focused(page)).toBe(`file ${MANY - 1}.txt`);
  await page.keyboard.press("'");
  await page.locator('.jump-field input').fill('file 123');
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('file 123.txt');
  expect(await page.locator('.spacer .row:focus').getAttribute('aria-rowindex')).toBe('125');

  await page.keyboard.press('Shift+PageDown');
  await expect.poll(() => toolBar(page).textContent()).toMatch(/1\d selected/);
  expect(errors).toEqual([]);
});

it('28: a link, a reload and Back bring order, selection and scroll back', async () => {
  const { page } = await open('/b/browse-many/many/?at=file%201500.txt');
  await expect.poll(async () => (await names(page)).includes('file 1500.txt')).toBe(true);
  await page.locator('.spacer .row', { hasText: 'file 1505.txt' }).locator('.pick').click();
  await expect.poll(() => new URL(page.url()).searchParams.get('sel')).toBe('file 1505.txt');
  await page.reload();
  await toolBar(page).getByText('1 selected').waitFor();
  await page.locator('.row.is-selected', { hasText: 'file 1505.txt' }).waitFor();

  await page.getByRole('link', { name: 'browse-many' }).click();
  await row(page, 'many').waitFor();
  await page.goBack();
  await page.locator('.row.is-selected', { hasText: 'file 1505.txt' }).waitFor();
});

it('27: the path bar goes where a path is typed, completed or pasted', async () => {
  const { page } = await open('/b/browse/');
  await row(page, 'trip').waitFor();
  await page.keyboard.press('p');
  const field = page.getByRole('combobox');
  await field.fill('s3://browse/trip/r');
  await page.getByRole('option', { name: 'raw/' }).waitFor();
  await page.keyboard.press('Tab');
  await expect.poll(() => field.inputValue()).toBe('s3://browse/trip/raw/');
  await page.keyboard.press('Enter');
  await row(page, 'a.dng').waitFor();
  await page.keyboard.press('p');
  await page.keyboard.press('Escape');
  await page.locator('nav.path').getByText('trip').waitFor();
  await page.keyboard.press('p');
  await field.fill('arn:aws:s3:::browse/other/');
  await page.keyboard.press('Enter');
  await row(page, 'trip-notes.md').waitFor();
});

it('29: the field filters the folder and searches the bucket as one types', async () => {
  const { page } = await open('/b/browse/trip/');
  await row(page, 'raw').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('boat');
  await expect.poll(() => names(page)).toEqual(['Boat.txt']);
  expect(await page.locator('mark').textContent()).toBe('Boat');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Control+a');
  await toolBar(page).getByText('1 selected').waitFor();
  await page.getByRole('searchbox').fill('no such name');
  await page.getByText('No name with no such name in trip.').waitFor();
  await page.getByRole('button', { name: 'Whole bucket' }).click();
  await page.getByRole('searchbox').fill('notes');
  await row(page, 'trip-notes.md').waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toContain('trip-notes.md');
  await page.keyboard.press('Enter');
  await expect.poll(() => new URL(page.url()).pathname).toBe('/-/console/b/browse/other/');
  await page.locator('.row.is-selected', { hasText: 'trip-notes.md' }).waitFor();
});

/** Types into the filter and selects all that is left, before the browser paints anything. */
const FILTER_AND_SELECT = `(async () => {
  const field = document.querySelector('input[type=search]');
  const press = (key, init) =>
    document.activeElement.dispatchEvent(
      new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...init }),
    );
  const drawn = async () => {
    for (let tick = 0; tick < 50; tick++) await null;
  };
  field.value = 'boat';
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
  await drawn();
  press('ArrowDown');
  await drawn();
  press('a', { ctrlKey: true });
  for (let frame = 0; frame < 2; frame++)
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
})()`;

it('29: the rows that a filter left keep what was selected at once', async () => {
  const { page } = await open('/b/browse/trip/');
  await row(page, 'raw').waitFor();
  await page.keyboard.press('/');
  await page.getByRole('searchbox').waitFor();
  await page.evaluate(FILTER_AND_SELECT);
  expect(await names(page)).toEqual(['Boat.txt']);
  expect(await toolBar(page).textContent()).toContain('1 selected');
});

it('23: a folder remembers its view and columns', async () => {
  const { page } = await open('/b/browse/trip/');
  await row(page, 'raw').waitFor();
  const look = page.getByRole('button', { name: 'How it is shown' });
  await look.click();
  await page.getByRole('menuitemcheckbox', { name: 'Column Modified' }).click();
  await expect
    .poll(() => page.getByRole('columnheader').allTextContents())
    .not.toContain('Modified');
  await look.click();
  await page.getByRole('menuitemcheckbox', { name: 'Grid' }).click();
  await page.locator('.browse-grid').waitFor();
  await page.keyboard.press('ArrowRight');
  await goTo(page, '/b/browse/other/');
  await page.locator('.browse-list').waitFor();
  await goTo(page, '/b/browse/trip/');
  await page.locator('.browse-grid').waitFor();
});

it('33: the storage map is walked and opened by keys', async () => {
  const { page } = await open('/b/browse/?panel=map');
  const parts = page.locator('.storage-map [role=option]');
  await expect.poll(() => parts.count()).toBe(2);
  expect(await parts.first().getAttribute('aria-label')).toMatch(/^trip .* 8\d %$/);
  await parts.first().focus();
  await page.keyboard.press('ArrowRight');
  const active = () => page.evaluate<string>('document.activeElement.getAttribute("aria-label")');
  expect(await active()).toMatch(/^other /);
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Enter');
  await page.locator('[role=option][aria-label^=raw]').waitFor();
});

it('92: the copy button copies in the form that was chosen last', async () => {
  const { page, context } = await open('/b/browse/trip/?sel=Boat.txt');
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const copied = () => page.evaluate<string>('navigator.clipboard.readText()');
  await page.getByRole('button', { name: 'Copy as' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Copy S3 URI' }).click();
  await expect.poll(copied).toBe('s3://browse/trip/Boat.txt');
  await page.getByRole('button', { name: 'Copy as' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Copy URL' }).click();
  await expect.poll(copied).toContain('X-Amz-Signature');
  expect(await (await fetch(await copied())).text()).toBe('x'.repeat(130));
});

it('74: a drag of rows onto a folder opens the move with that target', async () => {
  const { page } = await open('/b/browse/trip/');
  await row(page, 'Boat.txt').waitFor();
  await row(page, 'Boat.txt').locator('a.text').dragTo(row(page, 'web').locator('.name'));
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  expect(await dialog.textContent()).toContain('Boat.txt');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});

it('36: a drag from a free place draws a lasso', async () => {
  const { page } = await open('/b/browse/trip/');
  await row(page, 'Boat.txt').waitFor();
  const from = await row(page, '2-start.txt').boundingBox();
  const to = await row(page, 'Boat.txt').boundingBox();
  if (from === null || to === null) throw new Error('no rows');
  await page.mouse.move(from.x + 500, from.y + 5);
  await page.mouse.down();
  await page.mouse.move(to.x + 560, to.y + 10, { steps: 5 });
  await page.locator('.lasso').waitFor();
  await page.mouse.up();
  await toolBar(page).getByText('3 selected').waitFor();
  expect(await page.locator('.lasso').count()).toBe(0);
});

it('123: a long press on a phone selects, without a sideways scroll', async () => {
  const { page, context } = await open('/b/browse/trip/', {
    width: 360,
    height: 740,
    isTouch: true,
  });
  await row(page, 'Boat.txt').waitFor();
  const box = await row(page, 'Boat.txt').boundingBox();
  if (box === null) throw new Error('no row');
  const finger = await context.newCDPSession(page);
  const touchPoints = [{ x: box.x + 120, y: box.y + 20 }];
  await finger.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints });
  await toolBar(page).getByText('1 selected').waitFor();
  await finger.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await row(page, '2-start.txt').tap();
  await toolBar(page).getByText('2 selected').waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
});

/** Makes keys by a job, which names them exactly; an address would fold `.` and `..`. */
async function moveBelow(bucket: string, prefix: string, to: string): Promise<void> {
  const { id } = await client.jobs.start(bucket, { body: { kind: 'move', prefix, to } });
  const stateOf = async () => (await client.jobs.get(bucket, id)).state;
  await expect.poll(stateOf).toBe('done');
}

it('the list tells odd names apart and goes into folders of every name', async () => {
  const plain = [
    ' blank.txt',
    'a',
    'a/x.txt',
    'comma,percent%.txt',
    'rtl\u202egpj.exe',
    'e/',
    's//d',
  ];
  for (const key of plain) await client.upload('browse-odd', key, 'x');
  for (const [key, to] of [
    ['one/x', 'd/./'],
    ['two/y', 'd/../'],
  ] as const) {
    await client.upload('browse-odd', key, 'x');
    await moveBelow('browse-odd', key.slice(0, -1), to);
  }
  const { page, errors } = await open('/b/browse-odd/');
  await row(page, 'rtl⟨U+202E⟩gpj.exe').waitFor();
  expect(await names(page)).toEqual([
    'a',
    'd',
    'e',
    's',
    '␣blank.txt',
    'a',
    'comma,percent%.txt',
    'rtl⟨U+202E⟩gpj.exe',
  ]);
  await row(page, 'comma').locator('.pick').click();
  await page.reload();
  await page.locator('.row.is-selected', { hasText: 'comma,percent%.txt' }).waitFor();

  await page.getByRole('link', { name: 'd', exact: true }).click();
  await expect.poll(() => names(page)).toEqual(['.', '..']);
  await page.getByRole('link', { name: '..', exact: true }).click();
  await row(page, 'y').waitFor();
  await goTo(page, '/b/browse-odd/s/');
  await page.getByRole('link', { name: '(no name)' }).click();
  await row(page, 'd').waitFor();
  await goTo(page, '/b/browse-odd/e/');
  await page.getByText('Nothing in e yet').waitFor();
  await goTo(page, '/b/no-such-bucket-here/');
  await page.getByText('There is no such bucket.').waitFor();
  expect(errors).toEqual([]);
});

it('124: axe finds nothing in all views of a folder', async () => {
  const { page } = await open('/b/browse/trip/?sel=Boat.txt&panel=details');
  const check = async (): Promise<unknown> => {
    await page.evaluate(readFileSync(AXE, 'utf8'));
    return page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then((result) =>
      result.violations.map(
        ({ id, nodes }) => id + ' ' + nodes.map(({ html }) => html).join(' '),
      ))`);
  };
  await page.locator('.inspector .facts').waitFor();
  expect(await check()).toEqual([]);
  await goTo(page, '/b/browse/trip/?view=grid&filter=a');
  await page.locator('.browse-grid .row').first().waitFor();
  expect(await check()).toEqual([]);
  await goTo(page, '/b/browse/?panel=map');
  await page.locator('.storage-map [role=option]').first().waitFor();
  expect(await check()).toEqual([]);
});
