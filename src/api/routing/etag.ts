// Entity tags of settings: a change names the state that it means, so that nobody
// overwrites what they never saw. Source: RFC 9110 section 13.1.1, RFC 6585 section
// 3.
import { z } from '@hono/zod-openapi';
import { sha256Hex } from '../../crypto/hash.ts';
import { StorageError } from '../../domain/errors.ts';
import type { ApiContext } from './api-call.ts';

/**
 * The `headers` of a route that changes settings; its handler calls `requireMatch`.
 */
export const ifMatchHeader = z.object({
  'if-match': z.string().max(1024).optional().openapi({
    description:
      'The ETag of the state that is changed, or *. Without it: 428; of another state: 412.',
  }),
});

/**
 * The `headers` of a PUT that makes what is not there and changes what is; its
 * handler calls `requireMatchOrNew`.
 */
export const ifMatchOrNewHeaders = z.object({
  'if-match': z
    .string()
    .max(1024)
    .optional()
    .openapi({
      description:
        'The ETag of the state that is changed, or *. ' +
        'Without it only what is not there is made, else: 428; of another state: 412.',
    }),
  'if-none-match': z
    .literal('*')
    .optional()
    .openapi({ description: 'Only what is not there is made, else: 412.' }),
});

/** Hexadecimal digits: 128 bits. */
const TAG_LENGTH = 32;

const CHANGED =
  'If-Match names another state than the one there is. ' +
  'Read it again, and send the ETag that it has now.';

/** Quotes a tag. The text must be visible ASCII without quotes. */
export function toEtag(text: string): string {
  return `"${text}"`;
}

/**
 * The tag of a state without a number of its own: a digest of its fields, in this
 * order.
 */
export function etagOfState(state: object): string {
  return toEtag(sha256Hex(JSON.stringify(state)).slice(0, TAG_LENGTH));
}

/** The tag of a record that counts its changes. */
export function etagOfRevision({ revision }: { readonly revision: number }): string {
  return toEtag(`${revision}`);
}

/** Responds with JSON and the tag of the state that it shows. */
export function jsonWithEtag<Body extends object, Status extends 200 | 201>(
  c: ApiContext,
  etag: string,
  body: Body,
  status: Status,
) {
  c.header('etag', etag);
  return c.json(body, status);
}

/**
 * PreconditionRequired without If-Match, PreconditionFailed when none of its tags
 * is `etag`.
 */
export function requireMatch(c: ApiContext, etag: string): void {
  const ifMatch = c.req.header('if-match');
  if (ifMatch === undefined) throw new StorageError('PreconditionRequired');

  const tags = ifMatch.split(',').map((tag) => tag.trim());
  if (!tags.includes('*') && !tags.includes(etag))
    throw new StorageError('PreconditionFailed', { detail: CHANGED });
}

/**
 * Checks a PUT that may also make something: `etag` is null when there is nothing
 * yet, and then no If-Match holds. PreconditionRequired, PreconditionFailed.
 * Source: RFC 9110 section 13.1.2.
 */
export function requireMatchOrNew(c: ApiContext, etag: string | null): void {
  if (etag !== null) {
    if (c.req.header('if-none-match') !== undefined)
      throw new StorageError('PreconditionFailed', {
        detail: 'It is there already. Send If-Match to change it.',
      });
    requireMatch(c, etag);
    return;
  }

  if (c.req.header('if-match') !== undefined)
    throw new StorageError('PreconditionFailed', {
      detail: 'There is nothing to change. Without If-Match it is made.',
    });
}
