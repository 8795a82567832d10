// UpdateObjectEncryption: what the server encrypts is put under another KMS key,
// where it stands. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_UpdateObjectEncryption.html;
// texts of errors are S3's.
import type { Core } from '../../../../core/core.ts';
import type { RequestedEncryption } from '../../../../core/encryption/envelope.ts';
import { isKmsKeyId } from '../../../../core/encryption/kms-keys.ts';
import { SETTING_MAX_BYTES } from '../../../../core/limits.ts';
import { changeEncryption } from '../../../../core/objects/change-encryption.ts';
import { hasCode, StorageError } from '../../../../domain/errors.ts';
import { emptyResponse, type S3Response, type VersionCall } from '../../call/call.ts';
import { readDocument } from '../../call/read-document.ts';
import { readFields, textOf } from '../../formats/documents.ts';
import { readXml } from '../../formats/xml-read.ts';

type KmsEncryption = Extract<RequestedEncryption, { kind: 'named' }> & { readonly keyId: string };

const refused = (detail: string) => new StorageError('InvalidRequest', { detail });

/**
 * Puts the data key of a version under another KMS key. Errors: MalformedXML,
 * InvalidRequest, those of readDocument and changeEncryption. Cost: one commit.
 */
export async function answerUpdateObjectEncryption(
  call: VersionCall,
  core: Core,
): Promise<S3Response> {
  const requested = readRequestedKey(await readDocument(call, SETTING_MAX_BYTES));
  await change(call, core, requested);
  return emptyResponse(200);
}

/**
 * ARN of a key: its end is the key's name, unless a key has all of it for a name.
 */
const KEY_ARN = /^arn:aws[-a-z0-9]*:kms:[-a-z0-9]*:\d{12}:key\/(.+)$/;

async function change(call: VersionCall, core: Core, requested: KmsEncryption): Promise<void> {
  const [, name] = KEY_ARN.exec(requested.keyId) ?? [];
  try {
    await changeEncryption(core, call.bucket, call.version, requested);
  } catch (error) {
    const isUnknown = hasCode(error, 'KMS.NotFoundException');
    if (!isUnknown || name === undefined) throw error;
    await changeEncryption(core, call.bucket, call.version, { ...requested, keyId: name });
  }
}

function readRequestedKey(bytes: Uint8Array): KmsEncryption {
  const root = readXml(bytes, 'ObjectEncryption');
  const kms = readFields(root, { 'SSE-KMS': 'one' })['SSE-KMS'];
  if (kms === null) {
    throw refused(
      'Requests that modify an object encryption configuration require a valid new ' +
        'encryption type. Valid values are SSEKMS. Modify the request to specify SSE-KMS for ' +
        'the updated encryption type, and then try again.',
    );
  }
  const { KMSKeyArn, BucketKeyEnabled } = readFields(kms, {
    KMSKeyArn: 'one',
    BucketKeyEnabled: 'one',
  });
  const keyId = KMSKeyArn === null ? '' : textOf(KMSKeyArn).trim();
  if (!isKmsKeyId(keyId)) {
    throw refused(
      "Requests that modify an object's encryption type to SSE-KMS require a valid KMS " +
        'key. Confirm that you have a correctly formatted KMS key in your request, and then ' +
        'try again.',
    );
  }
  const isBucketKey =
    BucketKeyEnabled === null ? 'false' : textOf(BucketKeyEnabled).trim().toLowerCase();
  if (isBucketKey !== 'true' && isBucketKey !== 'false') {
    throw refused("The BucketKeyEnabled value isn't valid. Valid values are true or false.");
  }
  return {
    kind: 'named',
    keyId,
    isDoubled: false,
    isBucketKey: isBucketKey === 'true',
    context: null,
  };
}
