// A link page as tests make it: plain, whole, with what the test is about put over it.
import type { Page } from '../../../../src/http/links/page/frame.ts';

export const FILES = {
  style: '/-/link-files/style-a1.css',
  script: '/-/link-files/share-b2.js',
  icon: '/-/link-files/mark-c3.svg',
  picture: '/-/link-files/preview-d4.png',
};

export function samplePage(parts: Partial<Page> = {}): Page {
  return {
    language: 'en',
    title: 'Regatta',
    description: 'Three pictures',
    otherLanguageHref: '?lang=zh',
    files: FILES,
    origin: 'https://files.example',
    pictureHref: null,
    brand: null,
    content: 'text',
    footer: [],
    width: 'wide',
    ...parts,
  };
}
