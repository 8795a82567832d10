// Places that a member pinned, and those visited last, shown in the side bar and the
// palette. The server keeps them with the member; this browser shows its copy first.
import { effect, signal } from '@preact/signals';
import type { Answer } from 'quayside/client';
import { client, QuaysideError } from '../api/client.ts';
import { takeLook } from './member-look.ts';
import { objectPath } from './router.ts';
import { sessionState } from './session.ts';

export type PinnedPlace = {
  readonly bucket: string;
  /** The folder with its slash; empty: the bucket. */
  readonly prefix: string;
  /** Address below the console: `/b/photos/2026/`. */
  readonly to: string;
  readonly name: string;
};

const STORED_AS = 'quayside-places';
/** What the API keeps at most. */
const PINNED_MAX = 50;
const RECENT_MAX = 20;
/** How long visits are gathered before they are sent, milliseconds. */
const SEND_AFTER_MS = 3000;

export const pinnedPlaces = signal<readonly PinnedPlace[]>([]);
export const recentPlaces = signal<readonly PinnedPlace[]>([]);

type Preferences = Answer<'GET /me/preferences'>;
type StoredPlace = NonNullable<Preferences['pinned']>[number];
type Stored = Pick<Preferences, 'pinned' | 'recent'>;

/** The place of a bucket's folder, as it is pinned and noted. */
export function placeOf(bucket: string, prefix: string): PinnedPlace {
  const name = prefix === '' ? bucket : (prefix.split('/').at(-2) ?? bucket);
  return { bucket, prefix, to: objectPath(bucket, prefix), name };
}

const toPlaces = (stored: readonly StoredPlace[] | undefined, most: number) =>
  (stored ?? []).slice(0, most).map(({ bucket, prefix = '' }) => placeOf(bucket, prefix));
const toStored = ({ bucket, prefix }: PinnedPlace): StoredPlace => ({ bucket, prefix });
const stored = (): Stored => ({
  pinned: pinnedPlaces.value.map(toStored),
  recent: recentPlaces.value.map(toStored),
});

function take({ pinned, recent }: Stored): void {
  pinnedPlaces.value = toPlaces(pinned, PINNED_MAX);
  recentPlaces.value = toPlaces(recent, RECENT_MAX);
}

/** Reads what this browser keeps; another tab may have changed it. */
function readStored(): void {
  try {
    take(JSON.parse(localStorage.getItem(STORED_AS) ?? '{}'));
  } catch {
    // Without storage, or with what is no such list: as on the first day.
  }
}

function keepInBrowser(): void {
  try {
    localStorage.setItem(STORED_AS, JSON.stringify(stored()));
  } catch {
    // Without storage the server alone keeps them.
  }
}

readStored();
addEventListener('storage', (event) => {
  if (event.key === STORED_AS) readStored();
});
effect(() => {
  if (sessionState.value === 'signed-in') void readPreferences();
});

async function readPreferences(): Promise<void> {
  try {
    const preferences = await client.request('GET /me/preferences');
    take(preferences);
    takeLook(preferences);
    keepInBrowser();
  } catch {
    // The browser's copy stays; the banner says when the server is away.
  }
}

let timer: ReturnType<typeof setTimeout> | undefined;

function keep(waitMs: number): void {
  keepInBrowser();
  clearTimeout(timer);
  timer = setTimeout(() => void send(), waitMs);
}

/** Sends both lists; what else the member prefers stays, also when it changes meanwhile. */
async function send(isAgain = false): Promise<void> {
  try {
    const known = await client.request('GET /me/preferences');
    await client.request('PUT /me/preferences', {
      body: { ...known, ...stored() },
      ifMatch: known,
    });
  } catch (error) {
    const isChanged = error instanceof QuaysideError && error.status === 412;
    if (isChanged && !isAgain) await send(true);
    // Otherwise this browser keeps them, and sends them with the next change.
  }
}

export const isPinned = (to: string): boolean => pinnedPlaces.value.some((one) => one.to === to);

/** Pins a place, or unpins it. */
export function togglePinned(place: PinnedPlace): void {
  const others = pinnedPlaces.value.filter(({ to }) => to !== place.to);
  const isNew = others.length === pinnedPlaces.value.length;
  pinnedPlaces.value = isNew ? [...others, place].slice(-PINNED_MAX) : others;
  keep(0);
}

/** Notes that a place was visited. */
export function noteVisit(place: PinnedPlace): void {
  if (recentPlaces.value[0]?.to === place.to) return;
  const others = recentPlaces.value.filter(({ to }) => to !== place.to);
  recentPlaces.value = [place, ...others].slice(0, RECENT_MAX);
  keep(SEND_AFTER_MS);
}
