// Schemas that several resources share.
import { z } from '@hono/zod-openapi';
import { SCOPES } from '../../core/auth/permissions.ts';
import { ROLES } from '../../domain/accounts.ts';
import { TRANSPORTS } from '../requests/transport.ts';

/** An id that we made, or a word that stands for one. */
export const idSchema = z.string().regex(/^[\w.~-]{1,128}$/);

/** A name for people: visible text without control characters. */
export const nameSchema = z.string().regex(/^[^\p{Cc}\p{Cs}]{1,128}$/u);

export const bucketNameSchema = z.string().min(3).max(63).openapi({ example: 'photos' });

/** The id of an account: one that we made, or one of the settings. */
export const accountIdSchema = z.string().regex(/^[\w.-]{1,128}$/);
export const accountIdQuery = accountIdSchema.optional().openapi({
  description: "The operator may name another account; everybody else's own is meant.",
});

export const roleSchema = z.enum(ROLES);
export const scopeSchema = z.enum(SCOPES);

/** How a request came: requests/transport.ts. */
export const transportSchema = z.enum(TRANSPORTS).openapi({
  description:
    'How you are connected: over TLS (`secure`), to your own machine (`local`), or over plain ' +
    'http, where whoever is on the way reads along: within a private network (`private-http`), ' +
    'or over any other (`public-http`).',
});

/** The login of a member: a name or a mail address. Case does not matter. */
export const loginSchema = z
  .string()
  .regex(/^[A-Za-z0-9][\w.+@-]{0,127}$/)
  .transform((login) => login.toLowerCase())
  .openapi({ type: 'string', example: 'ada@example.org' });

/**
 * A password that is being set. Source: NIST SP 800-63B section 5.1.1.2.
 */
export const newPasswordSchema = z.string().min(10).max(200);
/** A password that is being tried. */
export const passwordSchema = z.string().min(1).max(200);
