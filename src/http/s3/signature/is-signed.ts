// Whether somebody signed a request. app.ts looks here for a host that shows a
// site: S3 answers the signed requests of such a host.
import type { HttpRequest } from '../../request.ts';
import { detectQueryAuth } from './presigned-query.ts';

/**
 * Whether the request carries a signature, right or wrong. Presigned URLs so work
 * under the owner's own host too.
 */
export function isSigned({ rawQuery, header }: Pick<HttpRequest, 'rawQuery' | 'header'>): boolean {
  return (
    detectQueryAuth(rawQuery) !== 'none' || (header('authorization')?.startsWith('AWS') ?? false)
  );
}
