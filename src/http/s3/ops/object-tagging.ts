// The tags of one version of an object: get, put, delete. A change of tags writes no new version.
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectTagging.html and its siblings
import type { Core } from '../../../core/core.ts';
import { OBJECT_MAX_TAGS, XML_MAX_BYTES } from '../../../core/limits.ts';
import { updateVersion } from '../../../core/objects/update-version.ts';
import { emptyAnswer, type ObjectCall, type S3Answer, xmlAnswer } from '../call.ts';
import { findRequestedVersion } from '../find-version.ts';
import { readDocument } from '../read-document.ts';
import { readTagging, writeTagging } from '../tagging-document.ts';
import { parseVersionName, versionHeaders } from '../version-name.ts';

const isNamed = (call: ObjectCall) => call.query.get('versionId') !== null;

/** An object without tags has an empty set. Errors: those of findRequestedVersion. Cost: one index read. */
export async function answerGetObjectTagging(call: ObjectCall): Promise<S3Answer> {
  const version = await findRequestedVersion(call);
  return xmlAnswer(writeTagging(version.tags), versionHeaders(call.bucket.record(), version, isNamed(call)));
}

/** Replaces all tags. Errors: MalformedXML, InvalidTag, those of updateVersion. Cost: one commit. */
export async function answerPutObjectTagging(call: ObjectCall, core: Core): Promise<S3Answer> {
  const tags = readTagging(await readDocument(call, XML_MAX_BYTES), OBJECT_MAX_TAGS);
  const versionId = parseVersionName(call.query.get('versionId'));
  const version = await updateVersion(core, call.bucket, { key: call.key, versionId, change: { tags } });
  return emptyAnswer(200, versionHeaders(call.bucket.record(), version, isNamed(call)));
}

/** Deleting what is not there is no error, but the object must be. Errors: those of updateVersion. Cost: one commit. */
export async function answerDeleteObjectTagging(call: ObjectCall, core: Core): Promise<S3Answer> {
  const versionId = parseVersionName(call.query.get('versionId'));
  const version = await updateVersion(core, call.bucket, { key: call.key, versionId, change: { tags: {} } });
  return emptyAnswer(204, versionHeaders(call.bucket.record(), version, isNamed(call)));
}
