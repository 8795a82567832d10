// What kind of file it is, in a word for people: `Picture`, `PDF`, `DOCX file`.
import type { ShareFile } from '../../share/share-view.ts';
import type { ShareTexts } from './texts-en.ts';

const ARCHIVES: ReadonlySet<string> = new Set(['zip', '7z', 'rar', 'tar', 'gz', 'tgz', 'zst']);
/** Endings that people know are short and of letters and digits. */
const ENDING = /\.([a-z0-9]{1,8})$/i;

/** By what the page can show of it, else by its type, else by the ending of its name. */
export function kindWord(
  { name, contentType, preview }: Pick<ShareFile, 'name' | 'contentType' | 'preview'>,
  { kinds }: Pick<ShareTexts, 'kinds'>,
): string {
  if (preview !== null) return kinds[preview.kind];
  const [type = ''] = (contentType ?? '').toLowerCase().split('/');
  if (type === 'image' || type === 'video' || type === 'audio') return kinds[type];
  const ending = ENDING.exec(name)?.[1]?.toLowerCase() ?? '';
  if (ending === '') return kinds.other;
  return ARCHIVES.has(ending) ? kinds.archive : kinds.ofEnding(ending.toUpperCase());
}
