// How the console looks to whoever sits here: theme, language, density of rows, and
// whether letters are commands. Kept in the browser, applied to the root element.
import { effect, signal } from '@preact/signals';

export type Language = 'en' | 'zh';
export type Theme = 'system' | 'light' | 'dark';
export type Density = 'comfortable' | 'dense';

/** theme.js reads this entry too, before the first paint. */
const STORED_AS = 'quayside-look';

const systemLanguage = (): Language => (/^zh\b/i.test(navigator.language) ? 'zh' : 'en');

export const theme = signal<Theme>('system');
export const language = signal<Language>('en');
export const density = signal<Density>('comfortable');
/** Whether single letters are commands; WCAG 2.1.4 wants a way to switch them off. */
export const letterKeys = signal(true);

type Stored = { theme: Theme; language: Language; density: Density; letterKeys: boolean };

function readStored(): Partial<Stored> {
  try {
    return JSON.parse(localStorage.getItem(STORED_AS) ?? '{}');
  } catch {
    return {};
  }
}

/** Reads what is kept and keeps what changes. Returns the language to begin with. */
export function startPreferences(): { language: Language } {
  const stored = readStored();
  theme.value = stored.theme ?? 'system';
  language.value = stored.language ?? systemLanguage();
  density.value = stored.density ?? 'comfortable';
  letterKeys.value = stored.letterKeys ?? true;

  effect(() => {
    const look: Stored = {
      theme: theme.value,
      language: language.value,
      density: density.value,
      letterKeys: letterKeys.value,
    };
    const { dataset } = document.documentElement;
    if (look.theme === 'system') delete dataset.theme;
    else dataset.theme = look.theme;
    dataset.density = look.density;
    document.documentElement.lang = look.language === 'zh' ? 'zh-CN' : 'en';
    try {
      localStorage.setItem(STORED_AS, JSON.stringify(look));
    } catch {
      // Without storage the choice lasts as long as the page.
    }
  });
  return { language: language.value };
}
