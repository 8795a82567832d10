// The texts of the console. English has the shape, every other language is checked
// against it by the compiler: a missing text does not build. Those of a folder come
// first, those of all other views when one is shown (app/load-rest.ts). To add a
// language: one folder beside `en`, an entry in LOADERS, one in preferences.ts.
import { effect, signal } from '@preact/signals';
import { type Language, language } from '../app/preferences.ts';
import type { texts as accountEnglish } from './en/account-texts.ts';
import type { texts as objectEnglish } from './en/object-texts.ts';
import type { texts as firstEnglish } from './en/texts.ts';

type FirstTexts = typeof firstEnglish;
type ViewTexts = typeof objectEnglish & typeof accountEnglish;
export type Texts = FirstTexts & ViewTexts;

/** The parts of a language: that of a folder, then those of all other views. */
type Loaders = readonly [
  () => Promise<{ texts: FirstTexts }>,
  () => Promise<{ texts: typeof objectEnglish }>,
  () => Promise<{ texts: typeof accountEnglish }>,
];
const LOADERS: Readonly<Record<Language, Loaders>> = {
  en: [
    () => import('./en/texts.ts'),
    () => import('./en/object-texts.ts'),
    () => import('./en/account-texts.ts'),
  ],
  zh: [
    () => import('./zh/texts.ts'),
    () => import('./zh/object-texts.ts'),
    () => import('./zh/account-texts.ts'),
  ],
};

const current = signal<Texts | null>(null);
let hasViews = false;

/**
 * Loads the chosen language, as far as the views that were shown need it, and shows it. Both may
 * change on the way: then what is wanted by then is loaded, too, before this is over.
 */
async function show(): Promise<void> {
  const [chosen, isWhole] = [language.value, hasViews];
  const loaders = isWhole ? LOADERS[chosen] : LOADERS[chosen].slice(0, 1);
  const parts = await Promise.all(loaders.map((load) => load()));
  if (chosen !== language.value || isWhole !== hasViews) return show();
  // What is not loaded is read by no view that is shown: `lazy` waits for it.
  current.value = Object.assign({}, ...parts.map(({ texts }) => texts));
}

/** Loads the texts of a folder, and from then on those of each language chosen. */
export async function loadTexts(first: Language): Promise<void> {
  await show();
  let shown = first;
  effect(() => {
    const chosen = language.value;
    if (chosen === shown) return;
    shown = chosen;
    // The language of before stays where the new one can't be loaded.
    show().catch(() => {});
  });
}

/** Loads the texts of all other views, in the language that is shown. */
export async function loadViewTexts(): Promise<void> {
  hasViews = true;
  await show();
}

/** The texts in the language that is shown. Reading them subscribes the component. */
export function t(): Texts {
  const texts = current.value;
  if (texts === null) throw new Error('The texts are not loaded yet');
  return texts;
}
