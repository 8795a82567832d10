// The texts of the console. English has the shape, every other language is checked
// against it by the compiler: a missing text does not build. To add a language: one
// folder beside `en`, one line in LOADERS, one in preferences.ts.
import { effect, signal } from '@preact/signals';
import { type Language, language } from '../app/preferences.ts';
import type { texts as english } from './en/texts.ts';

export type Texts = typeof english;

const LOADERS: Readonly<Record<Language, () => Promise<{ texts: Texts }>>> = {
  en: () => import('./en/texts.ts'),
  zh: () => import('./zh/texts.ts'),
};

const current = signal<Texts | null>(null);

/** Loads the texts of a language, and from then on those of each language chosen. */
export async function loadTexts(first: Language): Promise<void> {
  current.value = (await LOADERS[first]()).texts;
  let shown = first;
  effect(() => {
    const chosen = language.value;
    if (chosen === shown) return;
    shown = chosen;
    void LOADERS[chosen]().then(({ texts }) => {
      if (shown === chosen) current.value = texts;
    });
  });
}

/** The texts in the language that is shown. Reading them subscribes the component. */
export function t(): Texts {
  const texts = current.value;
  if (texts === null) throw new Error('The texts are not loaded yet');
  return texts;
}
