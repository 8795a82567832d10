import { describe, expect, it } from 'vitest';
import type { AccountId } from '../../../../src/domain/nouns.ts';
import {
  accountsOfAcl,
  readAccessControlPolicy,
} from '../../../../src/http/s3/formats/acl-document.ts';
import { failing } from '../kit/responses.ts';

const NS = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"';
const bytes = (text: string) => new TextEncoder().encode(text);

describe('AccessControlPolicy', () => {
  const XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
  const grant = (grantee: string, permission: string) =>
    `<Grant><Grantee ${XSI} xsi:type="X">${grantee}</Grantee><Permission>${permission}` +
    '</Permission></Grant>';
  const read = (owner: string, grants: string) =>
    readAccessControlPolicy(
      bytes(
        `<AccessControlPolicy ${NS}>${owner}<AccessControlList>${grants}` +
          '</AccessControlList></AccessControlPolicy>',
      ),
    );

  it('reads owner and grants', () => {
    const grants =
      grant('<ID>me</ID><DisplayName>Me</DisplayName>', 'FULL_CONTROL') +
      grant('<URI>http://acs.amazonaws.com/groups/global/AllUsers</URI>', 'READ') +
      grant('<EmailAddress>a@b.c</EmailAddress>', 'WRITE');
    expect(read('<Owner><ID>me</ID><DisplayName>Me</DisplayName></Owner>', grants)).toEqual({
      ownerId: 'me',
      grants: [
        { permission: 'FULL_CONTROL', grantee: { kind: 'id', id: 'me' } },
        {
          permission: 'READ',
          grantee: { kind: 'uri', uri: 'http://acs.amazonaws.com/groups/global/AllUsers' },
        },
        { permission: 'WRITE', grantee: { kind: 'email', address: 'a@b.c' } },
      ],
    });
    expect(read('', '')).toEqual({ ownerId: null, grants: [] });
  });

  it.each([
    ['<Owner/>', ''],
    ['<Owner><ID>a</ID><ID>b</ID></Owner>', ''],
    ['', '<Grant/>'],
    ['', grant('<ID>me</ID>', 'ALL')],
    ['', grant('', 'READ')],
    ['', '<Grant><Permission>READ</Permission></Grant>'],
  ])('is malformed with %s %s', (owner, grants) => {
    expect(() => read(owner, grants)).toThrow(failing('MalformedXML'));
  });

  it('is malformed without a list', () => {
    expect(() => readAccessControlPolicy(bytes('<AccessControlPolicy/>'))).toThrow(
      failing('MalformedXML'),
    );
  });
});

it('an access control list names its owner and the accounts it grants, and no group', () => {
  const ownerId = 'owner' as AccountId;
  const id = 'other' as AccountId;
  expect(accountsOfAcl({ ownerId, acl: null })).toEqual([ownerId]);
  const account = { permission: 'READ', grantee: { kind: 'account', id } } as const;
  const group = { permission: 'READ', grantee: { kind: 'group', group: 'AllUsers' } } as const;
  expect(accountsOfAcl({ ownerId, acl: [group, account] })).toEqual([ownerId, id]);
});
