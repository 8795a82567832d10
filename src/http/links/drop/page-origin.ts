// Scheme and host of a page, for the addresses that previews in chats are given.
import type { HttpRequest } from '../../request.ts';

export function serviceOrigin({ isSecure, host }: Pick<HttpRequest, 'isSecure' | 'host'>): string {
  return `${isSecure ? 'https' : 'http'}://${host}`;
}
