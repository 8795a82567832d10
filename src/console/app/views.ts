// The views, by their addresses; each is loaded when it is first shown. To add one:
// a folder in views, a line here, and a link in side-bar.tsx when it is a place.
import type { ComponentType } from 'preact';

type View = {
  readonly pattern: RegExp;
  /** Which place of the side bar it belongs to. */
  readonly place: string;
  readonly load: () => Promise<{
    default: ComponentType;
    /** Begins to read what the view shows first, before its texts and the session are there. */
    begin?: () => void;
  }>;
  /** Needs no text or style but those of a folder. */
  readonly isOfFolder?: true;
  /** Shown to who is not signed in. */
  readonly isOpen?: true;
};

const VIEWS: readonly View[] = [
  { pattern: /^\/$/, place: '/', load: () => import('../views/home/home.tsx') },
  { pattern: /^\/buckets$/, place: '/buckets', load: () => import('../views/buckets/buckets.tsx') },
  { pattern: /^\/b\/[^/]+$/, place: '/buckets', load: () => import('../views/buckets/bucket.tsx') },
  {
    pattern: /^\/b\/[^/]+\//,
    place: '/buckets',
    load: () => {
      // Its keys are asked for beside it: somebody may press one at the first row.
      import('../views/browse/folder-commands.tsx').catch(() => {});
      return import('../views/browse/place.tsx');
    },
    isOfFolder: true,
  },
  { pattern: /^\/jobs$/, place: '/jobs', load: () => import('../views/jobs/jobs.tsx') },
  { pattern: /^\/trash$/, place: '/trash', load: () => import('../views/trash/trash.tsx') },
  { pattern: /^\/usage/, place: '/usage', load: () => import('../views/usage/usage.tsx') },
  { pattern: /^\/links/, place: '/links', load: () => import('../views/links/links.tsx') },
  { pattern: /^\/keys/, place: '/keys', load: () => import('../views/keys/keys.tsx') },
  {
    pattern: /^\/settings/,
    place: '/settings',
    load: () => import('../views/settings/settings.tsx'),
  },
  {
    pattern: /^\/invitation/,
    place: '',
    load: () => import('../views/sign-in/invitation.tsx'),
    isOpen: true,
  },
];

/** The view of an address below the console; null: there is none. */
export const viewOf = (path: string): View | null =>
  VIEWS.find(({ pattern }) => pattern.test(path)) ?? null;
