// Whether a policy is public, as S3 defines it: it is, unless every Allow names
// fixed callers, or a fixed network that they come from. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html
// (The meaning of "public")

import { isInRange, parseIpRange } from '../../../domain/ip-range.ts';
import type { Condition } from './conditions.ts';
import { conditionKey } from './pattern.ts';
import type { Policy, Statement } from './policy.ts';

/** Condition keys whose fixed values identify callers. */
const NARROWING_KEYS: ReadonlySet<string> = new Set(
  [
    'aws:PrincipalAccount',
    'aws:PrincipalArn',
    'aws:PrincipalOrgID',
    'aws:PrincipalOrgPaths',
    'aws:SourceAccount',
    'aws:SourceArn',
    'aws:SourceOwner',
    'aws:SourceVpc',
    'aws:SourceVpce',
    'aws:VpceAccount',
    'aws:VpceOrgID',
    'aws:userid',
    's3:DataAccessPointAccount',
    's3:DataAccessPointArn',
    's3:x-amz-server-side-encryption-aws-kms-key-id',
  ].map(conditionKey),
);
/** Operators that demand one of the values. */
const NARROWING_OPERATORS: ReadonlySet<string> = new Set([
  'StringEquals',
  'StringEqualsIgnoreCase',
  'StringLike',
  'ArnEquals',
  'ArnLike',
]);
const SOURCE_IP = conditionKey('aws:SourceIp');
/**
 * Shortest prefixes of ranges that are not everybody. Source: the page named at the
 * top.
 */
const NARROW_IPV4_BITS = 8;
const NARROW_IPV6_BITS = 32;
/**
 * Addresses of private networks are narrow in any width. Source: RFC 1918 section
 * 3.
 */
const PRIVATE_NETWORKS = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'].flatMap(
  (text) => parseIpRange(text) ?? [],
);

/** Whether some Allow of the policy is open to the public. */
export function isPublicPolicy(policy: Policy): boolean {
  return policy.statements.some(isPublicStatement);
}

function isPublicStatement({ effect, principals, conditions }: Statement): boolean {
  return effect === 'Allow' && principals.isEveryone && !conditions.some(isNarrowing);
}

function isNarrowing({ key, operator, expected, ifMissing, isNegated }: Condition): boolean {
  if (ifMissing || isNegated) return false;
  if (key === SOURCE_IP) return operator === 'IpAddress' && expected.every(isNarrowRange);
  return NARROWING_OPERATORS.has(operator) && NARROWING_KEYS.has(key) && expected.every(isFixed);
}

function isFixed(value: string): boolean {
  return !/[*?]|\$\{/.test(value);
}

function isNarrowRange(text: string): boolean {
  const range = parseIpRange(text);
  if (range === null) return false;
  const { bytes, prefixBits } = range;
  if (bytes.length === 16) return prefixBits >= NARROW_IPV6_BITS;
  return (
    prefixBits >= NARROW_IPV4_BITS ||
    PRIVATE_NETWORKS.some(
      (network) => isInRange(bytes, network) && prefixBits >= network.prefixBits,
    )
  );
}
