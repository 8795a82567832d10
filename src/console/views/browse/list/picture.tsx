// The small picture of an entry: a thumbnail where one can be made, else its icon. What
// failed once is not requested again while the page is open.
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { server } from '../../../app/session.ts';
import { Icon } from '../../../ui/icon.tsx';
import { iconOf } from '../kinds.ts';
import type { Entry } from './row-list.ts';

/** Pixels of the larger side that the API makes. */
type Side = 64 | 256;
type PictureProps = {
  readonly bucket: string;
  readonly entry: Entry;
  readonly side: Side;
  /** Class of the box of an icon. */
  readonly box: string;
};

/** Largest image whose thumbnail is requested, bytes: as the service's own limit. */
const IMAGE_MAX_BYTES = 24 * 1024 * 1024;
/** Pictures that could not be made are remembered, so many at most. */
const FAILED_MAX = 2000;
const failed = new Set<string>();
const PICTURED = /\.(?:jpe?g|png|gif|webp|avif|tiff?)$/i;

function noteFailed(name: string): void {
  if (failed.size >= FAILED_MAX) failed.clear();
  failed.add(name);
}

/** Keeps no state, so that rows call it as a function: a component of each costs time. */
export function Picture(props: PictureProps): VNode {
  const url = thumbnailUrl(props);
  if (url === null || failed.has(url)) return kindBox(props);
  return <Thumbnail key={url} {...props} url={url} />;
}

const kindBox = ({ entry, box }: PictureProps): VNode => (
  <span class={entry.kind === 'folder' ? `${box} is-folder` : box}>
    {Icon({ of: iconOf(entry) })}
  </span>
);

function Thumbnail({ url, ...props }: PictureProps & { readonly url: string }) {
  const [isFailed, setFailed] = useState(false);
  if (isFailed) return kindBox(props);
  return (
    <span class={props.box}>
      <img
        class={props.side === 64 ? 'thumb' : undefined}
        src={url}
        alt=""
        loading="lazy"
        decoding="async"
        draggable={false}
        onError={() => {
          noteFailed(url);
          setFailed(true);
        }}
      />
    </span>
  );
}

function thumbnailUrl({ bucket, entry, side }: PictureProps): string | null {
  if (entry.kind === 'folder' || !PICTURED.test(entry.key)) return null;
  if (server.value?.features.images !== true) return null;
  const size = Number(entry.size);
  if (size === 0 || size > IMAGE_MAX_BYTES) return null;
  const query = new URLSearchParams({ key: entry.key, size: `${side}` });
  if (entry.etag !== '') query.set('etag', entry.etag);
  return `/-/api/v1/buckets/${encodeURIComponent(bucket)}/thumbnail?${query}`;
}
