// PutObject and CopyObject: headers become typed input here, core writes. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html and
// API_CopyObject.html
import type { Core } from '../../../../core/core.ts';
import { copyObject, isEncryptedAlike } from '../../../../core/objects/copy-object.ts';
import { putObject } from '../../../../core/objects/put-object.ts';
import { StorageError } from '../../../../domain/errors.ts';
import type { ObjectAttributes, ObjectVersion } from '../../../../domain/nouns.ts';
import type { Tags } from '../../../../domain/object-facts.ts';
import { requireAllowed } from '../../../access/decide-call.ts';
import { parseWriteCondition } from '../../../semantics/conditional.ts';
import { readObjectAttributes } from '../../../semantics/object-headers.ts';
import { emptyResponse, type ObjectCall, type S3Response, xmlResponse } from '../../call/call.ts';
import { countCopied } from '../../call/count-copied.ts';
import { readNewObject, readNewObjectFacts } from '../../call/new-object.ts';
import {
  type OpenedSource,
  openCopySource,
  sourceVersionHeaders,
} from '../../call/open-copy-source.ts';
import { checksumElement } from '../../formats/checksum-names.ts';
import { invalidArgument } from '../../formats/invalid-argument.ts';
import { newVersionHeaders } from '../../formats/version-name.ts';
import { etagElement, s3Document, textElement, timeElement } from '../../formats/xml-write.ts';
import {
  checksumHeaders,
  readBodyExpectation,
  readChecksumAlgorithm,
} from '../../headers/checksum-headers.ts';
import {
  customerKeyOf,
  namesEncryption,
  readCustomerKey,
  readRequestedEncryption,
  writtenEncryptionHeaders,
} from '../../headers/encryption-headers.ts';
import { readObjectLockHeaders } from '../../headers/object-lock-headers.ts';
import { readTaggingHeader } from '../../headers/tagging-header.ts';

/**
 * Stores the body as an object. Errors: those of putObject, and of the readers of
 * its headers. Cost: see putObject.
 */
export async function answerPutObject(call: ObjectCall, core: Core): Promise<S3Response> {
  const { version, headers } = await storeObject(call, core);
  return { ...emptyResponse(200, headers), storageClass: version.storageClass, written: version };
}

/** An object that was written, and headers of it for its writer. */
export type StoredObject = {
  readonly version: ObjectVersion;
  readonly headers: Record<string, string>;
};

/** The object that headers and body of a PUT, or a form made into one, describe. */
export async function storeObject(call: ObjectCall, core: Core): Promise<StoredObject> {
  const { facts, encryption } = await readNewObject(call, core);
  const version = await putObject(core, call.bucket, {
    key: call.key,
    facts,
    attributes: readObjectAttributes(call),
    body: call.body.source,
    expectation: readBodyExpectation(call.header, call.body),
    encryption,
    condition: parseWriteCondition(call.header('if-match'), call.header('if-none-match')),
    // A form does not say how long its file is, nor does a body in HTTP's own
    // chunks, which S3 refuses.
    isLengthOptional: true,
  });
  call.request.notes.objectBytes = version.sizeBytes;
  const headers = {
    etag: `"${version.etag}"`,
    ...checksumHeaders(version.checksum, version.checksum?.type ?? null),
    ...newVersionHeaders(version),
    ...(encryption === null
      ? {}
      : writtenEncryptionHeaders(version.encryption, customerKeyOf(encryption))),
  };
  return { version, headers };
}

/**
 * Copies an object, without moving a byte. Errors: those of openCopySource and
 * copyObject, InvalidRequest (onto itself without a change), InvalidArgument.
 */
