// Places that a member pinned, and those visited last, shown in the side bar and the
// palette. The server keeps them with the member; this browser shows its copy first.
import { signal } from '@preact/signals';

export type PinnedPlace = {
  /** Address below the console: `/b/photos/2026/`. */
  readonly to: string;
  readonly name: string;
};

export const pinnedPlaces = signal<readonly PinnedPlace[]>([]);
export const recentPlaces = signal<readonly PinnedPlace[]>([]);
