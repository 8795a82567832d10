// The texts of share pages by language, and what each part of such a page is given.
import type { PageLanguage } from '../../../semantics/accept-html.ts';
import type { ShareView } from '../../share/share-view.ts';
import type { Format } from '../format.ts';
import type { PageVisit } from '../page-visit.ts';
import { ENGLISH, type ShareTexts } from './texts-en.ts';
import { CHINESE } from './texts-zh.ts';

export const SHARE_TEXTS: Readonly<Record<PageLanguage, ShareTexts>> = {
  en: ENGLISH,
  zh: CHINESE,
};

/** What every part of a share page is made from. */
export type ShareContext = {
  readonly view: ShareView;
  readonly visit: PageVisit;
  readonly texts: ShareTexts;
  readonly format: Format;
};
