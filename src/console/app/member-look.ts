// Language, theme and density follow the member from browser to browser: the server
// keeps them with the member's other preferences. pinned.ts reads those once.
import { effect, signal } from '@preact/signals';
import type { Answer } from 'quayside/client';
import { client, QuaysideError } from '../api/client.ts';
import { density, language, theme } from './preferences.ts';
import { sessionState } from './session.ts';

type Preferences = Answer<'GET /me/preferences'>;
type Look = Pick<Preferences, 'language' | 'theme' | 'density'>;

/** How long changes are gathered before they are sent, milliseconds. */
const SEND_AFTER_MS = 1000;

/** What the server has, as far as this page knows; null: it has not said it yet. */
const known = signal<string | null>(null);
let timer: ReturnType<typeof setTimeout> | undefined;

/** How it looks now, in the words of the API. */
export const lookOf = (): Look => ({
  language: language.value,
  theme: theme.value,
  density: density.value === 'dense' ? 'compact' : 'comfortable',
});

/**
 * Shows what the member has chosen elsewhere. What they never chose stays as it is here, and so
 * does what they changed since the server was asked, which is sent.
 */
export function takeLook(preferences: Look, whenAsked: Look): void {
  const { language: chosen, theme: scheme, density: rows } = preferences;
  const now = lookOf();
  const isSame = (name: keyof Look) => now[name] === whenAsked[name];
  if (isSame('language') && (chosen === 'en' || chosen === 'zh')) language.value = chosen;
  if (isSame('theme') && scheme !== undefined) theme.value = scheme;
  if (isSame('density') && rows !== undefined) {
    density.value = rows === 'compact' ? 'dense' : 'comfortable';
  }
  const isUntouched = isSame('language') && isSame('theme') && isSame('density');
  known.value = isUntouched ? JSON.stringify(lookOf()) : '';
}

effect(() => {
  const look = JSON.stringify(lookOf());
  if (sessionState.value !== 'signed-in') {
    // Another member may sign in next.
    known.value = null;
    clearTimeout(timer);
    return;
  }
  if (known.value === null || look === known.value) return;
  clearTimeout(timer);
  timer = setTimeout(() => void send(), SEND_AFTER_MS);
});

/** Sends the look; what else the member prefers stays, also when it changes meanwhile. */
async function send(isAgain = false): Promise<void> {
  const look = lookOf();
  try {
    const all = await client.request('GET /me/preferences');
    const body = { ...all, ...look };
    await client.request('PUT /me/preferences', { body, ifMatch: all });
    known.value = JSON.stringify(look);
  } catch (error) {
    const isChanged = error instanceof QuaysideError && error.status === 412;
    if (isChanged && !isAgain) await send(true);
    // Otherwise this browser keeps it, and sends it with the next change.
  }
}
