// Multipart uploads from their start to their end; multipart-list.ts lists them.
// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html
import { idOf } from '../../../../core/auth/acl.ts';
import type { Core } from '../../../../core/core.ts';
import { OBJECT_MAX_BYTES, PUT_MAX_BYTES, XML_MAX_BYTES } from '../../../../core/limits.ts';
import { abortUpload } from '../../../../core/multipart/abort-upload.ts';
import { completeUpload } from '../../../../core/multipart/complete-upload.ts';
import { createUpload } from '../../../../core/multipart/create-upload.ts';
import {
  type PartAddress,
  uploadPart,
  uploadPartCopy,
} from '../../../../core/multipart/upload-part.ts';
import type { ByteRange } from '../../../../domain/byte-range.ts';
import { hasCode, StorageError } from '../../../../domain/errors.ts';
import type { UploadId } from '../../../../domain/nouns.ts';
import { parseWriteCondition } from '../../../semantics/conditional.ts';
import { readObjectAttributes } from '../../../semantics/object-headers.ts';
import { emptyResponse, type ObjectCall, type S3Response, xmlResponse } from '../../call/call.ts';
import { countCopied } from '../../call/count-copied.ts';
import { readNewObject } from '../../call/new-object.ts';
import { openCopySource, sourceVersionHeaders } from '../../call/open-copy-source.ts';
import { readDocument } from '../../call/read-document.ts';
import { readUploadId } from '../../call/read-upload-id.ts';
import { checksumElement } from '../../formats/checksum-names.ts';
import { readCompleteMultipartUpload } from '../../formats/documents.ts';
import { invalidArgument } from '../../formats/invalid-argument.ts';
import { newVersionHeaders } from '../../formats/version-name.ts';
import { etagElement, s3Document, textElement, timeElement } from '../../formats/xml-write.ts';
import {
  checksumHeaders,
  readBodyExpectation,
  readChecksumAlgorithm,
  readChecksumType,
  readObjectChecksum,
} from '../../headers/checksum-headers.ts';
import {
  customerKeyOf,
  encryptionHeaders,
  readCustomerKey,
  writtenEncryptionHeaders,
} from '../../headers/encryption-headers.ts';
import { abortionHeaders } from '../../headers/lifecycle-headers.ts';
import { readPartNumber } from './get-head.ts';

function readPartAddress({ key, query }: ObjectCall): PartAddress {
  const partNumber = readPartNumber(query);
  if (partNumber === null) throw invalidArgument('partNumber', '', 'partNumber is missing');
  return { key, uploadId: readUploadId(query), partNumber };
}

/**
 * Begins an upload. Errors: InvalidRequest (checksum type), those of the readers of
 * its headers. Cost: one commit.
 */
export async function answerCreateMultipartUpload(
  call: ObjectCall,
  core: Core,
): Promise<S3Response> {
  const { facts, encryption } = await readNewObject(call, core);
  const initiatorId = idOf(call.principal);
  const upload = await createUpload(core, call.bucket, {
    facts,
    initiatorId: initiatorId === call.bucket.record().ownerId ? null : initiatorId,
    key: call.key,
    attributes: readObjectAttributes(call),
    encryption,
    checksumAlgorithm: readChecksumAlgorithm(call.header),
    checksumType: readChecksumType(call.header),
  });
  const headers = {
    ...abortionHeaders(call, core, upload),
    ...writtenEncryptionHeaders(upload.encryption, customerKeyOf(encryption)),
  };
  if (upload.checksumAlgorithm !== null)
    headers['x-amz-checksum-algorithm'] = upload.checksumAlgorithm;
  if (upload.checksumType !== null) headers['x-amz-checksum-type'] = upload.checksumType;
  const answer = xmlResponse(
    s3Document(
      'InitiateMultipartUploadResult',
      textElement('Bucket', call.bucket.record().name) +
        textElement('Key', call.key) +
        textElement('UploadId', upload.uploadId),
    ),
    headers,
  );
  return { ...answer, storageClass: upload.storageClass };
}

/**
 * Stores a part from the body. Errors: those of uploadPart, InvalidArgument. Cost:
 * one index read, one blob, one commit.
 */
export async function answerUploadPart(call: ObjectCall, core: Core): Promise<S3Response> {
  const customerKey = readCustomerKey(call);
  const part = await uploadPart(core, call.bucket, {
    ...readPartAddress(call),
    customerKey,
    body: call.body.source,
    expectation: readBodyExpectation(call.header, call.body),
  });
  call.request.notes.objectBytes = part.sizeBytes;
  const headers = {
    etag: `"${part.md5}"`,
    ...checksumHeaders(part.checksum, null),
    ...encryptionHeaders(part.encryption, customerKey),
  };
  return { ...emptyResponse(200, headers), storageClass: part.storageClass };
}

/**
 * Stores a part from a range of another object. Errors: those of openCopySource and
 * uploadPartCopy, InvalidRange.
 */
