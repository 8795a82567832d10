// The tags of one version of an object: get, put, delete. A change of tags writes
// no new version. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectTagging.html and its
// siblings
import type { Core } from '../../../../core/core.ts';
import { OBJECT_MAX_TAGS, SETTING_MAX_BYTES } from '../../../../core/limits.ts';
import { updateVersion } from '../../../../core/objects/update-version.ts';
import type { ObjectVersion } from '../../../../domain/nouns.ts';
import type { VersionChange } from '../../../../domain/object-facts.ts';
import {
  emptyResponse,
  type S3Call,
  type S3Response,
  type VersionCall,
  xmlResponse,
} from '../../call/call.ts';
import { readDocument } from '../../call/read-document.ts';
import { readTagging, writeTagging } from '../../formats/tagging-document.ts';
import { versionHeaders, versionNameOf } from '../../formats/version-name.ts';

const headersOf = (call: VersionCall, version: ObjectVersion) =>
  versionHeaders(call.bucket.record(), version, call.query.get('versionId') !== null);

/** An object without tags has an empty set. */
export function answerGetObjectTagging(call: VersionCall): S3Response {
  return xmlResponse(writeTagging(call.version.tags), headersOf(call, call.version));
}

/** The tags of the document. MalformedXML, InvalidTag, those of readDocument. */
export async function readObjectTagging(call: S3Call): Promise<VersionChange> {
  return { tags: readTagging(await readDocument(call, SETTING_MAX_BYTES), OBJECT_MAX_TAGS) };
}

/** Replaces all tags. Errors: those of updateVersion. Cost: one commit. */
export function answerPutObjectTagging(call: VersionCall, core: Core): Promise<S3Response> {
  return update(call, core, call.change, 200);
}

/**
 * Deleting what is not there is no error, but the object must be. Errors: those of
 * updateVersion. Cost: one commit.
 */
export function answerDeleteObjectTagging(call: VersionCall, core: Core): Promise<S3Response> {
  return update(call, core, { tags: {} }, 204);
}

async function update(
  call: VersionCall,
  core: Core,
  change: VersionChange,
  status: 200 | 204,
): Promise<S3Response> {
  const { bucket, key, version } = call;
  const versionId = versionNameOf(version);
  const changed = await updateVersion(core, bucket, { key, versionId, change });
  return emptyResponse(status, headersOf(call, changed));
}
