// Which files browsers can show in place, by name. Pure. Types that run scripts are
// not among them: what is shown goes out with a sandbox, as all of a link does.
import type { SharePreview } from './share-view.ts';

type PreviewKind = SharePreview['kind'];

const EXTENSIONS: Readonly<Record<PreviewKind, readonly string[]>> = {
  image: ['png', 'jpg', 'jpeg', 'gif', 'webp', 'avif', 'bmp', 'ico'],
  video: ['mp4', 'm4v', 'webm', 'ogv', 'mov'],
  audio: ['mp3', 'm4a', 'aac', 'ogg', 'oga', 'opus', 'wav', 'flac'],
  pdf: ['pdf'],
  text: ['txt', 'md', 'csv', 'tsv', 'log', 'json', 'yaml', 'yml', 'toml', 'ini', 'srt', 'vtt'],
};

const KINDS: ReadonlyMap<string, PreviewKind> = new Map(
  Object.entries(EXTENSIONS).flatMap(([kind, extensions]) =>
    extensions.map((extension): [string, PreviewKind] => [extension, kind as PreviewKind]),
  ),
);

/** How a file of that name is shown; null: not at all. */
export function previewKindOf(name: string): PreviewKind | null {
  const dotAt = name.lastIndexOf('.');
  return dotAt === -1 ? null : (KINDS.get(name.slice(dotAt + 1).toLowerCase()) ?? null);
}
