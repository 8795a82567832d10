// Which object an address below a share link names. Nothing outside of the link's
// target is ever named: a path is put behind the target's prefix, or looked for
// among the keys of a set. Called by both paths of delivery. Pure.
import { parseObjectKey } from '../../../core/parse-names.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { ShareLink } from '../../../domain/links/share-links.ts';
import type { ObjectKey } from '../../../domain/nouns.ts';

/** An object that a link gives, and the name that it has there. */
export type NamedObject = { readonly key: ObjectKey; readonly fileName: string };

const noSuchKey = () => new StorageError('NoSuchKey');
const lastPart = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** The name of the one object of a link. */
export function fileNameOf(link: ShareLink): string {
  const { target, page } = link;
  return page.fileName ?? (target.kind === 'object' ? lastPart(target.key) : '');
}

/** The object that a path below the link names; '' the link's one object. NoSuchKey. */
export function namedObject({ link }: { readonly link: ShareLink }, path: string): NamedObject {
  const { target } = link;
  if (target.kind === 'object') {
    const fileName = fileNameOf(link);
    if (path !== '' && path !== fileName) throw noSuchKey();
    return { key: target.key, fileName };
  }
  const key = parseObjectKey(target.prefix + path);
  if (target.kind === 'keys' && !target.keys.includes(key)) throw noSuchKey();
  return { key, fileName: lastPart(path) };
}
