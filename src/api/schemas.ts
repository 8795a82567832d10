// Schemas that several resources share.
import { z } from '@hono/zod-openapi';
import { SCOPES } from '../core/accounts/permissions.ts';

/** An id that we made, or a word in its place. */
export const idSchema = z.string().regex(/^[\w.~-]{1,128}$/);

/** A name for people: visible text without control characters. */
export const nameSchema = z.string().regex(/^[^\p{Cc}\p{Cs}]{1,128}$/u);

export const bucketNameSchema = z.string().min(3).max(63).openapi({ example: 'photos' });

export const accountIdQuery = z
  .string()
  .regex(/^[\w.-]{1,128}$/)
  .optional()
  .openapi({ description: "The operator may name another account; everybody else's own is meant." });

export const roleSchema = z.enum(['owner', 'admin', 'member', 'billing', 'reader']);
export const scopeSchema = z.enum(SCOPES);
