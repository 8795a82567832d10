// The four switches against publicness, and who owns what others write: put, get,
// delete. What they do is decided in core/auth. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutPublicAccessBlock.html,
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketOwnershipControls.html
// and siblings
import { setBucketAccess } from '../../../../core/buckets/set-bucket-access.ts';
import { SETTING_MAX_BYTES } from '../../../../core/limits.ts';
import type { ObjectOwnership, PublicAccessBlock } from '../../../../domain/bucket-access.ts';
import { StorageError } from '../../../../domain/errors.ts';
import { type BucketCall, emptyResponse, type S3Response, xmlResponse } from '../../call/call.ts';
import { readDocument } from '../../call/read-document.ts';
import { readFields, required, textOf } from '../../formats/documents.ts';
import { malformed, readXml, type XmlElement } from '../../formats/xml-read.ts';
import { element, s3Document, textElement } from '../../formats/xml-write.ts';

const SWITCHES = [
  ['BlockPublicAcls', 'blockPublicAcls'],
  ['IgnorePublicAcls', 'ignorePublicAcls'],
  ['BlockPublicPolicy', 'blockPublicPolicy'],
  ['RestrictPublicBuckets', 'restrictPublicBuckets'],
] as const satisfies readonly (readonly [string, keyof PublicAccessBlock])[];

/** Replaces the four switches. Errors: MalformedXML. Cost: one commit. */
export async function answerPutPublicAccessBlock(call: BucketCall): Promise<S3Response> {
  const root = readXml(
    await readDocument(call, SETTING_MAX_BYTES),
    'PublicAccessBlockConfiguration',
  );
  const fields = readFields(root, {
    BlockPublicAcls: 'one',
    IgnorePublicAcls: 'one',
    BlockPublicPolicy: 'one',
    RestrictPublicBuckets: 'one',
  });
  const publicAccessBlock: PublicAccessBlock = {
    blockPublicAcls: readSwitch(fields.BlockPublicAcls),
    ignorePublicAcls: readSwitch(fields.IgnorePublicAcls),
    blockPublicPolicy: readSwitch(fields.BlockPublicPolicy),
    restrictPublicBuckets: readSwitch(fields.RestrictPublicBuckets),
  };
  await setBucketAccess(call.bucket, { publicAccessBlock });
  return emptyResponse(200);
}

/** A switch that is missing is off. */
function readSwitch(field: XmlElement | null): boolean {
  if (field === null) return false;
  const text = textOf(field).trim().toLowerCase();
  if (text !== 'true' && text !== 'false') throw malformed(`${field.name} must be true or false.`);
  return text === 'true';
}

/** Shows the four switches. Errors: NoSuchPublicAccessBlockConfiguration. */
export function answerGetPublicAccessBlock(call: BucketCall): S3Response {
  const { access, name } = call.bucket.record();
  const block = access.publicAccessBlock;
  if (block === null) {
    throw new StorageError('NoSuchPublicAccessBlockConfiguration', {
      fields: { BucketName: name },
    });
  }
  const content = SWITCHES.map(([elementName, field]) =>
    textElement(elementName, block[field]),
  ).join('');
  return xmlResponse(s3Document('PublicAccessBlockConfiguration', content));
}

/** Deleting what is not there is no error. Cost: one commit. */
export async function answerDeletePublicAccessBlock(call: BucketCall): Promise<S3Response> {
  await setBucketAccess(call.bucket, { publicAccessBlock: null });
  return emptyResponse(204);
}

const OWNERSHIPS: readonly ObjectOwnership[] = [
  'BucketOwnerEnforced',
  'BucketOwnerPreferred',
  'ObjectWriter',
];

/** The ownership of that name, or null. */
export function parseOwnership(text: string): ObjectOwnership | null {
  return OWNERSHIPS.find((known) => known === text) ?? null;
}

/**
 * Sets the ownership of objects that others write. Errors: MalformedXML,
 * InvalidBucketAclWithObjectOwnership (the list gives others something). Cost: one
 * commit.
 */
export async function answerPutBucketOwnershipControls(call: BucketCall): Promise<S3Response> {
  const root = readXml(await readDocument(call, SETTING_MAX_BYTES), 'OwnershipControls');
  const [rule, ...others] = readFields(root, { Rule: 'many' }).Rule;
  if (rule === undefined || others.length > 0) throw malformed('there must be one Rule.');
  const text = required(
    readFields(rule, { ObjectOwnership: 'one' }).ObjectOwnership,
    'ObjectOwnership',
  ).trim();
  const ownership = parseOwnership(text);
  if (ownership === null) throw malformed('ObjectOwnership has an unknown value.');
  if (ownership === 'BucketOwnerEnforced' && call.bucket.record().access.acl !== null) {
    throw new StorageError('InvalidBucketAclWithObjectOwnership');
  }
  await setBucketAccess(call.bucket, { ownership });
  return emptyResponse(200);
}

/**
 * Shows the ownership of objects that others write. Errors:
 * OwnershipControlsNotFoundError.
 */
export function answerGetBucketOwnershipControls(call: BucketCall): S3Response {
  const { access, name } = call.bucket.record();
  if (access.ownership === null) {
    throw new StorageError('OwnershipControlsNotFoundError', { fields: { BucketName: name } });
  }
  return xmlResponse(
    s3Document(
      'OwnershipControls',
      element('Rule', textElement('ObjectOwnership', access.ownership)),
    ),
  );
}

/**
 * Deleting what is not there is no error; objects then belong to their writers.
 * Cost: one commit.
 */
export async function answerDeleteBucketOwnershipControls(call: BucketCall): Promise<S3Response> {
  await setBucketAccess(call.bucket, { ownership: null });
  return emptyResponse(204);
}
