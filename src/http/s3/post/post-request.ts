// A form upload as a request like any other: its fields stand for the headers of a
// PUT, its file for the body. The signer of its policy is the caller. routes.ts
// opens it and goes on as for PutObject; operations/object/post-object.ts makes the
// response. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/RESTObjectPOST.html

import { OBJECT_MAX_TAGS, PUT_MAX_BYTES } from '../../../core/limits.ts';
import { hmacSha1Base64, isEqualInConstantTime } from '../../../crypto/hash.ts';
import { deriveSigningKey, isSignatureOf } from '../../../crypto/signing-keys.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { AccessKeyId } from '../../../domain/nouns.ts';
import type { ByteSource } from '../../../ports/byte-source.ts';
import type { HttpRequest } from '../../request.ts';
import { S3_UNKNOWN_TYPE } from '../../semantics/content-type.ts';
import { textToHeader } from '../../semantics/header-text.ts';
import { readTagging } from '../formats/tagging-document.ts';
import type { AuthenticatorOptions } from '../signature/authenticate.ts';
import { type Authenticated, principalOf } from '../signature/authenticated.ts';
import { unsupportedMechanism } from '../signature/authorization-header.ts';
import { parseCredential } from '../signature/credential.ts';
import { parseAmzDate } from '../signature/request-time.ts';
import { FIELDS_MAX_BYTES, type Form, openForm } from './form-body.ts';
import { type PostPolicy, parsePostPolicy, requireAllowed, sizeLimits } from './post-policy.ts';

/** A form upload as the rest of the surface needs it. */
export type PostedForm = Authenticated & {
  readonly key: string;
  /** Fields that stand for headers of a PUT; bytes one character each. */
  readonly headers: Pick<HttpRequest, 'header' | 'headerNames'>;
  /** The fields by lower-case name, as text. */
  readonly fields: ReadonlyMap<string, string>;
  /** Frees the body, should the upload be refused. */
  discard(): void;
};

/**
 * Fields that name a header of a PUT; `acl` and `tagging` have other names there.
 */
const HEADER_FIELDS: ReadonlySet<string> = new Set([
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-md5',
  'content-type',
  'expires',
]);
const AMZ_FIELD = /^x-amz-.*$/;
/**
 * Fields that sign the form; all others that begin with `x-amz-` name a header too.
 */
const SIGNATURE_FIELDS: ReadonlySet<string> = new Set([
  'x-amz-algorithm',
  'x-amz-credential',
  'x-amz-date',
  'x-amz-security-token',
  'x-amz-signature',
]);

/** Stands for the name of the file wherever a field has it. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: the form's own syntax.
const FILE_NAME = '${filename}';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads the form up to its file and proves its policy. A form without a
 * policy is anonymous. Errors: those of openForm, InvalidArgument (a missing field),
 * InvalidPolicyDocument, AccessDenied, InvalidAccessKeyId, SignatureDoesNotMatch.
 */
export async function openPostedForm(
  request: HttpRequest,
  body: ByteSource,
  bucket: string,
  options: Pick<AuthenticatorOptions, 'findAccessKey' | 'nowMs' | 'isSignatureV2On'>,
): Promise<PostedForm> {
  const form = await openForm(request.header('content-type'), body);
  try {
    const fields = readFields(form);
    const key = required(fields, 'key');
    const { principal, signatureVersion, signedAtMs, policy } = await authenticate(fields, options);
    if (policy !== null)
      requireAllowed(
        policy,
        new Map(fields).set('bucket', fields.get('bucket') ?? bucket),
        options.nowMs(),
      );
    if ((fields.get('bucket') ?? bucket) !== bucket) {
      throw new StorageError('AccessDenied', { detail: 'The field bucket names another bucket.' });
    }
    return {
      principal,
      isPresigned: false,
      signatureVersion,
      signedAtMs,
      body: { source: limited(form.file, policy), trailer: () => null, trailerNames: [] },
      key,
      headers: toHeaders(fields),
      fields,
      discard: form.discard,
    };
  } catch (error) {
    form.discard();
    throw error;
  }
}

/**
 * The fields as texts, with the name of the file put in. InvalidArgument for what
 * is no UTF-8. MaxPostPreDataLengthExceededError for what gets too long by the
 * file's name.
 */
function readFields(form: Form): Map<string, string> {
  const fields = new Map<string, string>();
  for (const [name, bytes] of form.fields)
    fields.set(name, withFileName(decodeField(name, bytes), form.fileName));
  return fields;
}

/** A policy that was proven, or none, and by whom. */
type SignedPolicy = Pick<Authenticated, 'principal' | 'signatureVersion' | 'signedAtMs'> & {
  readonly policy: PostPolicy | null;
};

function decodeField(name: string, bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new StorageError('InvalidArgument', {
      detail: 'A field is not valid UTF-8.',
      fields: { ArgumentName: name },
    });
  }
}

/**
 * Replaces `${filename}` in a field by the file's name. No field may grow by that
 * beyond the bound of all fields.
 */
function withFileName(value: string, fileName: string): string {
  const pieces = value.split(FILE_NAME);
  if ((pieces.length - 1) * fileName.length > FIELDS_MAX_BYTES) {
    throw new StorageError('MaxPostPreDataLengthExceededError');
  }
  return pieces.join(fileName);
}

/**
 * Who signed the policy, in either of S3's two ways, and when. The older one signs
 * with SHA-1 and covers no date; the date of the newer one is a field that the
 * policy must name, as any other.
 */
