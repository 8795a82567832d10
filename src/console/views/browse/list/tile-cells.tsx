// A tile of the grid and the gallery: picture or icon, name, size.
import { Bytes, Skeleton } from '../../../ui/small.tsx';
import { Picture } from './picture.tsx';
import { MoreButton, NameLink, PickCell, type RowLook } from './row-cells.tsx';
import type { Entry } from './row-list.ts';

export function TileCells({ entry, look }: { entry: Entry | undefined; look: RowLook }) {
  if (entry === undefined) {
    return (
      <span role="gridcell" class="tile">
        <span class="tile-picture" />
        <Skeleton width={90} />
      </span>
    );
  }
  const size = entry.kind === 'folder' ? look.sizeOf(entry.prefix)?.bytes : entry.size;
  return (
    <>
      <PickCell />
      <span role="gridcell" class="tile">
        <Picture bucket={look.bucket} entry={entry} side={256} box="tile-picture kind" />
        <span class="tile-name">
          <NameLink entry={entry} look={look} />
          <span class="faint">
            {size === undefined ? <Skeleton width={40} /> : <Bytes value={size} />}
          </span>
        </span>
        <MoreButton entry={entry} look={look} />
      </span>
    </>
  );
}
