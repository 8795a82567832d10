// Share links in every state, as views: for pictures and for tests of the pages that need no
// server behind them.
import type {
  ShareContent,
  ShareExcerpt,
  ShareFile,
  ShareFolder,
  SharePreview,
  ShareView,
} from '../../../../src/http/links/share/share-view.ts';

const ID = 'Qx7pT0aVb2mLk9sYd4RfZw';
const PATH = `/-/s/${ID}`;
const ORIGIN = 'https://files.harbourlight.example';

/** Parts of a view that a sample changes. */
export type Change = Partial<Omit<ShareView, 'page' | 'link'>> & {
  readonly page?: Partial<ShareView['page']>;
  readonly link?: Partial<ShareView['link']>;
};

export function sampleView({ page, link, ...rest }: Change = {}): ShareView {
  return {
    state: 'open',
    status: 200,
    link: { path: PATH, url: ORIGIN + PATH, ticket: null, label: null, ...link },
    page: { title: null, text: null, logo: null, colour: null, mode: 'preview', ...page },
    times: { expiresAt: null, beginsAt: null },
    left: { downloads: null, bytes: null },
    password: null,
    content: fileOf(sampleFile('10-harbour-dawn.jpg', 8_410_000, 'image')),
    ...rest,
  };
}

export const fileOf = (file: ShareFile, excerpt: ShareExcerpt | null = null): ShareContent => ({
  kind: 'file',
  file,
  excerpt,
});

export function sampleFile(
  name: string,
  sizeBytes: number,
  kind: SharePreview['kind'] | null = null,
  change: Partial<ShareFile> = {},
): ShareFile {
  const href = `${PATH}/${encodeURIComponent(name)}`;
  return {
    name,
    pick: name,
    sizeBytes,
    modifiedAt: '2026-11-18T09:42:00.000Z',
    contentType: null,
    downloadHref: href,
    preview: kind === null ? null : { kind, href: `${href}?show=1`, counts: false },
    ...change,
  };
}

export function sampleFolder(change: Partial<ShareFolder> = {}): ShareFolder {
  return {
    kind: 'folder',
    name: '2026-regatta',
    crumbs: [{ name: '2026-regatta', href: PATH }],
    folders: [
      { name: 'captions', href: `${PATH}/captions/`, pick: 'captions/' },
      { name: '港口日出', href: `${PATH}/%E6%B8%AF/`, pick: '港/' },
    ],
    files: [
      sampleFile('2-start-line.jpg', 9_660_000, 'image'),
      sampleFile('10-harbour-dawn.jpg', 8_410_000, 'image', {
        modifiedAt: '2026-11-20T16:00:00.000Z',
      }),
      sampleFile('committee-boat.jpg', 7_960_000, 'image'),
      sampleFile('crew-list.csv', 1024, 'text'),
      sampleFile('press-release.pdf', 248_000, 'pdf'),
      sampleFile('race-film.mp4', 412_000_000, 'video'),
      sampleFile('raw-files.zip', 1_900_000_000),
      sampleFile(`${'scan with a very long name that somebody gave it '.repeat(4)}.tiff`, 12),
    ],
    search: null,
    searchHref: PATH,
    nextHref: null,
    isContinued: false,
    isSearchCut: false,
    zipHref: `${PATH}/?zip=1`,
    pickHref: `${PATH}/?zip=1`,
    picksMax: 1000,
    zipRefusal: null,
    ...change,
  };
}

const SUBFOLDER = sampleFolder({
  name: 'captions',
  crumbs: [
    { name: '2026-regatta', href: PATH },
    { name: 'captions', href: `${PATH}/captions/` },
  ],
});

const folderView = (folder: ShareContent, change: Change = {}) =>
  sampleView({ content: folder, ...change });

const TEXT = [
  'Three pictures from the *first race day*, free for editorial use until the end of the month.',
  'Credit: **Mara Okafor / Harbour Light**.',
  '',
  '- Full size, sRGB',
  '- Captions are in [the press kit](https://press.harbourlight.example/2026)',
].join('\n');

const closed = (state: ShareView['state'], status: number, change: Change = {}) =>
  sampleView({ state, status, content: null, ...change });

const EXCERPT = {
  text: 'boat,role,bib,born\nKittiwake,skipper,1,1990\n海燕,helm,2,1997\n',
  isCut: true,
};

/** Names that come from somebody who means harm. */
const HOSTILE_NAMES = [
  '"><img src=x onerror=alert(1)>.png',
  "'; alert(1); '.js",
  'invoice\u202efdp.exe',
  '\u0000\n\t.txt',
  'x'.repeat(4096),
  '\u05e9\u05dc\u05d5\u05dd.pdf',
  '<script>alert(1)</script>',
];

