// Content-Disposition for downloads: file names as every browser and tool reads
// them. Used by delivery (`?download`) and for ZIP files. Pure. Source: RFC 6266,
// appendix D of it for what to avoid; RFC 8187 for names beyond ASCII.
import { StorageError } from '../../domain/errors.ts';

/**
 * Longest name that a client may ask for, UTF-16 units; file systems keep 255
 * bytes.
 */
const NAME_MAX_LENGTH = 255;
/** The name of a file where nothing is left of its own. */
const UNNAMED = 'download';

/**
 * Controls, path separators, and marks that turn the direction of text, so that
 * `gpj.exe` can't look like `exe.jpg`.
 */
const UNSAFE = /[\p{Cc}/\\\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
/**
 * Not in a quoted name: quotes, what some browsers decode, and all beyond ASCII.
 */
const NOT_PLAIN = /["%]|[^\x20-\x7e]/gu;
/**
 * What encodeURIComponent leaves although an extended value must not have it.
 * Source: RFC 8187 section 3.2.1.
 */
const NOT_ATTRIBUTE = /['()*]/g;

/**
 * `attachment; filename="r_sum_.pdf"; filename*=UTF-8''r%C3%A9sum%C3%A9.pdf`; the
 * second form only where the first could not say it. A path counts by its last
 * part.
 */
export function attachment(path: string): string {
  return named('attachment', path);
}

/** The disposition of a file that a browser shows, and saves under that name. */
export function inline(path: string): string {
  return named('inline', path);
}

function named(type: 'attachment' | 'inline', path: string): string {
  const wellFormed = path.toWellFormed();
  const last = wellFormed.slice(wellFormed.lastIndexOf('/') + 1);
  const name = last.replace(UNSAFE, '_').trim() || UNNAMED;
  const plain = name.replace(NOT_PLAIN, '_');
  const quoted = `${type}; filename="${plain}"`;
  return plain === name ? quoted : `${quoted}; filename*=UTF-8''${encodeExtended(name)}`;
}

function encodeExtended(name: string): string {
  const toPercent = (sign: string) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(name).replace(NOT_ATTRIBUTE, toPercent);
}

/**
 * InvalidArgument for a name above 255 characters. `parameter`: which part of the
 * query asks for it.
 */
export function requireFileName(requestedName: string, parameter: 'download' | 'zip'): void {
  if (requestedName.length <= NAME_MAX_LENGTH) return;
  throw new StorageError('InvalidArgument', {
    detail: `The name of a download may have ${NAME_MAX_LENGTH} characters.`,
    fields: { ArgumentName: parameter },
  });
}

/**
 * What `?download` or `?download=name` makes of a stored disposition: a given name
 * counts, else the stored one with its type changed, else the last part of the key.
 * InvalidArgument for a name above 255 characters.
 */
export function downloadDisposition(
  requestedName: string,
  stored: string | undefined,
  key: string,
): string {
  requireFileName(requestedName, 'download');
  if (requestedName !== '') return attachment(requestedName.replaceAll('/', '_'));
  const parametersAt = stored?.indexOf(';') ?? -1;
  return stored !== undefined && parametersAt !== -1
    ? `attachment${stored.slice(parametersAt)}`
    : attachment(key);
}
