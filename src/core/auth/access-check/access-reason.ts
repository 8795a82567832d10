// The reason of a decision: the line of the policy, the grant, or the rule that it
// rests on. decide.ts says which rule decided; here its text is found. Told only to
// people of the bucket's own account. Pure.
import type { KeyScope } from '../../../domain/account-records.ts';
import type { Role } from '../../../domain/accounts.ts';
import type { PublicAccessBlock } from '../../../domain/bucket-access.ts';
import type { Grant } from '../../../domain/object-facts.ts';
import { isJsonObject } from '../../json.ts';
import {
  type AccessRecord,
  type AccessRequest,
  type DecisionRule,
  decidingRule,
  grantFor,
  type ReadPolicy,
} from '../decide.ts';
import type { Scope } from '../permissions.ts';
import { findStatement, policyRequestOf } from '../policy/evaluate-policy.ts';

/** What a decision rests on. */
export type AccessReason =
  /** The caller's account owns the bucket, or the list that decides. */
  | { readonly source: 'owner' }
  /** Only what belongs to another account, which has granted nothing. */
  | { readonly source: 'object-owner'; readonly accountId: string }
  | {
      readonly source: 'bucket-policy';
      readonly effect: 'Allow' | 'Deny';
      /** Number from 1; null: the policy as a whole can't be read. */
      readonly statement: number | null;
      readonly sid: string | null;
      /** The statement as JSON. */
      readonly text: string;
    }
  | {
      readonly source: 'acl';
      readonly list: 'bucket' | 'object';
      readonly grantee: string;
      readonly permission: Grant['permission'];
    }
  | { readonly source: 'key-scope'; readonly limit: keyof KeyScope }
  | { readonly source: 'key-state'; readonly state: 'disabled' | 'expired' }
  | { readonly source: 'role'; readonly role: Role; readonly scope: Scope }
  | { readonly source: 'block-public-access'; readonly setting: keyof PublicAccessBlock }
  /** Nothing says yes. */
  | { readonly source: 'nothing' };

/** The reason of the decision that `rule` made under `policy`. Never throws. */
export function reasonOf(
  record: AccessRecord,
  request: AccessRequest,
  policy: ReadPolicy,
  rule: DecisionRule,
): AccessReason {
  switch (rule) {
    case 'owner-always':
    case 'owner':
      return { source: 'owner' };
    case 'policy-deny':
      return policyReason(record, request, policy, 'Deny');
    case 'policy-allow':
      return policyReason(record, request, policy, 'Allow');
    case 'policy-unreadable':
      return {
        source: 'bucket-policy',
        effect: 'Deny',
        statement: null,
        sid: null,
        text: record.access.policyJson ?? '',
      };
    case 'acl':
      return grantReason(record, request);
    case 'restricted':
    case 'nothing':
      return blockReason(record, request, policy) ?? noReason(record, request);
  }
}

function policyReason(
  record: AccessRecord,
  request: AccessRequest,
  policy: ReadPolicy,
  effect: 'Allow' | 'Deny',
): AccessReason {
  const found =
    policy === null || policy === 'unreadable'
      ? null
      : findStatement(policy, policyRequestOf(record, request), effect);
  return {
    source: 'bucket-policy',
    effect,
    statement: found?.number ?? null,
    sid: found?.sid ?? null,
    text: found === null ? '' : statementText(record, found.number),
  };
}

/** The JSON of a statement as its owner wrote it. */
function statementText({ access }: AccessRecord, number: number): string {
  const policy: unknown = JSON.parse(access.policyJson ?? '{}');
  const list = isJsonObject(policy) ? policy.Statement : undefined;
  return JSON.stringify((Array.isArray(list) ? list : [list])[number - 1] ?? null);
}

function grantReason(record: AccessRecord, request: AccessRequest): AccessReason {
  const found = grantFor(record, request);
  if (found === null || found.grant === 'owner') return { source: 'owner' };
  const { grantee, permission } = found.grant;
  return {
    source: 'acl',
    list: found.list,
    grantee: grantee.kind === 'group' ? grantee.group : grantee.id,
    permission,
  };
}

/** The switch without which the request would be allowed; null: none. */
function blockReason(
  record: AccessRecord,
  request: AccessRequest,
  policy: ReadPolicy,
): AccessReason | null {
  const block = record.access.publicAccessBlock;
  if (block === null) return null;
  for (const setting of ['restrictPublicBuckets', 'ignorePublicAcls'] as const) {
    if (!block[setting]) continue;
    const publicAccessBlock = { ...block, [setting]: false };
    const opened = { ...record, access: { ...record.access, publicAccessBlock } };
    const rule = decidingRule(opened, request, policy);
    if (rule === 'policy-allow' || rule === 'acl')
      return { source: 'block-public-access', setting };
  }
  return null;
}

function noReason({ ownerId }: AccessRecord, { principal, object }: AccessRequest): AccessReason {
  const isOwner = principal.kind === 'account' && principal.account.id === ownerId;
  const anotherId = object?.ownerId ?? ownerId;
  return isOwner && anotherId !== ownerId
    ? { source: 'object-owner', accountId: anotherId }
    : { source: 'nothing' };
}
