// Every dialog of the console, by the file that has it, and how it is opened.
import type { Page } from 'playwright-core';
import { click, FOLDER, type Place, press } from './places.ts';
import type { Texts } from './texts.ts';
import { largeFile } from './upload-page.ts';

const OBJECT = `${FOLDER}crew-list.csv`;
const VERSIONS = `${OBJECT}?panel=versions`;

const menuItem = (page: Page, name: string): Promise<void> =>
  page.getByRole('menuitem', { name }).first().click();

/** Runs a command by the palette, which has all of them. */
async function command(page: Page, label: string): Promise<void> {
  await press(page, 'Control+k');
  const palette = page.getByRole('dialog');
  await palette.getByRole('combobox').fill(`>${label}`);
  await palette.getByRole('option').filter({ hasText: label }).first().click();
  await page.locator('#palette-list').waitFor({ state: 'detached' });
}

/** Chooses the first row of a folder, and opens what a key opens. */
async function onFirstRow(page: Page, keys: string): Promise<void> {
  await page.locator('.spacer .row').first().waitFor();
  await press(page, 'ArrowDown');
  await press(page, keys);
}

/** Chooses all rows of a folder. */
async function onAllRows(page: Page, keys: string): Promise<void> {
  await page.locator('.spacer .row').first().waitFor();
  await press(page, 'Control+a');
  await press(page, keys);
}

/** Types into the first field that has the label, and sends by Enter. */
async function fillAndSend(page: Page, fields: readonly (readonly [string, string])[]) {
  const dialog = page.getByRole('dialog');
  for (const [label, value] of fields) {
    await dialog.getByLabel(label, { exact: true }).first().fill(value);
  }
  await press(page, 'Control+Enter');
}

/** Answers the next call of the API with this problem. */
async function refuseOnce(page: Page, path: string, status: number, code: string): Promise<void> {
  let isRefused = false;
  await page.route(path, (route) => {
    if (isRefused) return route.fallback();
    isRefused = true;
    return route.fulfill({ status, json: { code, message: code, title: code, status } });
  });
}

const memberName = () => `m${Math.random().toString(36).slice(2, 10)}`;

/** Files that are chosen in the dialog of the key U. */
async function chooseFiles(page: Page, files: Parameters<Page['setInputFiles']>[1]) {
  await page.locator('#main').waitFor();
  await press(page, 'u');
  await page.getByRole('dialog').locator('input[type=file]').first().setInputFiles(files);
  // What is there already is looked up first.
  await page.locator('dialog footer [type=submit]:not([aria-disabled=true])').waitFor();
}

const paste = (page: Page, name: string): Promise<unknown> =>
  page.evaluate(`{
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File(['x'], '${name}', { type: 'image/png' }));
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
  }`);

type Dialogs = Readonly<Record<string, readonly Place[]>>;
const open = (
  name: string,
  path: string,
  how: Place['open'],
  rest: Partial<Place> = {},
): Place => ({
  name,
  path,
  hasDialog: true,
  ...(how === undefined ? {} : { open: how }),
  ...rest,
});

