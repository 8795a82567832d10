// Places that a member pinned, and those visited last, shown in the side bar and the
// palette. The server keeps them with the member; this browser shows its copy first.
import { effect, signal, untracked } from '@preact/signals';
import type { Answer } from 'quayside/client';
import { client, QuaysideError } from '../api/client.ts';
import { lookOf, takeLook } from './member-look.ts';
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
type Places = Readonly<Record<'pinned' | 'recent', readonly PinnedPlace[]>>;
type Change = (places: Places) => Places;

/**
 * Changes that the server does not have yet. They are applied to whatever it has by then: another
 * browser may have pinned and unpinned since this page read the lists.
 */
let unsent: readonly Change[] = [];
/** How often changes were sent: a list that was asked for before is older than they. */
let sends = 0;

/** The place of a bucket's folder, as it is pinned and noted. */
export function placeOf(bucket: string, prefix: string): PinnedPlace {
  const name = prefix === '' ? bucket : (prefix.split('/').at(-2) ?? bucket);
  return { bucket, prefix, to: objectPath(bucket, prefix), name };
}

const toPlaces = (stored: readonly StoredPlace[] | undefined, most: number) =>
  (stored ?? []).slice(0, most).map(({ bucket, prefix = '' }) => placeOf(bucket, prefix));
const placesIn = ({ pinned, recent }: Stored): Places => ({
  pinned: toPlaces(pinned, PINNED_MAX),
  recent: toPlaces(recent, RECENT_MAX),
});
const toStored = ({ pinned, recent }: Places): Stored => {
  const bare = ({ bucket, prefix }: PinnedPlace): StoredPlace => ({ bucket, prefix });
  return { pinned: pinned.map(bare), recent: recent.map(bare) };
};
const applied = (changes: readonly Change[], places: Places): Places =>
  changes.reduce((before, change) => change(before), places);

/** Shows places with what was changed here since. */
function show(places: Places): void {
  const { pinned, recent } = applied(unsent, places);
  pinnedPlaces.value = pinned;
  recentPlaces.value = recent;
}

/** Reads what this browser keeps; another tab may have changed it. */
function readStored(): void {
  try {
    show(placesIn(JSON.parse(localStorage.getItem(STORED_AS) ?? '{}')));
  } catch {
    // Without storage, or with what is no such list: as on the first day.
  }
}

function keepInBrowser(): void {
  try {
    const places = { pinned: pinnedPlaces.value, recent: recentPlaces.value };
    localStorage.setItem(STORED_AS, JSON.stringify(toStored(places)));
  } catch {
    // Without storage the server alone keeps them.
  }
}

let timer: ReturnType<typeof setTimeout> | undefined;

readStored();
addEventListener('storage', (event) => {
  if (event.key === STORED_AS) readStored();
});
effect(() => {
  if (sessionState.value === 'signed-in') void untracked(readPreferences);
  if (sessionState.value !== 'signed-out') return;
  // Another member may sign in next.
  unsent = [];
  clearTimeout(timer);
});

async function readPreferences(): Promise<void> {
  const [before, look] = [sends, lookOf()];
  try {
    const preferences = await client.request('GET /me/preferences');
    takeLook(preferences, look);
    if (before === sends) show(placesIn(preferences));
    keepInBrowser();
  } catch {
    // The browser's copy stays; the banner says when the server is away.
  }
}

/** Shows a change, and sends it after a while. */
function keep(change: Change, waitMs: number): void {
  unsent = [...unsent, change];
  show({ pinned: pinnedPlaces.value, recent: recentPlaces.value });
  keepInBrowser();
  clearTimeout(timer);
  timer = setTimeout(() => void send(), waitMs);
}

/** Sends what changed; what else the member prefers stays, also when it changes meanwhile. */
async function send(isAgain = false): Promise<void> {
  const changes = unsent;
  try {
    const known = await client.request('GET /me/preferences');
    const places = applied(changes, placesIn(known));
    await client.request('PUT /me/preferences', {
      body: { ...known, ...toStored(places) },
      ifMatch: known,
    });
    sends++;
    unsent = unsent.filter((change) => !changes.includes(change));
    show(places);
    keepInBrowser();
  } catch (error) {
    const isChanged = error instanceof QuaysideError && error.status === 412;
    if (isChanged && !isAgain) await send(true);
    // Otherwise this browser keeps them, and sends them with the next change.
  }
}

export const isPinned = (to: string): boolean => pinnedPlaces.value.some((one) => one.to === to);

const without = (places: readonly PinnedPlace[], { to }: PinnedPlace) =>
  places.filter((one) => one.to !== to);

/** Pins a place, or unpins it. */
export function togglePinned(place: PinnedPlace): void {
  const isNew = !isPinned(place.to);
  const change: Change = ({ pinned, recent }) => {
    const others = without(pinned, place);
    return { pinned: isNew ? [...others, place].slice(-PINNED_MAX) : others, recent };
  };
  keep(change, 0);
}

/** Notes that a place was visited. */
export function noteVisit(place: PinnedPlace): void {
  if (recentPlaces.value[0]?.to === place.to) return;
  const change: Change = ({ pinned, recent }) => ({
    pinned,
    recent: [place, ...without(recent, place)].slice(0, RECENT_MAX),
  });
  keep(change, SEND_AFTER_MS);
}
