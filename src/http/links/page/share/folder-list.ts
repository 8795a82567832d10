// The rows of a folder's page: what each is, how large, from when, and its button.
import type { SharedFolder, ShareFile, ShareFolder } from '../../share/share-view.ts';
import { type Child, type Element, h } from '../element.ts';
import { spriteIcon } from '../icons.ts';
import { keepLanguage, withQuery } from '../page-visit.ts';
import { nameElement, shortName } from '../shown-name.ts';
import { COLUMNS, isWhole, orderOf, SORT, sortFiles, sortValue } from './folder-order.ts';
import type { ShareContext } from './share-texts.ts';

/** Head and rows; folders first. */
export function folderList(context: ShareContext, folder: ShareFolder): Child {
  const { visit } = context;
  const order = orderOf(visit, folder);
  const canPick = folder.pickHref !== null && folder.files.length + folder.folders.length > 1;
  const files = isWhole(folder) ? sortFiles(folder.files, order, visit.language) : folder.files;
  return [
    listHead(context, folder, canPick),
    h(
      'ul',
      { class: canPick ? 'files can-pick' : 'files' },
      ...folder.folders.map((each) => folderRow(context, each, canPick)),
      ...files.map((file) => fileRow(context, file, canPick)),
    ),
  ];
}

/** Names of the columns, links where they sort; the box that selects all is the script's. */
function listHead({ texts, visit }: ShareContext, folder: ShareFolder, canPick: boolean): Element {
  const order = orderOf(visit, folder);
  const columns = COLUMNS.map((column) => {
    const text = texts[column];
    if (!isWhole(folder)) return h('span', { class: `column ${column}` }, text);
    const isSorted = order.column === column;
    const arrow = isSorted
      ? h('span', { 'aria-hidden': 'true' }, order.isDown ? ' ↓' : ' ↑')
      : null;
    const direction = order.isDown ? texts.sortedDown : texts.sortedUp;
    const label = `${texts.sortBy(text)}${isSorted ? `, ${direction}` : ''}`;
    return h(
      'a',
      {
        class: `column ${column}`,
        href: withQuery(visit, { [SORT]: sortValue(column, order) }),
        'aria-label': label,
        'aria-current': isSorted ? 'true' : undefined,
      },
      text,
      arrow,
    );
  });
  const all = canPick
    ? h(
        'label',
        { class: 'pick', hidden: true, 'data-pick-all': true },
        h('input', { type: 'checkbox', 'aria-label': texts.pickAll }),
      )
    : null;
  return h('div', { class: canPick ? 'list-head can-pick' : 'list-head' }, all, ...columns);
}

function folderRow(
  { texts, visit }: ShareContext,
  { name, href, pick }: SharedFolder,
  canPick: boolean,
): Element {
  return h(
    'li',
    null,
    canPick ? pickBox(texts.pick(shortName(name)), pick, null) : null,
    h(
      'a',
      { class: 'what', href: keepLanguage(visit, href) },
      spriteIcon('folder'),
      nameElement(name),
    ),
    h('span', { class: 'size faint' }, texts.folder),
  );
}

function fileRow({ texts, format }: ShareContext, file: ShareFile, canPick: boolean): Element {
  const { name, pick, sizeBytes, downloadHref } = file;
  const short = shortName(name);
  return h(
    'li',
    null,
    canPick ? pickBox(texts.pick(short), pick, sizeBytes) : null,
    fileLink(file),
    h('span', { class: 'size', title: `${format.count(sizeBytes)} B` }, format.bytes(sizeBytes)),
    h('span', { class: 'date faint' }, format.day(Date.parse(file.modifiedAt))),
    downloadHref === null
      ? null
      : h(
          'a',
          {
            class: 'button icon-only take',
            href: downloadHref,
            'aria-label': texts.downloadFile(short),
            title: texts.download,
          },
          spriteIcon('download'),
        ),
  );
}

/** Forms send line ends otherwise than they stand, and no NUL. */
const CONTROL = /\p{Cc}/u;

/** A row's box; how large a folder is nobody knows (null). Its label makes it as large as the row's corner. */
function pickBox(label: string, value: string, sizeBytes: number | null): Element {
  if (CONTROL.test(value)) return h('span', { class: 'pick' });
  const box = { type: 'checkbox', name: 'pick', value, 'aria-label': label };
  return h('label', { class: 'pick' }, h('input', { ...box, 'data-size': sizeBytes ?? undefined }));
}

/** What can be shown opens; everything else is downloaded; neither: the name alone. */
function fileLink({ name, preview, downloadHref }: ShareFile): Element {
  const parts = [spriteIcon('file'), nameElement(name)];
  if (preview !== null) {
    const kind = preview.counts ? undefined : preview.kind;
    return h('a', { class: 'what', href: preview.href, 'data-preview': kind }, ...parts);
  }
  if (downloadHref === null) return h('span', { class: 'what' }, ...parts);
  return h('a', { class: 'what', href: downloadHref }, ...parts);
}