/** Dialogs of a folder and of what is in it. */
const OF_FOLDERS: Dialogs = {
  'change/delete.tsx': [
    open('delete for good', '/b/logs-edge/2026/', (page) => onFirstRow(page, 'Delete')),
  ],
  'change/edit.tsx': [
    open('edit one', `${FOLDER}drone/`, async (page, texts) => {
      await onFirstRow(page, 'x');
      await command(page, texts.browse.edit);
    }),
    open('edit many', `${FOLDER}drone/`, async (page, texts) => {
      await onAllRows(page, 'Shift');
      await command(page, texts.browse.edit);
    }),
  ],
  'change/new-folder.tsx': [open('new folder', FOLDER, (page) => press(page, 'n'))],
  'change/relocate.tsx': [
    open('move', FOLDER, (page) => onFirstRow(page, 'm')),
    open('copy', FOLDER, async (page, texts) => {
      await onFirstRow(page, 'x');
      await command(page, texts.browse.copyTo);
    }),
  ],
  'change/rename-many.tsx': [
    open('rename many', `${FOLDER}drone/`, (page) => onAllRows(page, 'F2')),
  ],
  'change/rename.tsx': [open('rename', `${FOLDER}drone/`, (page) => onFirstRow(page, 'F2'))],
  'links/share.tsx': [
    open('ask for files', FOLDER, (page) => press(page, 'a')),
    open('all of asking for files', '/links', async (page, texts) => {
      await press(page, 'a');
      await page.getByRole('dialog').getByText(texts.shell.more, { exact: true }).click();
    }),
    open('a drop link that was made', '/b/press-kit/', async (page, texts) => {
      await press(page, 'a');
      await page.getByRole('dialog').getByRole('button', { name: texts.links.make }).click();
      await page.getByRole('dialog').getByLabel(texts.links.address, { exact: true }).waitFor();
    }),
    open('change a drop link', '/links?kind=drop', async (page, texts) => {
      await page.getByRole('row').getByRole('button').last().click();
      await menuItem(page, texts.links.change);
    }),
    open('share by link', FOLDER, (page) => onFirstRow(page, 'l')),
    open('all of sharing by link', `${FOLDER}drone/`, async (page, texts) => {
      await onFirstRow(page, 'l');
      await page.getByRole('dialog').getByText(texts.shell.more, { exact: true }).click();
    }),
    open('share folders by link', FOLDER, (page) => onAllRows(page, 'l')),
    open('a link that was made', `${FOLDER}drone/`, async (page, texts) => {
      await onFirstRow(page, 'l');
      await page.getByRole('dialog').getByRole('button', { name: texts.links.make }).click();
      await page.getByRole('dialog').getByLabel(texts.links.address, { exact: true }).waitFor();
    }),
  ],
  'links/link-menu.tsx': [
    open('delete a link', '/links', async (page, texts) => {
      await page.getByRole('row').getByRole('button').last().click();
      await menuItem(page, texts.browse.delete);
    }),
  ],
  'viewers/quick-look.tsx': [
    open('quick look', `${FOLDER}drone/`, (page) => onFirstRow(page, 'Space')),
  ],
  'access/make-public.tsx': [
    open('make public', '/b/press-kit/?panel=readers', (page, texts) =>
      click(page, texts.access.makePublic),
    ),
  ],
  'access/test-access.tsx': [
    open('test access', `${OBJECT}?panel=readers`, (page, texts) => click(page, texts.access.test)),
  ],
  'access/presign.tsx': [
    open('presign', `${OBJECT}?panel=readers`, (page, texts) => click(page, texts.access.presign)),
  ],
  'access/probe.tsx': [
    open('probe', `${OBJECT}?panel=readers`, async (page, texts) => {
      await click(page, texts.access.probe);
      await page
        .getByRole('dialog')
        .getByRole('button', { name: texts.access.probed.again })
        .waitFor();
    }),
  ],
};

const OF_OBJECTS: Dialogs = {
  'compare/compare.tsx': [
    open('compare versions', VERSIONS, (page, texts) => click(page, texts.viewers.compare.title)),
    open('compare with another', OBJECT, async (page, texts) => {
      await click(page, texts.shell.more);
      await menuItem(page, texts.viewers.compare.other);
    }),
  ],
  'object/delete-for-good.tsx': [
    open('delete an object for good', '/b/fonts/unknown.bin', (page) => press(page, 'Delete')),
    open('delete a version', VERSIONS, async (page, texts) => {
      await page.getByRole('button', { name: texts.object.versions.more }).last().click();
      await menuItem(page, texts.object.deleteForGood);
    }),
  ],
  'object/delete-older.tsx': [
    open('delete older versions', VERSIONS, (page, texts) =>
      click(page, texts.object.versions.deleteOlder),
    ),
  ],
};

