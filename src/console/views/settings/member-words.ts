// What members, invitations and their roles are in the API, and the rules of logins.
import type { Item } from 'quayside/client';

export type Member = Item<'GET /members'>;
export type Invitation = Item<'GET /invitations'>;
export type Role = Member['role'];

/** From most to least. */
export const ROLES = ['owner', 'admin', 'member', 'billing', 'reader'] as const;

/** Source: the API's schemas, NIST SP 800-63B section 5.1.1.2. */
export const PASSWORD_LENGTH_MIN = 10;
const LOGIN = /^[A-Za-z0-9][\w.+@-]{0,127}$/;

export const isLogin = (text: string): boolean => LOGIN.test(text);