export async function answerCopyObject(call: ObjectCall, core: Core): Promise<S3Response> {
  const isReplacing = readDirective(
    call,
    'x-amz-metadata-directive',
    'Unknown metadata directive.',
  );
  const isTagging = readDirective(call, 'x-amz-tagging-directive', 'Unknown tagging directive.');
  const requestedTags = isTagging ? readTaggingHeader(call.header) : null;
  const condition = parseWriteCondition(call.header('if-match'), call.header('if-none-match'));
  const checksumAlgorithm = readChecksumAlgorithm(call.header);
  const requested = readObjectAttributes(call);
  const lock = readObjectLockHeaders(call, core.ports.clock.nowMs());
  const encryption = readRequestedEncryption(call, call.bucket.record().settings.encryption);
  const sourceKey = readCustomerKey(call, 'copy-source-');
  const source = await openCopySource(call, core);
  const keepsEncryption = isEncryptedAlike(source.version.encryption, sourceKey, encryption);
  if (!isReplacing && checksumAlgorithm === null && keepsEncryption) requireChange(call, source);
  const tags = requestedTags ?? readableTags(call, source);
  const facts = { ...(await readNewObjectFacts(call, tags)), lock };
  const version = await copyObject(core, call.bucket, {
    facts,
    source: source.version,
    sourceKey,
    key: call.key,
    attributes: isReplacing ? requested : keptAttributes(source.version, requested),
    encryption,
    checksumAlgorithm,
    condition,
  });
  const { checksum } = version;
  call.request.notes.objectBytes = version.sizeBytes;
  const answer = xmlResponse(
    s3Document(
      'CopyObjectResult',
      timeElement('LastModified', version.lastModifiedMs) +
        etagElement(version.etag) +
        textElement('ChecksumType', checksum?.type ?? null) +
        checksumElement(checksum),
    ),
    {
      ...sourceVersionHeaders(source),
      ...newVersionHeaders(version),
      ...writtenEncryptionHeaders(version.encryption, customerKeyOf(encryption)),
    },
  );
  const alsoRead = countCopied(call, core, source, source.version.sizeBytes);
  return { ...answer, storageClass: version.storageClass, written: version, alsoRead };
}

/** The source's tags, which have a right of their own. AccessDenied. */
function readableTags(
  { decide }: ObjectCall,
  { record, key, version, versionId }: OpenedSource,
): Tags {
  if (Object.keys(version.tags).length === 0) return version.tags;
  const action = versionId === null ? 's3:GetObjectTagging' : 's3:GetObjectVersionTagging';
  requireAllowed(decide, record, { action, key, object: version });
  return version.tags;
}

function readDirective(call: ObjectCall, header: string, refusal: string): boolean {
  const value = call.header(header);
  if (value === null || value === 'COPY') return false;
  if (value === 'REPLACE') return true;
  throw invalidArgument(header, value, refusal);
}

/**
 * A copy onto itself that leaves the encryption as it is must change something
 * else; a word about storage class, redirect or encryption counts as that.
 */
function requireChange(call: ObjectCall, source: OpenedSource): void {
  const isItself =
    source.bucket === call.bucket.record().name &&
    source.key === call.key &&
    source.versionId === null;
  const isChanging =
    call.header('x-amz-storage-class') !== null ||
    call.header('x-amz-website-redirect-location') !== null ||
    namesEncryption(call);
  if (!isItself || isChanging) return;
  throw new StorageError('InvalidRequest', {
    detail:
      'This copy request is illegal because it is trying to copy an object to itself ' +
      "without changing the object's metadata, storage class, website redirect location or " +
      'encryption attributes.',
  });
}

/**
 * Storage class and redirect are the request's even when the metadata is the
 * source's.
 */
function keptAttributes(source: ObjectAttributes, requested: ObjectAttributes): ObjectAttributes {
  const { websiteRedirectLocation: _, ...headers } = source.headers;
  const redirect = requested.headers.websiteRedirectLocation;
  return {
    headers: redirect === undefined ? headers : { ...headers, websiteRedirectLocation: redirect },
    userMetadata: source.userMetadata,
    storageClass: requested.storageClass,
  };
}