export async function answerUploadPartCopy(call: ObjectCall, core: Core): Promise<S3Response> {
  const address = readPartAddress(call);
  const requestedRange = readCopyRange(call.header('x-amz-copy-source-range'));
  const customerKey = readCustomerKey(call);
  const sourceKey = readCustomerKey(call, 'copy-source-');
  const opened = await openCopySource(call, core);
  const source = opened.version;
  const range = requestedRange ?? { offsetBytes: 0, lengthBytes: source.sizeBytes };
  if (range.offsetBytes + range.lengthBytes > source.sizeBytes) {
    throw new StorageError('InvalidRange', {
      detail: `Range specified is not valid for source object of size: ${source.sizeBytes}`,
      fields: { ActualObjectSize: `${source.sizeBytes}` },
    });
  }
  if (range.lengthBytes > PUT_MAX_BYTES) {
    throw new StorageError('InvalidRequest', {
      detail:
        'The specified copy source is larger than the maximum allowable size for a copy ' +
        `source: ${PUT_MAX_BYTES}`,
    });
  }
  const part = await uploadPartCopy(core, call.bucket, {
    ...address,
    source,
    range,
    customerKey,
    sourceKey,
  });
  call.request.notes.objectBytes = part.sizeBytes;
  const answer = xmlResponse(
    s3Document(
      'CopyPartResult',
      timeElement('LastModified', part.lastModifiedMs) +
        etagElement(part.md5) +
        checksumElement(part.checksum),
    ),
    { ...sourceVersionHeaders(opened), ...encryptionHeaders(part.encryption, customerKey) },
  );
  const alsoRead = countCopied(call, core, opened, range.lengthBytes);
  return { ...answer, storageClass: part.storageClass, alsoRead };
}

/**
 * Strictly `bytes=first-last`: unlike a read, a copy never takes a bad range for
 * the whole. InvalidArgument.
 */
function readCopyRange(value: string | null): ByteRange | null {
  if (value === null) return null;
  const [, first, last] = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(value) ?? [];
  if (first === undefined || last === undefined || Number(last) < Number(first)) {
    throw invalidArgument(
      'x-amz-copy-source-range',
      value,
      'The x-amz-copy-source-range value must be of the form bytes=first-last where first ' +
        'and last are the zero-based offsets of the first and last bytes to copy',
    );
  }
  return { offsetBytes: Number(first), lengthBytes: Number(last) - Number(first) + 1 };
}

/**
 * Ends an upload. The response never needs white space to stay alive, because the
 * commit is one row. Errors: those of completeUpload, MalformedXML, InvalidRequest.
 */
export async function answerCompleteMultipartUpload(
  call: ObjectCall,
  core: Core,
): Promise<S3Response> {
  const { key, request } = call;
  const uploadId = readUploadId(call.query);
  const condition = parseWriteCondition(call.header('if-match'), call.header('if-none-match'));
  const expectedSizeBytes = readObjectSize(call.header('x-amz-mp-object-size'));
  const expectedChecksum = readObjectChecksum(call.header);
  const customerKey = readCustomerKey(call);
  await requireChecksumType(call, uploadId);
  const parts = readCompleteMultipartUpload(await readCompleteDocument(call));
  const version = await completeUpload(core, call.bucket, {
    key,
    uploadId,
    parts,
    expectedChecksum,
    expectedSizeBytes,
    customerKey,
    condition,
  });
  request.notes.objectBytes = version.sizeBytes;
  const answer = xmlResponse(
    s3Document(
      'CompleteMultipartUploadResult',
      textElement(
        'Location',
        `${request.isSecure ? 'https' : 'http'}://${request.host}${request.rawPath}`,
      ) +
        textElement('Bucket', call.bucket.record().name) +
        textElement('Key', key) +
        etagElement(version.etag) +
        checksumElement(version.checksum) +
        textElement('ChecksumType', version.checksum?.type ?? null),
    ),
    {
      ...newVersionHeaders(version),
      ...encryptionHeaders(version.encryption, customerKey),
    },
  );
  return { ...answer, storageClass: version.storageClass, written: version };
}

/**
 * The checksum headers of this request are the object's; the document has only
 * Content-MD5.
 */
function readCompleteDocument(call: ObjectCall): Promise<Uint8Array> {
  const header = (name: string) => (name === 'content-md5' ? call.header(name) : null);
  return readDocument({ ...call, header }, XML_MAX_BYTES);
}

function readObjectSize(value: string | null): number | null {
  if (value === null) return null;
  const sizeBytes = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
  if (sizeBytes <= OBJECT_MAX_BYTES) return sizeBytes;
  throw invalidArgument(
    'x-amz-mp-object-size',
    value,
    'x-amz-mp-object-size is not the size of an object',
  );
}

/**
 * Compares x-amz-checksum-type, where sent, with what the upload began with. An
 * upload that is over stays core's case.
 */
async function requireChecksumType(call: ObjectCall, uploadId: UploadId): Promise<void> {
  const type = readChecksumType(call.header);
  if (type === null) return;
  let begunWith: string | null;
  try {
    begunWith = (await call.bucket.call('getUpload', { key: call.key, uploadId })).checksumType;
  } catch (error) {
    if (hasCode(error, 'NoSuchUpload')) return;
    throw error;
  }
  if (begunWith === type) return;
  throw new StorageError('InvalidRequest', {
    detail:
      `The upload was created using the ${begunWith} checksum mode. The complete request ` +
      'must use the same checksum mode.',
  });
}

/** Gives an upload up. Errors: NoSuchUpload. Cost: one commit. */
export async function answerAbortMultipartUpload(
  call: ObjectCall,
  core: Core,
): Promise<S3Response> {
  await abortUpload(core, call.bucket, { key: call.key, uploadId: readUploadId(call.query) });
  return emptyResponse(204);
}
