// What an object seems to be, by the end of its name: for its icon, and whether a
// picture of it can be made.
import {
  File,
  FileArchive,
  FileCode,
  FileMusic,
  FileSpreadsheet,
  FileText,
  FileType,
  Film,
  Folder,
  type IconNode,
  Image,
} from 'lucide';
import type { Entry } from './list/row-list.ts';

export type Kind = 'image' | 'video' | 'audio' | 'text' | 'code' | 'table' | 'archive' | 'font';

const ENDS: Readonly<Record<Kind, string>> = {
  image: 'jpg jpeg png gif webp avif svg heic heif tif tiff bmp ico jxl dng raw',
  video: 'mp4 mov webm mkv avi m4v mpg mpeg ts',
  audio: 'mp3 wav flac ogg oga m4a aac opus aiff',
  text: 'txt md pdf doc docx odt rtf pages log tex epub',
  code: 'js mjs ts tsx jsx json html htm css xml yml yaml toml sh py rb go rs java c h cpp sql php',
  table: 'csv tsv xls xlsx ods parquet numbers',
  archive: 'zip tar gz tgz bz2 xz zst 7z rar br iso dmg',
  font: 'woff woff2 ttf otf',
};

const KINDS = new Map(
  Object.entries(ENDS).flatMap(([kind, ends]) =>
    ends.split(' ').map((end) => [end, kind as Kind] as const),
  ),
);

const ICONS: Readonly<Record<Kind, IconNode>> = {
  image: Image,
  video: Film,
  audio: FileMusic,
  text: FileText,
  code: FileCode,
  table: FileSpreadsheet,
  archive: FileArchive,
  font: FileType,
};

/** Longest ending that says a kind, characters. */
const END_MAX = 8;

export function kindOf(key: string): Kind | null {
  const end = key.slice(-END_MAX);
  return KINDS.get(end.slice(end.lastIndexOf('.') + 1).toLowerCase()) ?? null;
}

export function iconOf(entry: Entry): IconNode {
  if (entry.kind === 'folder') return Folder;
  const kind = kindOf(entry.key);
  return kind === null ? File : ICONS[kind];
}
