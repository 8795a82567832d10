// Whose request it is, as one text. Called where many want what few can have:
// images, ZIP files.
import { networkOf } from '../domain/ip-range.ts';
import type { HttpRequest } from './request.ts';

/**
 * Names whose request it is, for shares of what many want at once: the access key
 * that signed it, else the network of its address. To be asked once the signature
 * is proved.
 */
export function sourceOf({
  notes,
  remoteAddress,
}: Pick<HttpRequest, 'notes' | 'remoteAddress'>): string {
  return notes.accessKeyId === null
    ? `address ${networkOf(remoteAddress)}`
    : `key ${notes.accessKeyId}`;
}
