// The addresses of the pages of links, and what links are called.
import type { DropLink, ShareLink } from 'quayside/client';
import type { Texts } from '../../i18n/i18n.ts';
import { nameOf } from '../browse/selection.ts';

/** Where a share link is shown with its recipients and counts. */
export const linkPath = (bucket: string, id: string): string =>
  `/links/${encodeURIComponent(bucket)}/${id}`;

/** Where a drop link is shown with what came by it. */
export const dropPath = (bucket: string, id: string): string =>
  `/links/drop/${encodeURIComponent(bucket)}/${id}`;

/** What a link shares, in a few words. */
export function targetName(target: ShareLink['target'], texts: Texts['links']): string {
  if (target.kind === 'keys') return texts.objects(`${target.keys.length}`);
  if (target.kind === 'object') return nameOf(target.key);
  return target.prefix === '' ? texts.wholeBucket : nameOf(target.prefix);
}

/** What a drop link is for: its title, else the folder that its files come to. */
export const dropName = (bucket: string, { page, prefix }: DropLink): string =>
  page.title ?? (prefix === '' ? bucket : nameOf(prefix));
