// Reads the rule files `_headers` and `_redirects` of a site, whether strangers may
// read them or not. Called by delivery and by check-rule-files.ts.
import type { BucketName, ObjectKey } from '../../domain/nouns.ts';
import { withTimeout } from '../../ports/with-timeout.ts';
import type { Core } from '../core.ts';
import { openBody } from '../objects/read-object.ts';
import { RULE_FILE_MAX_BYTES } from './rule-lines.ts';

/**
 * A rule file; null: there is none. `problem`: why an existing file can't be used.
 */
export type RuleFile = { readonly text: string } | { readonly problem: string } | null;

/**
 * Reads a rule file. ServiceUnavailable when index or blob store take longer than a
 * tier may. Cost: an index call, and a read of the body.
 */
export function readRuleFile(core: Core, bucket: BucketName, key: string): Promise<RuleFile> {
  return withTimeout(core.settings.tierLimitMs, 'index or bucket', () => read(core, bucket, key));
}

async function read(core: Core, bucket: BucketName, key: string): Promise<RuleFile> {
  const { object } = await core.ports.metadataIndex.call(bucket, 'resolve', {
    name: bucket,
    key: key as ObjectKey,
  });
  if (object === null) return null;
  if (object.sizeBytes > RULE_FILE_MAX_BYTES) {
    return {
      problem:
        `the file has ${object.sizeBytes} bytes, ` +
        `and ${RULE_FILE_MAX_BYTES} is the most that is read`,
    };
  }
  const { contentEncoding } = object.headers;
  if (contentEncoding !== undefined && contentEncoding !== 'identity') {
    return {
      problem:
        `the file is stored with Content-Encoding ${contentEncoding}, ` +
        'and only plain text is read',
    };
  }
  if (object.encryption?.kind === 'customer')
    return { problem: 'the file is encrypted with a key that only its writer has' };

  const { body } = await openBody(core, object, { offsetBytes: 0, lengthBytes: object.sizeBytes });
  const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: false });
  if (body === null) return { text: '' };
  if (body instanceof Uint8Array) return { text: decoder.decode(body) };
  let text = '';
  for await (const chunk of body) text += decoder.decode(chunk, { stream: true });
  return { text: text + decoder.decode() };
}
