// A tile of the grid and the gallery: picture or icon, name, size.
import type { VNode } from 'preact';
import { Bytes, Skeleton } from '../../../ui/small.tsx';
import { Picture } from './picture.tsx';
import { moreButton, nameLink, pickCell, type RowLook } from './row-cells.tsx';
import type { Entry } from './row-list.ts';

export function tileCells(entry: Entry | undefined, look: RowLook): VNode {
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
      {pickCell()}
      <span role="gridcell" class="tile">
        {Picture({ bucket: look.bucket, entry, side: 256, box: 'tile-picture kind' })}
        <span class="tile-name">
          {nameLink(entry, look)}
          <span class="faint">
            {size === undefined ? <Skeleton width={40} /> : <Bytes value={size} />}
          </span>
        </span>
        {moreButton(entry, look)}
      </span>
    </>
  );
}
