// The policy statements that open a prefix of a bucket to strangers, as the console
// makes and takes back: each has a Sid made of the prefix, so that exactly it is
// found again. Other statements are never touched. Pure.
import { sha256Hex } from '../../crypto/hash.ts';
import { StorageError } from '../../domain/errors.ts';
import type { BucketName } from '../../domain/nouns.ts';
import { isJsonObject, type Json } from '../json.ts';

/** What strangers may do: read what they know the name of, or list names too. */
export const PUBLIC_KINDS = ['read', 'read-and-list'] as const;
export type PublicKind = (typeof PUBLIC_KINDS)[number];

/** The version of policies that has variables, and so escapes. */
const CURRENT_VERSION = '2012-10-17';
/** Hexadecimal digits of a prefix in a Sid: 64 bits. */
const SID_DIGITS = 16;
/** Characters that mean something in patterns of policies. */
const SPECIAL = /[*?$]/g;

export type PublicStatement = {
  readonly Sid: string;
  readonly Effect: 'Allow';
  readonly Principal: '*';
  readonly Action: string;
  readonly Resource: string;
  readonly Condition?: { readonly StringLike: { readonly 's3:prefix': string } };
};

/** The Sids of the statements of a prefix. */
function sidsOf(prefix: string): { readonly read: string; readonly list: string } {
  const digits = sha256Hex(prefix).slice(0, SID_DIGITS);
  return { read: `QuaysidePublicRead${digits}`, list: `QuaysidePublicList${digits}` };
}

/** The statements that open a prefix; '' is the whole bucket. */
export function publicStatements(
  bucket: BucketName,
  prefix: string,
  kind: PublicKind,
): readonly PublicStatement[] {
  const sids = sidsOf(prefix);
  const pattern = prefix.replaceAll(SPECIAL, (character) => `\${${character}}`);
  const common = { Effect: 'Allow', Principal: '*' } as const;
  const read = {
    Sid: sids.read,
    ...common,
    Action: 's3:GetObject',
    Resource: `arn:aws:s3:::${bucket}/${pattern}*`,
  };
  if (kind === 'read') return [read];

  const list = {
    Sid: sids.list,
    ...common,
    Action: 's3:ListBucket',
    Resource: `arn:aws:s3:::${bucket}`,
    ...(prefix === '' ? {} : { Condition: { StringLike: { 's3:prefix': `${pattern}*` } } }),
  };
  return [read, list];
}

/**
 * The policy with the statements of a prefix in place of those that it had for it.
 * InvalidInput where an older version of policies can't name the prefix.
 */
export function withPublicStatements(
  policyJson: string | null,
  bucket: BucketName,
  prefix: string,
  kind: PublicKind,
): string {
  const policy = readObject(policyJson);
  const { Version = policyJson === null ? CURRENT_VERSION : undefined } = policy;
  if (Version !== CURRENT_VERSION && prefix.search(SPECIAL) !== -1) {
    throw new StorageError('InvalidInput', {
      detail: `A prefix with *, ? or $ needs a policy of Version ${CURRENT_VERSION}.`,
    });
  }
  const others = statementsOf(policy).filter((statement) => !isOf(statement, prefix));
  const Statement = [...others, ...publicStatements(bucket, prefix, kind)];
  return JSON.stringify({ ...policy, ...(Version === undefined ? {} : { Version }), Statement });
}

/**
 * The policy without the statements of a prefix; null: nothing is left of it.
 * Undefined: it has none of them.
 */
export function withoutPublicStatements(
  policyJson: string | null,
  prefix: string,
): string | null | undefined {
  const policy = readObject(policyJson);
  const statements = statementsOf(policy);
  const others = statements.filter((statement) => !isOf(statement, prefix));
  if (others.length === statements.length) return undefined;
  return others.length === 0 ? null : JSON.stringify({ ...policy, Statement: others });
}

function readObject(policyJson: string | null): Json {
  const policy: unknown = JSON.parse(policyJson ?? '{}');
  return isJsonObject(policy) ? policy : {};
}

function statementsOf({ Statement }: Json): readonly unknown[] {
  if (Statement === undefined) return [];
  return Array.isArray(Statement) ? Statement : [Statement];
}

function isOf(statement: unknown, prefix: string): boolean {
  const { read, list } = sidsOf(prefix);
  return isJsonObject(statement) && (statement.Sid === read || statement.Sid === list);
}
