// The page of a link to one file: its name, size, kind and day, what browsers can show
// of it, and the button that takes it.
import type { ShareContent, ShareFile } from '../../share/share-view.ts';
import { type Child, type Element, h } from '../element.ts';
import { icon } from '../icons.ts';
import { nameElement, shortName } from '../shown-name.ts';
import { kindWord } from './kind-word.ts';
import type { ShareContext } from './share-texts.ts';
import { toolButtons } from './share-tools.ts';

/** Pictures above wait for a click: nobody's phone loads them unasked, bytes. */
const PICTURE_MAX_BYTES = 10_000_000;

type FileContent = Extract<ShareContent, { readonly kind: 'file' }>;

/** What stands below the title and the owner's text. */
export function fileContent(context: ShareContext, { file, excerpt }: FileContent): Child {
  const { texts, format, view } = context;
  const facts = [
    // Its name stands in the title, unless the owner wrote another one.
    view.page.title === null ? null : nameElement(file.name),
    format.bytes(file.sizeBytes),
    kindWord(file, texts),
    format.day(Date.parse(file.modifiedAt)),
  ].filter((fact) => fact !== null);
  return [
    h('p', { class: 'file-facts' }, ...facts.map((fact) => h('span', null, fact))),
    h(
      'div',
      { class: 'actions' },
      downloadButton(context, file),
      previewButton(context, file, excerpt),
      ...toolButtons(context),
    ),
    preview(context, file, excerpt),
  ];
}

function downloadButton({ texts, format }: ShareContext, file: ShareFile): Element | null {
  if (file.downloadHref === null) return null;
  const text = texts.downloadOf(format.bytes(file.sizeBytes));
  return h('a', { class: 'button primary', href: file.downloadHref }, icon('download'), text);
}

/** Whether the page shows the file by itself: where that costs nobody anything. */
function isShown({ preview, sizeBytes }: ShareFile): boolean {
  if (preview === null || preview.counts) return false;
  if (preview.kind === 'image') return sizeBytes <= PICTURE_MAX_BYTES;
  return preview.kind === 'video' || preview.kind === 'audio';
}

/** The way to what the page does not show by itself. */
function previewButton(
  { texts }: ShareContext,
  file: ShareFile,
  excerpt: FileContent['excerpt'],
): Element | null {
  const { preview } = file;
  if (preview === null || isShown(file)) return null;
  if (preview.kind === 'text' && excerpt !== null && !excerpt.isCut) return null;
  const text = preview.counts
    ? texts.openCounted
    : preview.kind === 'pdf'
      ? texts.openPdf
      : texts.open;
  const isFirst = file.downloadHref === null;
  return h(
    'a',
    { class: isFirst ? 'button primary' : 'button secondary', href: preview.href },
    icon('open'),
    text,
  );
}

function preview({ texts }: ShareContext, file: ShareFile, excerpt: FileContent['excerpt']): Child {
  const { preview: shown } = file;
  if (shown === null) return file.downloadHref === null ? note(texts.noPreview) : null;
  if (shown.kind === 'text' && excerpt !== null) {
    const text = h('pre', { class: 'excerpt', tabindex: 0, dir: 'auto' }, excerpt.text);
    return [text, excerpt.isCut ? h('p', { class: 'hint' }, texts.excerptIsCut) : null];
  }
  if (!isShown(file)) return null;
  const name = shortName(file.name);
  // Nothing is loaded of a film before somebody plays it.
  const player = { class: 'preview', src: shown.href, controls: true, preload: 'none' };
  const title = { 'aria-label': name };
  if (shown.kind === 'video') return h('video', { ...player, ...title, playsinline: true });
  if (shown.kind === 'audio') return h('audio', { ...player, ...title });
  return h('img', { class: 'preview', src: shown.href, alt: name });
}

const note = (text: string): Element => h('p', { class: 'note' }, text);
