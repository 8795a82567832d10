// The frame of every link page, of share links and of drop links: head, whose page it
// is, language, content, footer. It shows what it is given and reads nothing.
import { otherLanguage, PAGE_LANGUAGES, type PageLanguage } from '../../semantics/accept-html.ts';
import { type Child, type Element, h, toHtml } from './element.ts';
import { FRAME_TEXTS } from './frame-texts.ts';
import { mark } from './icons.ts';
import type { PageFiles } from './link-files.ts';
import { ownColourStyle } from './own-colour.ts';
import { shortName, visibleText } from './shown-name.ts';

/** Whose page it is, as its owner chose. */
export type Brand = {
  /** Shown beside the logo; null: nobody is named. */
  readonly name: string | null;
  /** Address of a picture of this origin; null: the first letters of the name. */
  readonly logoHref: string | null;
  /** `#0b5872`; null: the product's own colour. */
  readonly colour: string | null;
};

export type Page = {
  readonly language: PageLanguage;
  /** Title of the document, and of previews in chats. */
  readonly title: string;
  /** One plain sentence for previews in chats. */
  readonly description: string;
  /** This page in the other language, relative to its own address. */
  readonly otherLanguageHref: string;
  readonly files: PageFiles;
  /** Scheme and host of this page, for addresses in previews: `https://files.example`. */
  readonly origin: string;
  /** Address of the picture for previews in chats; null: the product's mark. */
  readonly pictureHref: string | null;
  readonly brand: Brand | null;
  /** What stands in `main`, with the only `h1`. */
  readonly content: Child;
  /** What the footer says before its own line: an end, limits. */
  readonly footer: readonly Child[];
  /** `narrow`: a message or a small form in the middle of the page. */
  readonly width: 'wide' | 'narrow';
};

/** The whole page as HTML. */
export function renderPage(page: Page): string {
  const language = PAGE_LANGUAGES[page.language].tag;
  const html = h('html', { lang: language }, headOf(page), bodyOf(page));
  return `<!doctype html>\n${toHtml(html)}\n`;
}

/** The style for the owner's colour, for the page and for its policy; null: there is none. */
export const ownStyleOf = ({ brand }: Pick<Page, 'brand'>): string | null =>
  ownColourStyle(brand?.colour ?? null);

function headOf(page: Page): Element {
  const { files } = page;
  const title = shortName(page.title);
  const description = visibleText(page.description);
  const picture = page.pictureHref ?? files.picture;
  const ownStyle = ownStyleOf(page);
  return h(
    'head',
    null,
    h('meta', { charset: 'utf-8' }),
    h('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
    h('meta', { name: 'robots', content: 'noindex' }),
    h('meta', { name: 'color-scheme', content: 'light dark' }),
    h('meta', { name: 'description', content: description }),
    h('title', null, title),
    h('meta', { property: 'og:type', content: 'website' }),
    h('meta', { property: 'og:title', content: title }),
    h('meta', { property: 'og:description', content: description }),
    picture === null ? null : h('meta', { property: 'og:image', content: page.origin + picture }),
    // No icon is asked for at the root of the host, which may be a bucket's.
    h('link', { rel: 'icon', href: files.icon ?? 'data:,' }),
    files.style === null ? null : h('link', { rel: 'stylesheet', href: files.style }),
    ownStyle === null ? null : h('style', null, ownStyle),
    files.script === null ? null : h('script', { type: 'module', src: files.script }),
  );
}

function bodyOf(page: Page): Element {
  const texts = FRAME_TEXTS[page.language];
  const other = otherLanguage(page.language);
  const switchLanguage = h(
    'a',
    {
      class: 'switch-language',
      href: page.otherLanguageHref,
      lang: PAGE_LANGUAGES[other].tag,
      hreflang: PAGE_LANGUAGES[other].tag,
      rel: 'alternate',
    },
    texts.otherLanguage,
  );
  return h(
    'body',
    null,
    h('header', { class: 'top' }, brandOf(page), switchLanguage),
    h('main', { class: page.width }, page.content),
    h(
      'footer',
      null,
      ...page.footer.map((fact) => h('p', null, fact)),
      h('p', null, texts.nobodyReads),
    ),
  );
}

function brandOf({ brand, language }: Page): Element {
  const name = brand?.name ?? null;
  if (name === null && (brand?.logoHref ?? null) === null)
    return h('div', { class: 'brand' }, mark(), h('span', { class: 'product' }, 'Quayside'));
  const picture =
    brand?.logoHref != null
      ? h('img', { class: 'logo', src: brand.logoHref, alt: '', width: 32, height: 32 })
      : h('span', { class: 'logo letters', 'aria-hidden': 'true' }, initialsOf(name ?? ''));
  const { sharedBy } = FRAME_TEXTS[language];
  const label =
    name === null
      ? null
      : h(
          'span',
          null,
          h('span', { class: 'faint' }, `${sharedBy} `),
          h('bdi', null, shortName(name)),
        );
  return h('div', { class: 'brand' }, picture, label);
}

/** Two letters at most, or the first sign of a name without blanks. */
function initialsOf(name: string): string {
  const words = visibleText(name).trim().split(/\s+/, 2);
  return words.map((word) => [...word.slice(0, 2)][0] ?? '').join('');
}
