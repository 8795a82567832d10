// RestoreObject: brings back what S3 has archived. Nothing here ever is, whatever
// class an object says, so every request that is well-formed gets the error of S3
// for a class that needs no restore. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_RestoreObject.html
import type { Core } from '../../../../core/core.ts';
import { SETTING_MAX_BYTES } from '../../../../core/limits.ts';
import { StorageError } from '../../../../domain/errors.ts';
import type { VersionCall } from '../../call/call.ts';
import { readDocument } from '../../call/read-document.ts';
import { readFields, refuseElement, textOf } from '../../formats/documents.ts';
import { malformed, readXml } from '../../formats/xml-read.ts';

const TIERS: ReadonlySet<string> = new Set(['Standard', 'Bulk', 'Expedited']);

/**
 * InvalidObjectState; before it MalformedXML, NotImplemented (SELECT), BadDigest.
 */
export async function answerRestoreObject(call: VersionCall, _core: Core): Promise<never> {
  readRestoreRequest(await readDocument(call, SETTING_MAX_BYTES));
  throw new StorageError('InvalidObjectState', {
    fields: { StorageClass: call.version.storageClass },
  });
}

/** A request for some days, by one of three speeds. An empty body is none. */
function readRestoreRequest(bytes: Uint8Array): void {
  const root = readXml(bytes, 'RestoreRequest');
  const fields = readFields(root, {
    Days: 'one',
    GlacierJobParameters: 'one',
    Tier: 'one',
    Description: 'one',
    Type: 'one',
    SelectParameters: 'one',
    OutputLocation: 'one',
  });
  for (const name of ['Type', 'SelectParameters', 'OutputLocation'] as const)
    refuseElement(root.name, fields[name]);
  if (fields.Days !== null && !/^[1-9]\d{0,8}$/.test(textOf(fields.Days).trim())) {
    throw malformed('Days must be a whole number of 1 or more.');
  }
  const job = fields.GlacierJobParameters;
  for (const tier of [fields.Tier, job === null ? null : readFields(job, { Tier: 'one' }).Tier]) {
    if (tier !== null && !TIERS.has(textOf(tier).trim()))
      throw malformed('Tier must be Standard, Bulk or Expedited.');
  }
}
