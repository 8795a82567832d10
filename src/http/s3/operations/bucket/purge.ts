// Purges of what readers keep, requested by the owner: POST of a bucket with
// `?purge` and a JSON document. No operation of S3; it stands here because owners
// sign it as they sign all others. Its right is s3:PutBucketWebsite, like that of
// the other settings of a site, because policies know S3's actions only. What a
// purge does is core/buckets/purge.ts's.
import { purge } from '../../../../core/buckets/purge.ts';
import type { Core } from '../../../../core/core.ts';
import { KEY_MAX_BYTES, PURGE_MAX_BYTES, PURGE_MAX_SCOPES } from '../../../../core/limits.ts';
import { StorageError } from '../../../../domain/errors.ts';
import type { PurgeScope } from '../../../../domain/purge.ts';
import type { BucketCall, S3Response } from '../../call/call.ts';
import { readDocument } from '../../call/read-document.ts';

/** Lists of the document, and what each of their texts is. */
const LISTS = { keys: 'key', prefixes: 'prefix', tags: 'tag' } as const;

/**
 * `{"keys": […], "prefixes": […], "tags": […]}`, or `{"everything": true}`; answers
 * 200 with the receipt `{"id", "floor", "freshBy"}`. Errors: InvalidRequest,
 * MaxMessageLengthExceeded. Cost: one commit.
 */
export async function answerPurge(call: BucketCall, core: Core): Promise<S3Response> {
  const scopes = readScopes(await readDocument(call, PURGE_MAX_BYTES));
  const { id, floor, freshByMs } = await purge(core, call.bucket, scopes);
  const receipt = { id, floor, freshBy: new Date(freshByMs).toISOString() };
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: `${JSON.stringify(receipt)}\n`,
  };
}

function readScopes(bytes: Uint8Array): readonly PurgeScope[] {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes));
  } catch (cause) {
    throw refusal('The purge must be JSON in UTF-8.', cause);
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw refusal('The purge must be an object.');
  const { everything = false, ...lists } = json as Record<string, unknown>;
  if (typeof everything !== 'boolean') throw refusal('everything must be true or false.');
  const scopes = Object.entries(lists).flatMap(([name, values]) => readList(name, values));
  if (everything) scopes.push({ scope: 'bucket' });
  if (scopes.length === 0)
    throw refusal('The purge names nothing: give keys, prefixes, tags or everything.');
  if (scopes.length > PURGE_MAX_SCOPES)
    throw refusal(`A purge names at most ${PURGE_MAX_SCOPES} things.`);
  return scopes;
}

function readList(name: string, values: unknown): PurgeScope[] {
  if (!Object.hasOwn(LISTS, name))
    throw refusal(`${name.slice(0, 40)} is nothing that can be purged.`);
  const scope = LISTS[name as keyof typeof LISTS];
  const isText = (value: unknown) =>
    typeof value === 'string' &&
    value !== '' &&
    new TextEncoder().encode(value).length <= KEY_MAX_BYTES;
  if (!Array.isArray(values) || !values.every(isText)) {
    throw refusal(`${name} must be a list of texts of 1 to ${KEY_MAX_BYTES} bytes.`);
  }
  return values.map((value: string) => ({ scope, value }));
}

function refusal(detail: string, cause?: unknown): StorageError {
  return new StorageError('InvalidRequest', cause === undefined ? { detail } : { detail, cause });
}
