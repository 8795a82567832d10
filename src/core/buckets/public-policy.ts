// Reads of a bucket policy the one thing that delivery needs: which keys everyone may get. Statements beyond that
// are refused by name, so that no policy is stored that would not be enforced.
import type { BucketName } from '../../ports/domain.ts';
import { StorageError } from '../../ports/errors.ts';

const ARN = 'arn:aws:s3:::';
/** Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_version.html */
const POLICY_VERSIONS = new Set(['2012-10-17', '2008-10-17']);
/** The elements of a statement that are read; any other makes it one that we could not enforce. */
const KNOWN_ELEMENTS = new Set(['Sid', 'Effect', 'Principal', 'Action', 'Resource']);

type Json = { readonly [name: string]: unknown };

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const malformed = (detail: string) => new StorageError('MalformedPolicy', { detail });
const unsupported = (detail: string) => new StorageError('NotImplemented', { detail });

/**
 * Key prefixes that the policy lets everyone read. MalformedPolicy; NotImplemented for statements other than
 * Allow, Principal "*", Action s3:GetObject, Resource `arn:aws:s3:::{bucket}/{prefix}*`.
 * Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-policy-language-overview.html
 */
export function publicPrefixesOf(policyJson: string, bucket: BucketName): readonly string[] {
  let policy: unknown;
  try {
    policy = JSON.parse(policyJson);
  } catch (cause) {
    throw new StorageError('MalformedPolicy', { detail: 'Policies must be valid JSON.', cause });
  }
  if (!isObject(policy)) throw malformed('Policies must be valid JSON and the first byte must be {');
  const { Version, Statement } = policy;
  if (Version !== undefined && !POLICY_VERSIONS.has(String(Version)))
    throw malformed('The policy has an unknown Version.');
  const statements = Array.isArray(Statement) ? Statement : [Statement];
  if (Statement === undefined || statements.length === 0) throw malformed('Missing required field Statement');
  return [...new Set(statements.flatMap((statement) => prefixesOfStatement(statement, bucket)))];
}

function prefixesOfStatement(statement: unknown, bucket: BucketName): string[] {
  if (!isObject(statement)) throw malformed('A Statement must be an object.');
  const other = Object.keys(statement).find((name) => !KNOWN_ELEMENTS.has(name));
  if (other !== undefined) throw unsupported(`The policy element ${other} is not implemented.`);
  if (statement.Effect === 'Deny') throw unsupported('The policy effect Deny is not implemented.');
  if (statement.Effect !== 'Allow') throw malformed('Effect must be Allow or Deny.');
  if (!isEveryone(statement.Principal)) throw unsupported('Policy principals other than "*" are not implemented.');
  const action = listOf(statement.Action, 'Action').find((name) => name.toLowerCase() !== 's3:getobject');
  if (action !== undefined) throw unsupported(`The policy action ${action} is not implemented; s3:GetObject is.`);
  return listOf(statement.Resource, 'Resource').map((resource) => prefixOfResource(resource, bucket));
}

function isEveryone(principal: unknown): boolean {
  if (principal === undefined) throw malformed('Missing required field Principal');
  if (!isObject(principal)) return principal === '*';
  const names = Object.keys(principal);
  return names.length === 1 && names[0] === 'AWS' && listOf(principal.AWS, 'Principal').every((who) => who === '*');
}

function listOf(value: unknown, element: string): string[] {
  const list = Array.isArray(value) ? value : [value];
  if (value === undefined || list.length === 0) throw malformed(`Missing required field ${element}`);
  if (!list.every((item) => typeof item === 'string'))
    throw malformed(`${element} must be a string or a list of strings.`);
  return list;
}

function prefixOfResource(resource: string, bucket: BucketName): string {
  const start = `${ARN}${bucket}/`;
  if (!resource.startsWith(start)) throw malformed('Policy has invalid resource');
  const pattern = resource.slice(start.length);
  const prefix = pattern.slice(0, -1);
  if (!pattern.endsWith('*') || /[*?]|\$\{/.test(prefix)) {
    throw unsupported('Policy resources other than a key prefix followed by * are not implemented.');
  }
  return prefix;
}
