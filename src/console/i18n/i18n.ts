// The texts of the console. English has the shape, every other language is checked
// against it by the compiler: a missing text does not build. They come in two loads:
// what the first view needs, then the rest, for which every later piece waits
// (app/lazy.tsx). To add a language: one folder beside `en`, one line in LOADERS, one
// in preferences.ts.
import { effect, signal } from '@preact/signals';
import { type Language, language } from '../app/preferences.ts';
import type { texts as account } from './en/account-texts.ts';
import type { texts as core } from './en/core-texts.ts';
import type { texts as objects } from './en/objects-texts.ts';

type Core = typeof core;
type Objects = typeof objects;
type Account = typeof account;
export type Texts = Core & Objects & Account;

type Loaded<Group> = Promise<{ texts: Group }>;
type Loader = {
  readonly core: () => Loaded<Core>;
  readonly objects: () => Loaded<Objects>;
  readonly account: () => Loaded<Account>;
};

const LOADERS: Readonly<Record<Language, Loader>> = {
  en: {
    core: () => import('./en/core-texts.ts'),
    objects: () => import('./en/objects-texts.ts'),
    account: () => import('./en/account-texts.ts'),
  },
  zh: {
    core: () => import('./zh/core-texts.ts'),
    objects: () => import('./zh/objects-texts.ts'),
    account: () => import('./zh/account-texts.ts'),
  },
};

const current = signal<Texts | null>(null);
/** The language whose texts are shown, all or those of the first load. */
let shown: { readonly language: Language; readonly isWhole: boolean } | null = null;

async function loadWhole(chosen: Language): Promise<Texts> {
  const { core, objects, account } = LOADERS[chosen];
  const groups = await Promise.all([core(), objects(), account()]);
  const [first, second, third] = groups.map(({ texts }) => texts);
  return { ...first, ...second, ...third } as Texts;
}

/**
 * Loads the texts of the first view, and from then on all of each language that is
 * chosen.
 */
export async function loadTexts(first: Language): Promise<void> {
  const { texts } = await LOADERS[first].core();
  // What is not there yet is asked for by nobody: lazy() waits for it.
  current.value = texts as Texts;
  shown = { language: first, isWhole: false };
  effect(() => {
    const chosen = language.value;
    if (chosen === shown?.language) return;
    shown = { language: chosen, isWhole: true };
    void loadWhole(chosen).then((whole) => {
      if (shown?.language === chosen) current.value = whole;
    });
  });
}

/** Resolves when all texts are there. */
export async function loadAllTexts(): Promise<void> {
  if (shown === null || shown.isWhole) return;
  const { language: wanted } = shown;
  const whole = await loadWhole(wanted);
  if (shown.language !== wanted) return;
  shown = { language: wanted, isWhole: true };
  current.value = whole;
}

/** The texts in the language that is shown. Reading them subscribes the component. */
export function t(): Texts {
  const texts = current.value;
  if (texts === null) throw new Error('The texts are not loaded yet');
  return texts;
}
