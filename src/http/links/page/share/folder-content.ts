// The page of a link to a folder or to a set of keys: the way back, a search, folders
// and files, and a form that takes some of them as one ZIP.
import type { ShareFolder } from '../../share/share-view.ts';
import { type Child, type Element, h } from '../element.ts';
import { icon, iconSprite } from '../icons.ts';
import { keepLanguage, queryFields, withQuery } from '../page-visit.ts';
import { nameElement, shortName } from '../shown-name.ts';
import { folderList } from './folder-list.ts';
import { isWhole } from './folder-order.ts';
import type { ShareContext } from './share-texts.ts';
import { toolButtons } from './share-tools.ts';

/** What stands below the title and the owner's text. */
export function folderContent(context: ShareContext, folder: ShareFolder): Child {
  const { texts } = context;
  const isEmpty = folder.files.length === 0 && folder.folders.length === 0;
  const hasSearch = folder.search !== null || !isEmpty;
  return [
    iconSprite(['file', 'folder', 'download']),
    h('div', { class: 'actions' }, zipButton(context, folder), ...toolButtons(context)),
    zipNote(context, folder),
    crumbs(context, folder),
    hasSearch ? searchForm(context, folder) : null,
    folder.search === null
      ? null
      : h('h2', { class: 'hits' }, texts.hits(shortName(folder.search))),
    isEmpty ? emptyNote(context, folder) : pickForm(context, folder),
    folder.isSearchCut ? h('p', { class: 'counts' }, texts.searchIsCut) : null,
    pages(context, folder),
    viewer(context),
  ];
}

/** All of the folder; how large is known where the page has all of it. */
function zipButton({ texts, format }: ShareContext, folder: ShareFolder): Element | null {
  if (folder.zipHref === null || folder.search !== null) return null;
  if (folder.files.length === 0 && folder.folders.length === 0) return null;
  const bytes = folder.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const isKnown = isWhole(folder) && folder.folders.length === 0;
  const text = isKnown ? texts.downloadAllOf(format.bytes(bytes)) : texts.downloadAll;
  // Without `download`, as all links to files: a refusal is to be read.
  return h('a', { class: 'button primary', href: folder.zipHref }, icon('download'), text);
}

/** Why there is no ZIP, and what to do instead. */
function zipNote({ texts, format }: ShareContext, { zipRefusal }: ShareFolder): Element | null {
  if (zipRefusal === null) return null;
  const why =
    zipRefusal === 'refused'
      ? texts.zipRefused
      : texts.zipTooLarge(format.count(zipRefusal.files), format.count(zipRefusal.filesMax));
  return h('p', { class: 'note notice', role: 'status' }, `${why} ${texts.zipInstead}`);
}

/** The way from the link to this folder; none at the top. */
function crumbs({ texts, visit }: ShareContext, { crumbs: way }: ShareFolder): Element | null {
  if (way.length < 2) return null;
  const items = way.map(({ name, href }, at) => {
    const shown = name === '' ? texts.sharedFiles : shortName(name);
    const isHere = at === way.length - 1;
    return h(
      'li',
      null,
      isHere
        ? h('bdi', { 'aria-current': 'page' }, shown)
        : h('a', { href: keepLanguage(visit, href) }, h('bdi', null, shown)),
    );
  });
  return h('nav', { class: 'crumbs', 'aria-label': texts.path }, h('ol', null, ...items));
}

/** Its GET form writes a query of its own, so what the address carries stands in fields. */
function searchForm(context: ShareContext, { searchHref, search }: ShareFolder): Element {
  const { texts, visit } = context;
  const { path, fields } = queryFields(keepLanguage(visit, searchHref));
  const label = { type: 'search', name: 'q', maxlength: 200, autocomplete: 'off' };
  return h(
    'form',
    { class: 'search', method: 'get', action: path, role: 'search' },
    fields.map(([name, value]) =>
      name === 'q' ? null : h('input', { type: 'hidden', name, value }),
    ),
    h('input', {
      class: 'input',
      ...label,
      value: search ?? '',
      placeholder: texts.search,
      'aria-label': texts.search,
    }),
    h('button', { class: 'button secondary', type: 'submit' }, icon('search'), texts.searchButton),
    search === null
      ? null
      : h('a', { class: 'button', href: keepLanguage(visit, searchHref) }, texts.searchAll),
  );
}

function emptyNote({ texts }: ShareContext, { search }: ShareFolder): Element {
  const text = search === null ? texts.emptyFolder : texts.noHits(shortName(search));
  return h('p', { class: 'empty' }, text);
}

/** The list, in a form where some of it may be taken. */
function pickForm(context: ShareContext, folder: ShareFolder): Element {
  const { texts, format } = context;
  const list = [
    folderList(context, folder),
    // The script filters while somebody types.
    h('p', { class: 'empty', hidden: true, 'data-no-hits': true }, texts.noHitsShown),
    counts(context, folder),
  ];
  if (folder.pickHref === null || folder.files.length + folder.folders.length < 2)
    return h('div', null, ...list);
  return h(
    'form',
    { class: 'picks', method: 'post', action: folder.pickHref, 'data-picks-max': folder.picksMax },
    ...list,
    h(
      'div',
      { class: 'pick-bar' },
      h(
        'button',
        { class: 'button secondary', type: 'submit' },
        icon('download'),
        texts.downloadPicked,
      ),
      h('output', {
        class: 'faint',
        'data-picked': texts.pickedOf('{count}', '{size}'),
        'data-picked-unknown': texts.picked('{count}'),
        'data-too-many': texts.picksMax(format.count(folder.picksMax)),
      }),
    ),
  );
}

/** How much is here. */
function counts({ texts, format }: ShareContext, folder: ShareFolder): Element | null {
  const { length } = folder.files;
  if (length === 0) return null;
  const bytes = folder.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const count = format.count(length);
  const text = isWhole(folder)
    ? texts.count(count, length === 1, format.bytes(bytes))
    : texts.countOnPage(count, length === 1);
  return h('p', { class: 'counts' }, text);
}

function pages({ texts, visit }: ShareContext, folder: ShareFolder): Element | null {
  const { nextHref, isContinued } = folder;
  if (nextHref === null && !isContinued) return null;
  const link = (href: string, rel: string | undefined, text: string) =>
    h('a', { class: 'button secondary', href, rel }, text);
  return h(
    'div',
    { class: 'actions pages' },
    isContinued ? link(withQuery(visit, { after: null }), undefined, texts.firstPage) : null,
    nextHref === null ? null : link(keepLanguage(visit, nextHref), 'next', texts.nextPage),
  );
}

/** Where the script shows pictures and films one after the other; empty without it. */
function viewer({ texts, view }: ShareContext): Element {
  const button = (action: string, text: string, name: 'previous' | 'next' | 'close') =>
    h(
      'button',
      { class: 'button icon-only', type: 'button', 'data-viewer': action, 'aria-label': text },
      icon(name),
    );
  return h(
    'dialog',
    { class: 'viewer', id: 'viewer', 'aria-labelledby': 'viewer-name' },
    h(
      'div',
      { class: 'viewer-bar' },
      h('h2', { id: 'viewer-name' }, nameElement('')),
      view.page.mode === 'view'
        ? null
        : h(
            'a',
            { class: 'button', href: view.link.path, 'data-viewer': 'download' },
            icon('download'),
            texts.download,
          ),
      button('previous', texts.previous, 'previous'),
      button('next', texts.next, 'next'),
      button('close', texts.close, 'close'),
    ),
    h('div', { class: 'viewer-stage', 'data-viewer': 'stage' }),
  );
}
