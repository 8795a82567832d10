// Entity tags of settings: who changes them says which state was meant, so that nobody overwrites what they never saw.
// Source: RFC 9110 section 13.1.1, RFC 6585 section 3.
import { z } from '@hono/zod-openapi';
import { StorageError } from '../ports/errors.ts';
import type { ApiContext } from './context.ts';

/** For the `headers` of a route that changes settings: documented, and checked by `requireMatch`. */
export const ifMatchHeader = z.object({
  'if-match': z
    .string()
    .max(1024)
    .optional()
    .openapi({ description: 'The ETag of the state that is changed, or *. Without it: 428; of another state: 412.' }),
});

/** Quotes a tag. The text must be visible ASCII without quotes. */
export function toEtag(text: string): string {
  return `"${text}"`;
}

/** PreconditionRequired without If-Match, PreconditionFailed when none of its tags is `etag`. */
export function requireMatch(c: ApiContext, etag: string): void {
  const given = c.req.header('if-match');
  if (given === undefined) throw new StorageError('PreconditionRequired');
  const tags = given.split(',').map((tag) => tag.trim());
  if (!tags.includes('*') && !tags.includes(etag)) throw new StorageError('PreconditionFailed');
}
