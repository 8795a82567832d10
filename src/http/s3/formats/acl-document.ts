// The AccessControlPolicy document, read and written. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketAcl.html and
// API_GetBucketAcl.html
import type { OwnedAcl } from '../../../core/auth/acl.ts';
import { accountGrant } from '../../../core/auth/canned-acl.ts';
import type { Account, AccountId } from '../../../domain/nouns.ts';
import type { Grant, Permission } from '../../../domain/object-facts.ts';
import { accountElement, accountFields } from './account-elements.ts';
import { readFields, required, textOf } from './documents.ts';
import { GROUP_URIS, type NamedGrant } from './grantees.ts';
import { malformed, readXml, type XmlElement } from './xml-read.ts';
import { element, s3Document, textElement } from './xml-write.ts';

const XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
const PERMISSIONS: readonly Permission[] = [
  'FULL_CONTROL',
  'READ',
  'READ_ACP',
  'WRITE',
  'WRITE_ACP',
];
const GRANTEE_SHAPE = {
  ID: 'one',
  DisplayName: 'one',
  URI: 'one',
  EmailAddress: 'one',
  Type: 'one',
} as const;

/**
 * A list as a client wrote it; `ownerId` null when the document names no owner.
 * MalformedXML.
 */
export function readAccessControlPolicy(bytes: Uint8Array): {
  ownerId: string | null;
  grants: readonly NamedGrant[];
} {
  const root = readXml(bytes, 'AccessControlPolicy');
  const { Owner, AccessControlList } = readFields(root, { Owner: 'one', AccessControlList: 'one' });
  if (AccessControlList === null) throw malformed('AccessControlList is missing.');
  const owner = Owner === null ? null : readFields(Owner, { ID: 'one', DisplayName: 'one' });
  return {
    ownerId: owner === null ? null : required(owner.ID, 'ID').trim(),
    grants: readFields(AccessControlList, { Grant: 'many' }).Grant.map(readGrant),
  };
}

function readGrant(grant: XmlElement): NamedGrant {
  const fields = readFields(grant, { Grantee: 'one', Permission: 'one' });
  const text = required(fields.Permission, 'Permission').trim();
  const permission = PERMISSIONS.find((known) => known === text);
  if (permission === undefined) throw malformed('Permission has an unknown value.');
  if (fields.Grantee === null) throw malformed('Grantee is missing.');
  const { ID, URI, EmailAddress } = readFields(fields.Grantee, GRANTEE_SHAPE);
  if (ID !== null) return { permission, grantee: { kind: 'id', id: textOf(ID).trim() } };
  if (URI !== null) return { permission, grantee: { kind: 'uri', uri: textOf(URI).trim() } };
  if (EmailAddress !== null)
    return { permission, grantee: { kind: 'email', address: textOf(EmailAddress).trim() } };
  throw malformed('Grantee names nobody.');
}

/** Every account that the document of a list names. */
export function accountsOfAcl({ ownerId, acl }: OwnedAcl): AccountId[] {
  const grantees = (acl ?? []).flatMap(({ grantee }) =>
    grantee.kind === 'account' ? [grantee.id] : [],
  );
  return [ownerId, ...grantees];
}

/**
 * The document of a list. `accounts`: those of `accountsOfAcl`, for their names.
 */
export function writeAccessControlPolicy(
  { ownerId, acl }: OwnedAcl,
  accounts: ReadonlyMap<AccountId, Account>,
): string {
  const grants = acl ?? [accountGrant(ownerId, 'FULL_CONTROL')];
  // Groups first: the order says nothing, but ceph/s3-tests finds its way by it.
  const inOrder = [...grants.filter(isGroup), ...grants.filter((grant) => !isGroup(grant))];
  return s3Document(
    'AccessControlPolicy',
    accountElement('Owner', ownerId, accounts) +
      element('AccessControlList', inOrder.map((grant) => writeGrant(grant, accounts)).join('')),
  );
}

const isGroup = ({ grantee }: Grant) => grantee.kind === 'group';

function writeGrant(
  { grantee, permission }: Grant,
  accounts: ReadonlyMap<AccountId, Account>,
): string {
  const [type, content] =
    grantee.kind === 'account'
      ? ['CanonicalUser', accountFields(grantee.id, accounts)]
      : ['Group', textElement('URI', GROUP_URIS[grantee.group])];
  const named = `<Grantee ${XSI} xsi:type="${type}">${content}</Grantee>`;
  return element('Grant', named + textElement('Permission', permission));
}
