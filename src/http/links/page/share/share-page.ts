// The page of a share link, made from its view alone: nothing here asks for anything,
// so neither previews in chats nor readers who only look are counted. Called by the
// surface of share links.
import type { ShareView } from '../../share/share-view.ts';
import { type Child, type Element, h } from '../element.ts';
import { createFormat } from '../format.ts';
import type { Page } from '../frame.ts';
import { markdown } from '../markdown/markdown.ts';
import type { PageNeed } from '../page-headers.ts';
import { otherLanguageHref, type PageVisit, withQuery } from '../page-visit.ts';
import type { SentPage } from '../send-page.ts';
import { shortName } from '../shown-name.ts';
import { fileContent } from './file-content.ts';
import { folderContent } from './folder-content.ts';
import { passwordContent } from './password-form.ts';
import { closedContent } from './share-message.ts';
import { SHARE_TEXTS, type ShareContext } from './share-texts.ts';
import { toolSheets } from './share-tools.ts';

/** The page, to be sent by send-page.ts. */
export function sharePage(view: ShareView, visit: PageVisit): SentPage {
  const texts = SHARE_TEXTS[visit.language];
  const format = createFormat(visit.language);
  const context: ShareContext = { view, visit, texts, format };
  const { ticket, url, path } = view.link;
  const page: Page = {
    language: visit.language,
    title: titleOf(context),
    description: descriptionOf(context),
    otherLanguageHref: withTicket(otherLanguageHref(visit), ticket),
    files: visit.files,
    origin: url.slice(0, -path.length),
    // The logo is sent to whoever asks, and counts nothing; files may count.
    pictureHref: view.page.logo,
    brand:
      view.state === 'open'
        ? { name: null, logoHref: view.page.logo, colour: view.page.colour }
        : null,
    content: contentOf(context),
    footer: view.state === 'open' ? limitsOf(context) : [],
    width: view.state === 'open' ? 'wide' : 'narrow',
  };
  return {
    status: view.status,
    page,
    needs: needsOf(view),
    isSecret: ticket !== null || view.state === 'password',
    retryAfterSeconds: view.password?.waitSeconds ?? null,
  };
}

/** A page that came by POST has its ticket in no address yet. */
function withTicket(href: string, ticket: string | null): string {
  if (ticket === null) return href;
  return withQuery({ rawQuery: href.slice(1) }, { t: ticket });
}

function titleOf({ view, texts }: ShareContext): string {
  const { state, content } = view;
  if (state === 'password') return texts.password.title;
  if (state !== 'open') return texts.states[state].title;
  if (view.page.title !== null) return view.page.title;
  if (content?.kind === 'file') return content.file.name;
  return content === null || content.name === '' ? texts.sharedFiles : content.name;
}

/** What chats show below the title. */
function descriptionOf({ view, texts, format }: ShareContext): string {
  const { state, content } = view;
  if (state === 'password') return texts.password.advice;
  if (state !== 'open') return texts.states[state].advice;
  if (content?.kind !== 'file') return texts.sharedFolder;
  return `${texts.sharedFile} ${format.bytes(content.file.sizeBytes)}`;
}

function contentOf(context: ShareContext): Child {
  const { state } = context.view;
  if (state === 'open') return openContent(context);
  return state === 'password' ? passwordContent(context) : closedContent(context, state);
}

function openContent(context: ShareContext): Child {
  const { view, texts } = context;
  const { content } = view;
  return [
    view.link.label === null ? null : labelOf(context, view.link.label),
    h('h1', { dir: 'auto' }, shortName(titleOf(context))),
    markdown(view.page.text),
    content?.kind === 'file' ? fileContent(context, content) : null,
    content?.kind === 'folder' ? folderContent(context, content) : null,
    view.page.mode === 'view' ? h('p', { class: 'note view-only' }, texts.viewOnly) : null,
    ...toolSheets(context),
    // What the script says, for those who hear the page.
    h('p', { class: 'unseen', role: 'status', id: 'status' }),
  ];
}

const labelOf = ({ texts }: ShareContext, label: string): Element =>
  h('p', { class: 'recipient faint' }, texts.forRecipient(shortName(label)));

/** How long the link is open, and what is left of its limits. */
function limitsOf({ view, texts, format }: ShareContext): readonly Child[] {
  const { downloads, bytes } = view.left;
  const { expiresAt } = view.times;
  const facts: Child[] = [];
  if (expiresAt !== null) facts.push([`${texts.openUntil} `, format.moment(Date.parse(expiresAt))]);
  if (downloads !== null) facts.push(texts.downloadsLeft(format.count(downloads), downloads === 1));
  if (bytes !== null) facts.push(texts.bytesLeft(format.bytes(bytes)));
  const isLimited = downloads !== null || bytes !== null;
  if (isLimited && view.content?.kind === 'folder') facts.push(texts.listCountsNothing);
  return facts;
}

/** Pictures for a logo and for what is shown; sound and films where some are. */
function needsOf({ state, page, content }: ShareView): readonly PageNeed[] {
  if (state !== 'open') return [];
  const files = content?.kind === 'file' ? [content.file] : (content?.files ?? []);
  const kinds = new Set(files.map(({ preview }) => preview?.kind));
  const needs: PageNeed[] = [];
  if (page.logo !== null || kinds.has('image')) needs.push('images');
  if (kinds.has('video') || kinds.has('audio')) needs.push('media');
  return needs;
}
