// The access control list that a request sets: by name in x-amz-acl, grant by grant
// in x-amz-grant-*, or as a document. All three end as RequestedAcl, with grantees
// that exist. Used by the operations that make or change lists. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/acl-overview.html
import { ACL_MAX_GRANTS } from '../../../core/auth/acl.ts';
import {
  BUCKET_CANNED_ACLS,
  type CannedAcl,
  OBJECT_CANNED_ACLS,
} from '../../../core/auth/canned-acl.ts';
import type { FindAccounts } from '../../../core/auth/find-accounts.ts';
import type { RequestedAcl } from '../../../core/auth/new-object-access.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { AccountId } from '../../../domain/nouns.ts';
import type { Grant, Grantee, GranteeGroup, Permission } from '../../../domain/object-facts.ts';
import { GROUP_URIS, type NamedGrant, type NamedGrantee } from '../formats/grantees.ts';
import { invalidArgument } from '../formats/invalid-argument.ts';
import type { RequestHeaders } from './request-headers.ts';

const GROUPS: ReadonlyMap<string, GranteeGroup> = new Map(
  Object.entries(GROUP_URIS).map(([group, uri]) => [uri, group as GranteeGroup]),
);

const GRANT_HEADERS: readonly (readonly [header: string, permission: Permission])[] = [
  ['x-amz-grant-read', 'READ'],
  ['x-amz-grant-write', 'WRITE'],
  ['x-amz-grant-read-acp', 'READ_ACP'],
  ['x-amz-grant-write-acp', 'WRITE_ACP'],
  ['x-amz-grant-full-control', 'FULL_CONTROL'],
];

/** The headers by which a request sets a list. */
export const ACL_HEADERS: readonly string[] = [
  'x-amz-acl',
  ...GRANT_HEADERS.map(([header]) => header),
];

/** Which names there are: a bucket and an object do not have all in common. */
export type AclLevel = 'bucket' | 'object';

/**
 * The list in the headers, null when there is none. InvalidArgument, InvalidRequest
 * (both kinds), NotImplemented (aws-exec-read), UnresolvableGrantByEmailAddress.
 * Cost: a read of the directory for grants to accounts.
 */
export async function readAclHeaders(
  request: Pick<RequestHeaders, 'header'> & { readonly findAccounts: FindAccounts },
  level: AclLevel,
): Promise<RequestedAcl | null> {
  const name = request.header('x-amz-acl');
  const named = GRANT_HEADERS.flatMap(([header, permission]) =>
    readGrantees(header, request.header(header)).map(
      (grantee): NamedGrant => ({ grantee, permission }),
    ),
  );
  if (name !== null && named.length > 0) {
    throw new StorageError('InvalidRequest', {
      detail: 'Specifying both Canned ACLs and Header Grants is not allowed',
    });
  }
  if (name !== null) return { kind: 'canned', name: readCanned(name, level) };
  if (named.length === 0) return null;
  return { kind: 'grants', grants: await resolveGrants(request.findAccounts, named) };
}

function readCanned(name: string, level: AclLevel): CannedAcl {
  const names: readonly CannedAcl[] = level === 'bucket' ? BUCKET_CANNED_ACLS : OBJECT_CANNED_ACLS;
  const canned = names.find((known) => known === name);
  if (canned !== undefined) return canned;
  // S3 leaves these two out where the list is a bucket's.
  if (level === 'bucket' && (name === 'bucket-owner-read' || name === 'bucket-owner-full-control'))
    return 'private';
  if (name === 'aws-exec-read') {
    throw new StorageError('NotImplemented', {
      detail: 'The canned ACL aws-exec-read is not implemented: there is no EC2 here.',
      fields: { Header: 'x-amz-acl' },
    });
  }
  throw invalidArgument('x-amz-acl', name, 'The canned ACL is unknown.');
}

function readGrantees(header: string, value: string | null): NamedGrantee[] {
  if (value === null || value.trim() === '') return [];
  return value.split(',').map((text) => {
    const grantee = readGrantee(text);
    if (grantee === null) throw invalidArgument(header, value, 'Argument format not recognized');
    return grantee;
  });
}

/**
 * One of `id="…"`, `uri="…"`, `emailAddress="…"`; the quotes may be missing. Null
 * for anything else.
 */
function readGrantee(text: string): NamedGrantee | null {
  const equalsAt = text.indexOf('=');
  if (equalsAt === -1) return null;
  const value = text.slice(equalsAt + 1).trim();
  const isQuoted = value.length > 1 && value.startsWith('"') && value.endsWith('"');
  const name = isQuoted ? value.slice(1, -1) : value;
  if (name === '' || name.includes('"')) return null;
  switch (text.slice(0, equalsAt).trim().toLowerCase()) {
    case 'id':
      return { kind: 'id', id: name };
    case 'uri':
      return { kind: 'uri', uri: name };
    case 'emailaddress':
      return { kind: 'email', address: name };
    default:
      return null;
  }
}

/**
 * The grants with grantees that there are. InvalidArgument,
 * UnresolvableGrantByEmailAddress.
 */
export async function resolveGrants(
  findAccounts: FindAccounts,
  named: readonly NamedGrant[],
): Promise<readonly Grant[]> {
  if (named.length > ACL_MAX_GRANTS) {
    throw new StorageError('InvalidRequest', {
      detail: `The list has ${named.length} grants; ${ACL_MAX_GRANTS} are the most.`,
    });
  }
  const ids = named.flatMap(({ grantee }) =>
    grantee.kind === 'id' ? [grantee.id as AccountId] : [],
  );
  const known = ids.length === 0 ? new Map() : await findAccounts(ids);
  const resolve = (grantee: NamedGrantee): Grantee => {
    if (grantee.kind === 'uri') {
      const group = GROUPS.get(grantee.uri);
      if (group === undefined) throw invalidArgument('uri', grantee.uri, 'Invalid group uri');
      return { kind: 'group', group };
    }
    // Accounts here have no addresses, so none leads to one.
    if (grantee.kind === 'email') {
      throw new StorageError('UnresolvableGrantByEmailAddress', {
        fields: { Email: grantee.address },
      });
    }
    const id = grantee.id as AccountId;
    if (!known.has(id)) throw invalidArgument('id', grantee.id, 'Invalid id');
    return { kind: 'account', id };
  };
  return named.map(({ grantee, permission }) => ({ grantee: resolve(grantee), permission }));
}
