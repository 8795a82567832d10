// Reads `_headers` or `_redirects` of a site. For our own use: whether strangers may read the file plays no part.
import type { BucketName, ObjectKey } from '../../ports/domain.ts';
import type { Core } from '../core.ts';
import { openBody } from '../objects/read-object.ts';
import { RULE_FILE_MAX_BYTES } from './rule-lines.ts';

/** Its text, null when there is none or it is too large to be read. Cost: an index call, and a read of the body. */
export async function readRuleFile(core: Core, bucket: BucketName, key: string): Promise<string | null> {
  const { object } = await core.ports.metadataIndex.call(bucket, 'resolve', { name: bucket, key: key as ObjectKey });
  if (object === null || object.sizeBytes > RULE_FILE_MAX_BYTES) return null;
  const { body } = await openBody(core, object, { offsetBytes: 0, lengthBytes: object.sizeBytes });
  const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: false });
  if (body === null) return '';
  if (body instanceof Uint8Array) return decoder.decode(body);
  let text = '';
  for await (const chunk of body) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}
