// How a folder is shown: with the inspector, as a list or as tiles, pinned or not.
import { placeOf, togglePinned } from '../../app/pinned.ts';
import { query, setQuery } from '../../app/router.ts';
import { changeAddress, type ViewKind } from './folder-address.ts';
import { changeLayout } from './layout.ts';
import type { FolderModel } from './use-folder.ts';

/** Shows the inspector, or closes it. */
export const toggleInspector = (): void => {
  const panel = query.value.get('panel');
  setQuery({ panel: panel === null || panel === 'map' ? 'details' : null });
};

/** Shows a folder as a list or as tiles; the folder remembers it. */
export function showAs(place: string, view: ViewKind): void {
  changeLayout(place, { view });
  changeAddress({ view });
}

export const togglePin = ({ bucket, prefix }: Pick<FolderModel, 'bucket' | 'prefix'>): void =>
  togglePinned(placeOf(bucket, prefix));
