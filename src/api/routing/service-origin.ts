// The address of this service as the client of a request knows it, for URLs in
// responses.
import { StorageError } from '../../domain/errors.ts';
import type { HttpRequest } from '../../http/request.ts';
import { isOverTls } from '../requests/transport.ts';

/** A name or an address, with a port or without. */
const HOST = /^(?:[\w.-]{1,253}|\[[0-9a-fA-F:.]{2,45}\])(?::\d{1,5})?$/;

/** Scheme and host of the request itself. InvalidInput for a Host that is none. */
export function serviceOrigin(request: Pick<HttpRequest, 'isSecure' | 'host' | 'header'>): string {
  const { host } = request;
  if (!HOST.test(host))
    throw new StorageError('InvalidInput', { detail: 'The Host of the request is none.' });
  return `${isOverTls(request) ? 'https' : 'http'}://${host}`;
}