/** Every state of the page, by name. */
export const SHARE_SAMPLES: Readonly<Record<string, ShareView>> = {
  file: sampleView({
    page: { title: 'Harbour at dawn', text: TEXT, logo: '/logo.svg' },
    link: { label: 'Press desk' },
    times: { expiresAt: '2026-11-29T12:00:00.000Z', beginsAt: null },
    left: { downloads: 3, bytes: null },
  }),
  'file-plain': sampleView({
    content: fileOf(sampleFile('raw-files.zip', 1_900_000_000)),
  }),
  'file-text': sampleView({
    content: fileOf(sampleFile('crew-list.csv', 1024, 'text'), EXCERPT),
  }),
  'file-pdf': sampleView({
    content: fileOf(sampleFile('press-release.pdf', 248_000, 'pdf')),
  }),
  'file-video': sampleView({
    content: fileOf(sampleFile('race-film.mp4', 412_000_000, 'video')),
  }),
  'file-audio': sampleView({
    content: fileOf(sampleFile('interview.mp3', 12_400_000, 'audio')),
  }),
  'file-counted': sampleView({
    content: fileOf(
      sampleFile('10-harbour-dawn.jpg', 8_410_000, null, {
        preview: { kind: 'image', href: `${PATH}/10-harbour-dawn.jpg?show=1`, counts: true },
      }),
    ),
    left: { downloads: 1, bytes: 26_000_000 },
    times: { expiresAt: '2026-11-29T12:00:00.000Z', beginsAt: null },
  }),
  'view-only': sampleView({
    page: { mode: 'view' },
    content: fileOf(sampleFile('10-harbour-dawn.jpg', 8_410_000, 'image', { downloadHref: null })),
  }),
  'view-only-nothing': sampleView({
    page: { mode: 'view' },
    content: fileOf(sampleFile('raw.dng', 8_410_000, null, { downloadHref: null })),
  }),
  'download-only': sampleView({
    page: { mode: 'download', colour: '#ffd400' },
    content: fileOf(sampleFile('10-harbour-dawn.jpg', 8_410_000)),
  }),
  folder: folderView(sampleFolder(), {
    page: { title: 'Regatta 2026, press selection', text: TEXT, colour: '#7a1f5c' },
    times: { expiresAt: '2026-11-29T12:00:00.000Z', beginsAt: null },
  }),
  subfolder: folderView(SUBFOLDER),
  'folder-files': folderView(sampleFolder({ folders: [] })),
  'folder-page': folderView(
    sampleFolder({
      files: Array.from({ length: 200 }, (_, i) =>
        sampleFile(`IMG_${4000 + i}.jpg`, 3_000_000 + i * 1000, 'image'),
      ),
      nextHref: `${PATH}?after=IMG_4199.jpg`,
      isContinued: true,
    }),
  ),
  'folder-search': folderView(sampleFolder({ search: 'harbour', folders: [] })),
  'folder-no-hits': folderView(sampleFolder({ search: 'sail', folders: [], files: [] })),
  'folder-empty': folderView(sampleFolder({ folders: [], files: [] })),
  'folder-view-only': folderView(
    sampleFolder({
      zipHref: null,
      pickHref: null,
      files: sampleFolder().files.map((file) => ({ ...file, downloadHref: null })),
    }),
    { page: { mode: 'view' } },
  ),
  'folder-too-large': folderView(
    sampleFolder({ zipHref: null, zipRefusal: { files: 123_456, filesMax: 100_000 } }),
  ),
  'folder-zip-refused': folderView(sampleFolder({ zipHref: null, zipRefusal: 'refused' })),
  keys: folderView(sampleFolder({ name: '', crumbs: [], folders: [] })),
  hostile: folderView(
    sampleFolder({
      name: HOSTILE_NAMES[0] ?? '',
      crumbs: HOSTILE_NAMES.map((name) => ({ name, href: `${PATH}/x/` })),
      folders: HOSTILE_NAMES.map((name) => ({ name, href: `${PATH}/x/`, pick: `${name}/` })),
      files: HOSTILE_NAMES.map((name) => sampleFile(name, 1, 'image')),
      search: HOSTILE_NAMES[0] ?? '',
    }),
    {
      page: { title: HOSTILE_NAMES[0] ?? '', text: HOSTILE_NAMES.join('\n\n') },
      link: { label: HOSTILE_NAMES[6] ?? '' },
    },
  ),
  password: closed('password', 200, { password: { wasWrong: false, waitSeconds: null } }),
  'password-wrong': closed('password', 401, { password: { wasWrong: true, waitSeconds: null } }),
  'password-wait': closed('password', 429, { password: { wasWrong: true, waitSeconds: 540 } }),
  expired: closed('expired', 410, {
    times: { expiresAt: '2026-11-20T12:00:00.000Z', beginsAt: null },
  }),
  revoked: closed('revoked', 410),
  'used-up': closed('used-up', 410),
  'not-yet': closed('not-yet', 404, {
    times: { expiresAt: null, beginsAt: '2026-12-01T08:00:00.000Z' },
  }),
  'not-for-you': closed('not-for-you', 403),
};