async function authenticate(
  fields: ReadonlyMap<string, string>,
  {
    findAccessKey,
    isSignatureV2On,
  }: Pick<AuthenticatorOptions, 'findAccessKey' | 'isSignatureV2On'>,
): Promise<SignedPolicy> {
  const encoded = fields.get('policy');
  if (encoded === undefined) {
    return {
      principal: { kind: 'anonymous' },
      signatureVersion: null,
      signedAtMs: null,
      policy: null,
    };
  }
  const isV4 = fields.has('x-amz-algorithm') || fields.has('x-amz-credential');
  if (!isV4 && !isSignatureV2On) throw unsupportedMechanism();
  const signature = required(fields, isV4 ? 'x-amz-signature' : 'signature');
  const accessKeyId = isV4
    ? credentialOf(fields).accessKeyId
    : (required(fields, 'awsaccesskeyid') as AccessKeyId);
  const accessKey = await findAccessKey(accessKeyId);
  if (accessKey === null)
    throw new StorageError('InvalidAccessKeyId', { fields: { AWSAccessKeyId: accessKeyId } });
  const isRight = isV4
    ? isSignatureOf(
        deriveSigningKey(accessKey.secret, { ...credentialOf(fields), service: 's3' }),
        encoded,
        signature,
      )
    : isEqualInConstantTime(hmacSha1Base64(accessKey.secret, encoded), signature);
  if (!isRight)
    throw new StorageError('SignatureDoesNotMatch', {
      fields: { AWSAccessKeyId: accessKeyId, StringToSign: encoded },
    });
  const principal = principalOf(accessKey);
  const signatureVersion = isV4 ? 'AWS4-HMAC-SHA256' : 'AWS';
  const time = isV4 ? parseAmzDate(fields.get('x-amz-date') ?? '') : null;
  const signedAtMs = time?.timeMs ?? null;
  return {
    principal,
    signatureVersion,
    signedAtMs,
    policy: parsePostPolicy(decodeBase64(encoded)),
  };
}

function credentialOf(fields: ReadonlyMap<string, string>) {
  const algorithm = required(fields, 'x-amz-algorithm');
  if (algorithm !== 'AWS4-HMAC-SHA256') {
    throw new StorageError('InvalidArgument', {
      detail: 'X-Amz-Algorithm only supports "AWS4-HMAC-SHA256"',
    });
  }
  const credential = parseCredential(required(fields, 'x-amz-credential'));
  if (!('problem' in credential)) return credential;
  throw new StorageError('InvalidArgument', {
    detail: `Error parsing X-Amz-Credential; ${credential.problem}`,
  });
}

function required(fields: ReadonlyMap<string, string>, name: string): string {
  const value = fields.get(name);
  if (value !== undefined) return value;
  throw new StorageError('InvalidArgument', {
    detail:
      `Bucket POST must contain a field named '${name}'. If it is specified, please check ` +
      'the order of the fields.',
    fields: { ArgumentName: name },
  });
}

function decodeBase64(text: string): string {
  try {
    return utf8.decode(Uint8Array.from(atob(text.trim()), (character) => character.charCodeAt(0)));
  } catch {
    throw new StorageError('InvalidPolicyDocument', {
      detail: 'Invalid Policy: it must be Base64 of UTF-8.',
    });
  }
}

/** The file, within what the policy allows. EntityTooLarge, EntityTooSmall. */
function limited(file: ByteSource, policy: PostPolicy | null): ByteSource {
  const { minBytes, maxBytes } =
    policy === null ? { minBytes: 0, maxBytes: PUT_MAX_BYTES } : sizeLimits(policy);
  const most = Math.min(maxBytes, PUT_MAX_BYTES);
  return {
    lengthBytes: null,
    async pump(onChunk) {
      let sizeBytes = 0;
      await file.pump((chunk) => {
        sizeBytes += chunk.length;
        if (sizeBytes > most)
          throw new StorageError('EntityTooLarge', { fields: { MaxSizeAllowed: `${most}` } });
        return onChunk(chunk);
      });
      if (sizeBytes < minBytes) {
        throw new StorageError('EntityTooSmall', {
          fields: { ProposedSize: `${sizeBytes}`, MinSizeAllowed: `${minBytes}` },
        });
      }
    },
  };
}

/**
 * Whether a field stands for a header of a PUT. No header has a line break in its
 * name.
 */
function namesHeader(field: string): boolean {
  return HEADER_FIELDS.has(field) || (AMZ_FIELD.test(field) && !SIGNATURE_FIELDS.has(field));
}

function toHeaders(fields: ReadonlyMap<string, string>): PostedForm['headers'] {
  const headers = new Map<string, string>();
  for (const [name, value] of fields) if (namesHeader(name)) headers.set(name, textToHeader(value));
  const acl = fields.get('acl');
  if (acl !== undefined) headers.set('x-amz-acl', acl);
  const tagging = fields.get('tagging');
  if (tagging !== undefined) headers.set('x-amz-tagging', toTaggingHeader(tagging));
  // The type of the file's part is left out, as S3 leaves it out, and no type is
  // read from the name: a policy that names no type would else let a form choose
  // any.
  if (!headers.has('content-type')) headers.set('content-type', S3_UNKNOWN_TYPE);
  return { header: (name) => headers.get(name) ?? null, headerNames: () => headers.keys() };
}

/** A form has its tags as the XML document of PutObjectTagging. */
function toTaggingHeader(xml: string): string {
  const pairs = Object.entries(readTagging(new TextEncoder().encode(xml), OBJECT_MAX_TAGS));
  return pairs
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&');
}
