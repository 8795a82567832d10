// The addresses below a share link: of files, folders, ZIPs and previews. Pure.
// answer-share.ts reads what is written here.
import { type LinkName, linkPath } from '../../../domain/links/link-ids.ts';

/** Names of the query parameters of a share link. */
export const SHARE_QUERY = {
  /** The access ticket. */
  ticket: 't',
  /** Set: the file is shown in place, not downloaded. */
  show: 'show',
  /** Set: the ZIP of the folder, or of what `pick` names. */
  zip: 'zip',
  /** A file or folder for the ZIP, by its path below the link; repeated. */
  pick: 'pick',
  /** A file whose path no address can have. */
  file: 'file',
  /** What is searched for below the folder. */
  search: 'q',
  /** Where the page of a folder begins. */
  after: 'after',
  /** The logo of the page. */
  logo: 'logo',
  /** The language of the page. */
  language: 'lang',
} as const;

export type ShareQuery = Partial<Record<keyof typeof SHARE_QUERY, string>>;

/** The address of a file, or of a folder ('' or with a slash at its end), below a link. */
export type ShareHref = (path: string, query?: ShareQuery) => string;

/** Makes the addresses below one link. `ticket` null: none is needed. */
export function createShareHref(name: LinkName, ticket: string | null): ShareHref {
  const base = linkPath('share', name);
  const withQuery = (path: string, query: ShareQuery): string => {
    const all: ShareQuery = ticket === null ? query : { ...query, ticket };
    const pairs = Object.entries(all).map(
      ([field, value]) =>
        `${SHARE_QUERY[field as keyof ShareQuery]}=${encodeURIComponent(value ?? '')}`,
    );
    return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
  };
  return (path, query = {}) =>
    isAddressable(path)
      ? withQuery(`${base}/${encodePath(path)}`, query)
      : withQuery(base, { ...query, file: path });
}

const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/** Whether browsers leave the path as it is: they resolve dots, encoded ones too. */
function isAddressable(path: string): boolean {
  return !path.split('/').some((segment) => segment === '.' || segment === '..');
}
