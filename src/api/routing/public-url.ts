// Where strangers find an object, by the host that the request itself came to.
import type { BucketRecord } from '../../domain/nouns.ts';
import type { ApiCall } from './api-call.ts';
import { serviceOrigin } from './service-origin.ts';

/** The URL of an object for strangers. InvalidInput for a Host that is none. */
export function publicUrlOf(
  { request }: Pick<ApiCall, 'request'>,
  { name }: Pick<BucketRecord, 'name'>,
  key: string,
): string {
  return `${serviceOrigin(request)}/${name}/${key.split('/').map(encodeURIComponent).join('/')}`;
}