const OF_UPLOADS: Dialogs = {
  'upload/plan/upload-dialog.tsx': [
    open('choose files', FOLDER, (page) => press(page, 'u')),
    open('clashes', FOLDER, async (page) => {
      const files = ['crew-list.csv', 'new.txt'].map((name) => ({
        name,
        mimeType: 'text/plain',
        buffer: Buffer.from('x'),
      }));
      await chooseFiles(page, files);
    }),
  ],
  'upload/choose/new-text.tsx': [
    open('new text', FOLDER, (page, texts) => command(page, texts.upload.newText)),
  ],
  'upload/resume/unfinished.tsx': [
    open('unfinished uploads', '/b/press-kit/', (page, texts) =>
      command(page, texts.upload.unfinished),
    ),
  ],
  'upload/choose/paste-dialog.tsx': [
    open('a pasted picture', '/b/press-kit/drafts/', (page) =>
      paste(page, 'image.png').then(() => {}),
    ),
    open('its link', '/b/press-kit/drafts/', async (page, texts) => {
      await page.evaluate('document.execCommand = () => false');
      await page.evaluate('Clipboard.prototype.writeText = () => Promise.reject(new Error())');
      await paste(page, 'image.png');
      await page
        .getByRole('dialog')
        .getByRole('button', { name: texts.upload.uploadAndCopy })
        .click();
      await page.getByRole('dialog').getByRole('textbox', { name: texts.upload.link }).waitFor();
    }),
  ],
  'upload/resume/interrupted.tsx': [
    open(
      'files of an upload that was interrupted',
      '/b/press-kit/large/',
      async (page, texts) => {
        await page.route('**/press-kit/large/**', (route) =>
          route.request().method() === 'PUT' ? undefined : route.fallback(),
        );
        await chooseFiles(page, [await largeFile('large.bin')]);
        await press(page, 'Control+Enter');
        await page.locator('.dock').waitFor();
        page.once('dialog', (dialog) => void dialog.accept());
        await page.waitForTimeout(500);
        await page.reload();
        await page.unroute('**/press-kit/large/**');
        await click(page, texts.upload.chooseAgain);
      },
      { visitor: 'uploader' },
    ),
  ],
};

const OF_BUCKETS: Dialogs = {
  'buckets/create-bucket.tsx': [open('new bucket', '/buckets', (page) => press(page, 'n'))],
  'buckets/empty-bucket.tsx': [
    open('empty a bucket', '/b/assets?settings=danger', (page, texts) =>
      click(page, texts.buckets.empty),
    ),
  ],
  'buckets/delete-bucket.tsx': [
    open('delete a bucket', '/b/assets?settings=danger', (page, texts) =>
      click(page, texts.buckets.delete),
    ),
  ],
  'trash/trash-dialogs.tsx': [
    open('restore to', '/trash?b=assets', async (page, texts) => {
      await page.getByRole('checkbox').first().check();
      await click(page, texts.trash.restoreTo);
    }),
    open('delete what is chosen for good', '/trash?b=assets', async (page, texts) => {
      await page.getByRole('checkbox').first().check();
      await click(page, texts.object.deleteForGood);
    }),
    open('empty the trash', '/trash?b=assets', (page, texts) => click(page, texts.trash.empty)),
    open('days of the trash', '/trash?b=fonts', (page, texts) => click(page, texts.trash.days)),
  ],
  'jobs/job-failures.tsx': [
    open('what a job left', '/jobs', (page, texts) => click(page, texts.jobs.show)),
  ],
  'usage/set-cap.tsx': [
    open('set a cap', '/usage', (page, texts) => click(page, texts.usage.setCap)),
  ],
};

const OF_KEYS: Dialogs = {
  'keys/key-made.tsx': [
    open('leave without the secret', '/keys/new', async (page, texts) => {
      await page.getByLabel(texts.browse.name, { exact: true }).fill('left');
      await press(page, 'Enter');
      await page.getByRole('button', { name: texts.keys.kept }).waitFor();
      await page.getByRole('link', { name: texts.shell.jobs }).first().click();
    }),
  ],
  'keys/key-menu.tsx': [
    open('rotate a key', '/keys', async (page, texts) => {
      await click(page, texts.keys.menu('old-ci'));
      await menuItem(page, texts.keys.rotate);
    }),
    open('delete a key', '/keys', async (page, texts) => {
      await click(page, texts.keys.menu('old-ci'));
      await menuItem(page, texts.browse.delete);
    }),
  ],
  'palette/api-calls.tsx': [open('calls of the API', FOLDER, (page) => press(page, '.'))],
  'palette/key-list.tsx': [open('the list of keys', FOLDER, (page) => press(page, '?'))],
  'palette/palette.tsx': [open('the palette', FOLDER, (page) => press(page, 'Control+k'))],
};

