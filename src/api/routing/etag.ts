// Entity tags of settings: who changes them says which state was meant, so that nobody overwrites
// what they never saw. Source: RFC 9110 section 13.1.1, RFC 6585 section 3.
import { z } from '@hono/zod-openapi';
import { sha256Hex } from '../../crypto/hash.ts';
import { StorageError } from '../../domain/errors.ts';
import type { ApiContext } from './api-call.ts';

/**
 * For the `headers` of a route that changes settings: documented, and checked by `requireMatch`.
 */
export const ifMatchHeader = z.object({
  'if-match': z.string().max(1024).optional().openapi({
    description:
      'The ETag of the state that is changed, or *. Without it: 428; of another state: 412.',
  }),
});

/**
 * For the `headers` of a PUT that makes what is not there, and changes what is; checked by
 * `requireMatchOrNew`.
 */
export const ifMatchOrNewHeaders = z.object({
  'if-match': z.string().max(1024).optional().openapi({
    description:
      'The ETag of the state that is changed, or *. Without it only what is not there is made, else: 428; of another state: 412.',
  }),
  'if-none-match': z
    .literal('*')
    .optional()
    .openapi({ description: 'Only what is not there is made, else: 412.' }),
});

/** Quotes a tag. The text must be visible ASCII without quotes. */
export function toEtag(text: string): string {
  return `"${text}"`;
}

/**
 * The tag of a state that has no number of its own: of all that it says, in this order of fields.
 */
export function etagOfState(state: object): string {
  return toEtag(sha256Hex(JSON.stringify(state)).slice(0, TAG_LENGTH));
}
/** Hexadecimal digits: 128 bits. */
const TAG_LENGTH = 32;

const CHANGED =
  'If-Match names another state than the one there is. Read it again, and send the ETag that it has now.';

/** PreconditionRequired without If-Match, PreconditionFailed when none of its tags is `etag`. */
export function requireMatch(c: ApiContext, etag: string): void {
  const given = c.req.header('if-match');
  if (given === undefined) throw new StorageError('PreconditionRequired');
  const tags = given.split(',').map((tag) => tag.trim());
  if (!tags.includes('*') && !tags.includes(etag))
    throw new StorageError('PreconditionFailed', { detail: CHANGED });
}

/**
 * The same for a PUT: `etag` is null when there is nothing yet, and then no If-Match holds. Source:
 * RFC 9110 section 13.1.2.
 */
export function requireMatchOrNew(c: ApiContext, etag: string | null): void {
  const isTaken = etag !== null && c.req.header('if-none-match') !== undefined;
  const isMissing = etag === null && c.req.header('if-match') !== undefined;
  if (isTaken)
    throw new StorageError('PreconditionFailed', {
      detail: 'It is there already. Send If-Match to change it.',
    });
  if (isMissing) {
    const detail = 'There is nothing to change. Without If-Match it is made.';
    throw new StorageError('PreconditionFailed', { detail });
  }
  if (etag !== null) requireMatch(c, etag);
}
