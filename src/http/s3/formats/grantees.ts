// Grantees of an access control list as clients name them, in headers and in
// documents.
import type { GranteeGroup, Permission } from '../../../domain/object-facts.ts';

/**
 * The groups by the names that S3 gives them. Source:
 * acl-overview.html#specifying-grantee-predefined-groups
 */
export const GROUP_URIS = {
  AllUsers: 'http://acs.amazonaws.com/groups/global/AllUsers',
  AuthenticatedUsers: 'http://acs.amazonaws.com/groups/global/AuthenticatedUsers',
  LogDelivery: 'http://acs.amazonaws.com/groups/s3/LogDelivery',
} as const satisfies Record<GranteeGroup, string>;

/** A grantee as a client names it. */
export type NamedGrantee =
  | { readonly kind: 'id'; readonly id: string }
  | { readonly kind: 'uri'; readonly uri: string }
  | { readonly kind: 'email'; readonly address: string };
export type NamedGrant = { readonly grantee: NamedGrantee; readonly permission: Permission };
