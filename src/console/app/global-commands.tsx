// Commands of every view: going to places, the palette, help, looks, signing out. The
// frame loads them when it stands, with the keys that run commands and with menus.
import {
  BookOpen,
  Box,
  House,
  Keyboard,
  KeyRound,
  Languages,
  ListChecks,
  LogOut,
  Moon,
  Plus,
  Receipt,
  Rows3,
  Settings2,
  Terminal,
  Trash2,
} from 'lucide';
import { useLayoutEffect } from 'preact/hooks';
import { errorLine } from '../api/describe-error.ts';
import { t } from '../i18n/i18n.ts';
import type { MenuItem } from '../ui/menu.tsx';
import { openDialog } from '../ui/open-dialog.tsx';
import { showToast } from '../ui/toast.tsx';
import { type Command, useCommands } from './commands.ts';
import { handleKey } from './keys.ts';
import { lazy } from './lazy.tsx';
import { density, language, theme } from './preferences.ts';
import { navigate, path } from './router.ts';
import { may, seesUsage, signOut } from './session.ts';

/** What is typed after their keys is for them. */
const dialog = { takesKeys: true };
const Palette = lazy(() => import('../views/palette/palette.tsx'), dialog);
const KeyList = lazy(() => import('../views/palette/key-list.tsx'), dialog);
const CreateBucket = lazy(() => import('../views/buckets/create-bucket.tsx'), dialog);
const ApiCalls = lazy(() => import('../views/palette/api-calls.tsx'), dialog);

export type Closing = { readonly onClose: () => void };

export const openPalette = (): void => openDialog((close) => <Palette onClose={close} />);
const openKeyList = (): void => openDialog((close) => <KeyList onClose={close} />);
const openApiCalls = (): void => openDialog((close) => <ApiCalls onClose={close} />);

const openDocs = (): void => void open('/-/docs', '_blank', 'noreferrer');

const THEMES = ['system', 'light', 'dark'] as const;

/** The next theme of the three. */
function changeTheme(): void {
  const next = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length];
  theme.value = next ?? 'system';
}

function changeLanguage(): void {
  language.value = language.value === 'en' ? 'zh' : 'en';
}

function changeDensity(): void {
  density.value = density.value === 'dense' ? 'comfortable' : 'dense';
}

const leave = (): void =>
  void signOut().catch((error: unknown) => showToast({ text: errorLine(error) }));

/** Places that not everybody may see. */
function accountPlaces(): readonly Command[] {
  const texts = t().shell;
  const usage = {
    id: 'go.usage',
    label: texts.usage,
    keys: ['g u'],
    icon: Receipt,
    run: () => navigate('/usage'),
  };
  const keys = {
    id: 'go.keys',
    label: texts.keys,
    keys: ['g k'],
    icon: KeyRound,
    run: () => navigate('/keys'),
  };
  return [...(seesUsage() ? [usage] : []), ...(may('keys:read') ? [keys] : [])];
}

/** What is made from anywhere; the places themselves have such commands of their own. */
function makeCommands(): readonly Command[] {
  const { newBucket, newKey } = t().shell;
  const bucket = {
    id: 'make.bucket',
    label: newBucket,
    icon: Plus,
    run: () => openDialog((close) => <CreateBucket onClose={close} />),
  };
  const key = { id: 'make.key', label: newKey, icon: Plus, run: () => navigate('/keys/new') };
  return [
    ...(may('buckets:write') && path.value !== '/buckets' ? [bucket] : []),
    ...(may('keys:write') && !path.value.startsWith('/keys') ? [key] : []),
  ];
}

export function GlobalCommands() {
  const texts = t().shell;
  const own: readonly Command[] = [
    { id: 'palette', label: texts.search, keys: ['Mod+k'], run: openPalette },
    { id: 'go.home', label: texts.home, keys: ['g h'], icon: House, run: () => navigate('/') },
    {
      id: 'go.buckets',
      label: texts.buckets,
      keys: ['g b'],
      icon: Box,
      run: () => navigate('/buckets'),
    },
    {
      id: 'go.jobs',
      label: texts.jobs,
      keys: ['g j'],
      icon: ListChecks,
      run: () => navigate('/jobs'),
    },
    {
      id: 'go.trash',
      label: texts.trash,
      keys: ['g t'],
      icon: Trash2,
      run: () => navigate('/trash'),
    },
    ...accountPlaces(),
    {
      id: 'go.settings',
      label: texts.settings,
      keys: ['g s'],
      icon: Settings2,
      run: () => navigate('/settings'),
    },
    ...makeCommands(),
    { id: 'help.keys', label: texts.keyList, keys: ['?'], icon: Keyboard, run: openKeyList },
    { id: 'help.api', label: texts.asApiCall, keys: ['.'], icon: Terminal, run: openApiCalls },
    { id: 'help.docs', label: texts.apiDocs, icon: BookOpen, run: openDocs },
    { id: 'look.theme', label: themeLabel(), icon: Moon, run: changeTheme },
    { id: 'look.density', label: densityLabel(), icon: Rows3, run: changeDensity },
    { id: 'look.language', label: languageLabel(), icon: Languages, run: changeLanguage },
    { id: 'sign-out', label: texts.signOut, icon: LogOut, run: leave },
  ];
  useCommands(own, 'frame');
  useLayoutEffect(() => {
    addEventListener('keydown', handleKey);
    return () => removeEventListener('keydown', handleKey);
  }, []);
  return null;
}

const themeLabel = () => `${t().shell.theme}: ${t().shell.themes[theme.value]}`;
const densityLabel = () => `${t().shell.density}: ${t().shell.densities[density.value]}`;
const languageLabel = () => (language.value === 'en' ? '中文' : 'English');

export const helpMenu = (): readonly MenuItem[] => [
  { label: t().shell.keyList, icon: Keyboard, keys: '?', run: openKeyList },
  { label: t().shell.asApiCall, icon: Terminal, keys: '.', run: openApiCalls },
  {
    label: t().shell.apiDocs,
    icon: BookOpen,
    run: openDocs,
  },
];

export const accountMenu = (): readonly MenuItem[] => [
  { label: themeLabel(), icon: Moon, run: changeTheme },
  { label: languageLabel(), icon: Languages, run: changeLanguage },
  { label: densityLabel(), icon: Rows3, run: changeDensity },
  { label: t().shell.settings, icon: Settings2, run: () => navigate('/settings') },
  'rule',
  { label: t().shell.signOut, icon: LogOut, run: leave },
];
