// The condition keys that a bucket policy may name. A key that nobody knows is
// refused when the policy is put: a Deny that hangs on a misspelt key would never
// deny. Keys of AWS that nothing here can have (a VPC, an organisation) are known
// and simply absent from every request. Source:
// https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazons3.html
// (condition keys) and
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html
import { conditionKey } from './pattern.ts';

/**
 * Keys that requests here can have; http/access/condition-values.ts gives their
 * values.
 */
export const SERVED_KEYS = [
  'aws:CurrentTime',
  'aws:EpochTime',
  'aws:PrincipalAccount',
  'aws:PrincipalArn',
  'aws:PrincipalIsAWSService',
  'aws:PrincipalType',
  'aws:Referer',
  'aws:RequestedRegion',
  'aws:ResourceAccount',
  'aws:SecureTransport',
  'aws:SourceIp',
  'aws:UserAgent',
  'aws:ViaAWSService',
  'aws:userid',
  's3:ObjectCreationOperation',
  's3:ResourceAccount',
  's3:TlsVersion',
  's3:VersionId',
  's3:authType',
  's3:delimiter',
  's3:if-match',
  's3:if-none-match',
  's3:max-keys',
  's3:object-lock-legal-hold',
  's3:object-lock-mode',
  's3:object-lock-remaining-retention-days',
  's3:object-lock-retain-until-date',
  's3:prefix',
  's3:RequestObjectTagKeys',
  's3:signatureAge',
  's3:signatureversion',
  's3:x-amz-acl',
  's3:x-amz-content-sha256',
  's3:x-amz-copy-source',
  's3:x-amz-grant-full-control',
  's3:x-amz-grant-read',
  's3:x-amz-grant-read-acp',
  's3:x-amz-grant-write',
  's3:x-amz-grant-write-acp',
  's3:x-amz-metadata-directive',
  's3:x-amz-object-ownership',
  's3:x-amz-server-side-encryption',
  's3:x-amz-server-side-encryption-aws-kms-key-id',
  's3:x-amz-server-side-encryption-customer-algorithm',
  's3:x-amz-storage-class',
  's3:x-amz-website-redirect-location',
] as const;

/** Keys that AWS knows and no request here has. */
const ABSENT_KEYS = [
  'aws:CalledVia',
  'aws:CalledViaFirst',
  'aws:CalledViaLast',
  'aws:Ec2InstanceSourceVpc',
  'aws:FederatedProvider',
  'aws:MultiFactorAuthAge',
  'aws:MultiFactorAuthPresent',
  'aws:PrincipalOrgID',
  'aws:PrincipalOrgPaths',
  'aws:PrincipalServiceName',
  'aws:PrincipalServiceNamesList',
  'aws:ResourceOrgID',
  'aws:ResourceOrgPaths',
  'aws:SourceAccount',
  'aws:SourceArn',
  'aws:SourceIdentity',
  'aws:SourceOrgID',
  'aws:SourceOrgPaths',
  'aws:SourceOwner',
  'aws:SourceVpc',
  'aws:SourceVpcArn',
  'aws:SourceVpce',
  'aws:TagKeys',
  'aws:TokenIssueTime',
  'aws:VpcSourceIp',
  'aws:VpceAccount',
  'aws:VpceOrgID',
  'aws:VpceOrgPaths',
  'aws:username',
  's3:AccessGrantsInstanceArn',
  's3:AccessPointNetworkOrigin',
  's3:AnnotationName',
  's3:DataAccessPointAccount',
  's3:DataAccessPointArn',
  's3:DestinationRegion',
  's3:ExistingJobOperation',
  's3:ExistingJobPriority',
  's3:InventoryAccessibleOptionalFields',
  's3:JobSuspendedCause',
  's3:LocationConstraint',
  's3:RequestJobOperation',
  's3:RequestJobPriority',
];

const KNOWN: ReadonlySet<string> = new Set([...SERVED_KEYS, ...ABSENT_KEYS].map(conditionKey));
/** Keys with a tag's key behind a slash. */
const TAG_KEYS: ReadonlySet<string> = new Set(
  [
    'aws:PrincipalTag',
    'aws:RequestTag',
    'aws:ResourceTag',
    's3:BucketTag',
    's3:ExistingObjectTag',
    's3:RequestObjectTag',
  ].map(conditionKey),
);

/** Whether a policy may name the key; `key` is as `conditionKey` makes it. */
export function isKnownKey(key: string): boolean {
  const slashAt = key.indexOf('/');
  return slashAt === -1
    ? KNOWN.has(key)
    : TAG_KEYS.has(key.slice(0, slashAt)) && slashAt < key.length - 1;
}