const makeToken = (page: Page, texts: Texts) => click(page, texts.settings.makeToken);
const addPasskey = (page: Page, texts: Texts) => click(page, texts.settings.addPasskey);

const OF_SETTINGS: Dialogs = {
  'settings/become-member.tsx': [
    open('become a member', '/settings#dialog=member', undefined),
    open(
      'became a member',
      '/settings#dialog=member',
      async (page, texts) => {
        const { settings } = texts;
        const name = memberName();
        await fillAndSend(page, [
          [settings.login, name],
          [settings.new, 'ten characters or more'],
        ]);
        await page.getByRole('dialog', { name: settings.becomeDone(name) }).waitFor();
      },
      { visitor: 'holder' },
    ),
  ],
  'settings/invitations.tsx': [
    open('invite', '/settings/members', (page, texts) => click(page, texts.settings.invite)),
    open('the link of an invitation', '/settings/members', async (page, texts) => {
      await click(page, texts.settings.invite);
      await fillAndSend(page, [[texts.settings.displayName, 'Alan']]);
      await page.getByRole('dialog', { name: texts.settings.linkMade('Alan') }).waitFor();
    }),
  ],
  'settings/members.tsx': [
    open('delete a member', '/settings/members', (page, texts) =>
      click(page, texts.settings.deleteMember('Grace')),
    ),
  ],
  'settings/passkeys.tsx': [
    open('add a passkey', '/settings', addPasskey, { visitor: 'member' }),
    open(
      'a passkey is made',
      '/settings',
      async (page, texts) => {
        await addPasskey(page, texts);
        await fillAndSend(page, []);
        await page.getByRole('dialog', { name: texts.settings.passkeyMade }).waitFor();
      },
      { visitor: 'member' },
    ),
    open('remove a passkey', '/settings', (page, texts) => click(page, texts.settings.remove), {
      visitor: 'member',
    }),
  ],
  'settings/sessions.tsx': [
    open('end all sessions', '/settings/sessions', (page, texts) =>
      click(page, texts.settings.endAll),
    ),
  ],
  'settings/tokens.tsx': [
    open('make a token', '/settings/sessions', makeToken),
    open('a token is made', '/settings/sessions', async (page, texts) => {
      await makeToken(page, texts);
      await fillAndSend(page, [[texts.settings.tokenName, 'script']]);
      await page.getByRole('dialog', { name: texts.settings.tokenMade }).waitFor();
    }),
  ],
  'sign-in/again.tsx': [
    open('the session has ended', '/keys/new', async (page, texts) => {
      await refuseOnce(page, '**/-/api/v1/access-keys', 401, 'InvalidToken');
      await page.route('**/-/api/v1/me', (route) =>
        route.fulfill({ status: 401, json: { code: 'InvalidToken', status: 401 } }),
      );
      await page.getByLabel(texts.browse.name, { exact: true }).fill('late');
      await press(page, 'Enter');
      await page.getByRole('dialog').waitFor();
      await page.unroute('**/-/api/v1/me');
    }),
    open('a recent proof', '/keys/new', async (page, texts) => {
      await refuseOnce(page, '**/-/api/v1/access-keys', 403, 'RecentProofRequired');
      await page.getByLabel(texts.browse.name, { exact: true }).fill('proved');
      await press(page, 'Enter');
    }),
  ],
};

export const DIALOGS: Dialogs = {
  ...OF_FOLDERS,
  ...OF_OBJECTS,
  ...OF_UPLOADS,
  ...OF_BUCKETS,
  ...OF_KEYS,
  ...OF_SETTINGS,
};
