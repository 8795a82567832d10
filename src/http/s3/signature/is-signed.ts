import type { HttpRequest } from '../../request.ts';
import { detectQueryAuth } from './presigned-query.ts';

/**
 * Whether somebody signed the request, rightly or not. At a host that shows a site such a request
 * is S3's all the same, so that presigned URLs work under the owner's own name.
 */
export function isSigned({ rawQuery, header }: Pick<HttpRequest, 'rawQuery' | 'header'>): boolean {
  return (
    detectQueryAuth(rawQuery) !== 'none' || (header('authorization')?.startsWith('AWS') ?? false)
  );
}
