// The address is the state of a view: path, query and hash in signals, changed by
// links, by `navigate` and by Back. docs/design.md has the table of addresses.
import { computed, signal } from '@preact/signals';

/** What every address of the console begins with. */
export const BASE = '/-/console';

type Place = { readonly path: string; readonly query: string; readonly hash: string };

const readPlace = (): Place => ({
  path: location.pathname.slice(BASE.length) || '/',
  query: location.search,
  hash: location.hash,
});

const place = signal<Place>({ path: '/', query: '', hash: '' });

/** Path below the console, percent-encoded: `/b/photos/2026/`. */
export const path = computed(() => place.value.path);
export const query = computed(() => new URLSearchParams(place.value.query));
export const hash = computed(() => place.value.hash);

/**
 * Asks whether a view may be left for the address below the console, or for another
 * page (null); false keeps it.
 */
type Guard = (to: string | null) => boolean;
const guards = new Set<Guard>();

/** Keeps the view while something typed would be lost. Returns its end. */
export function guardLeaving(guard: Guard): () => void {
  guards.add(guard);
  return () => void guards.delete(guard);
}

/** Whether nothing typed would be lost by going there; null: out of the page. */
export const mayLeave = (to: string | null): boolean => [...guards].every((guard) => guard(to));

export type NavigateOptions = {
  /** Takes the place of the present entry: for what Back should skip. */
  readonly replace?: boolean;
  /** Kept with the entry and found again by Back: `historyState`. */
  readonly state?: Readonly<Record<string, unknown>>;
};

/** Goes to an address below the console: `/buckets?sort=-size`. */
export function navigate(to: string, { replace = false, state }: NavigateOptions = {}): void {
  const isSameView = to.split(/[?#]/)[0] === place.value.path;
  if (!isSameView && !mayLeave(to)) return;
  history[replace ? 'replaceState' : 'pushState'](state ?? null, '', BASE + to);
  place.value = readPlace();
  if (!isSameView) document.getElementById('main')?.scrollTo(0, 0);
}

/** Changes some parameters of the query and leaves the rest; null removes one. */
export function setQuery(
  changes: Readonly<Record<string, string | null>>,
  options: NavigateOptions = { replace: true },
): void {
  const next = new URLSearchParams(place.value.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') next.delete(name);
    else next.set(name, value);
  }
  const text = next.toString();
  navigate(`${place.value.path}${text === '' ? '' : `?${text}`}${place.value.hash}`, options);
}

/** What is kept with the present entry of the history. */
export const historyState = (): Readonly<Record<string, unknown>> => history.state ?? {};

/** Changes what is kept with the present entry; the address stays. */
export function keepInHistory(changes: Readonly<Record<string, unknown>>): void {
  history.replaceState({ ...history.state, ...changes }, '');
}

/** The address for a link: `href('/keys')`. */
export const href = (to: string): string => BASE + to;

/** The address of a folder, with a slash at its end, or of an object, without. */
export function objectPath(bucket: string, key: string): string {
  const segments = key.split('/');
  // Browsers fold such segments, encoded too: the key stands in the query.
  const isFolded = segments.some((segment) => segment === '.' || segment === '..');
  const base = `/b/${encodeURIComponent(bucket)}/`;
  const isFolder = key === '' || key.endsWith('/');
  if (isFolded) return `${base}?${isFolder ? 'prefix' : 'key'}=${encodeURIComponent(key)}`;
  return base + segments.map(encodeURIComponent).join('/');
}

/** Reads what objectPath wrote: bucket and key of the present address. */
export function readObjectPath(): { bucket: string; key: string } {
  const [, , bucket = '', ...segments] = path.value.split('/');
  const named = query.value.get('prefix') ?? query.value.get('key');
  return { bucket: decode(bucket), key: named ?? segments.map(decode).join('/') };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Takes over links of the console; what opens elsewhere is the browser's. */
function followLink(event: MouseEvent): void {
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey;
  if (event.defaultPrevented || !isPlain || event.altKey) return;
  const link = (event.target as Element | null)?.closest?.('a[href]');
  if (!(link instanceof HTMLAnchorElement)) return;
  // Within the page: the browser moves the focus there.
  if (link.getAttribute('href')?.startsWith('#')) return;
  if (link.target !== '' || link.hasAttribute('download') || link.origin !== location.origin)
    return;
  if (link.pathname !== BASE && !link.pathname.startsWith(`${BASE}/`)) return;
  event.preventDefault();
  navigate(`${link.pathname.slice(BASE.length) || '/'}${link.search}${link.hash}`);
}

/** Begins to follow the address. */
export function startRouter(): void {
  place.value = readPlace();
  addEventListener('popstate', () => {
    const next = readPlace();
    const { path: from, query: search, hash: part } = place.value;
    if (next.path === from || mayLeave(next.path + next.query + next.hash)) place.value = next;
    else history.pushState(null, '', BASE + from + search + part);
  });
  addEventListener('click', followLink);
  addEventListener('beforeunload', (event) => {
    if (!mayLeave(null)) event.preventDefault();
  });
}
