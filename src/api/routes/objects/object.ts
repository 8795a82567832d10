// One object as a console's side panel shows it: a version with all its facts,
// changed, deleted or made current again. The history of a key is in
// object-history.ts; bytes go by presign.ts.
import { z } from '@hono/zod-openapi';
import { deleteObjects } from '../../../core/objects/delete-objects.ts';
import { makeCurrent } from '../../../core/objects/replace-attributes.ts';
import { updateVersion } from '../../../core/objects/update-version.ts';
import type { BucketHandle } from '../../../core/opened-bucket/bucket-handle.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { BucketRecord, ObjectKey, ObjectVersion, VersionName } from '../../../domain/nouns.ts';
import type { VersionChange } from '../../../domain/object-facts.ts';
import { everyoneMayRead, toPointer } from '../../../domain/pointer.ts';
import { versionNameOf } from '../../../http/s3/formats/version-name.ts';
import { type Api, type ApiContext, callOf, type SignedInCall } from '../../routing/api-call.ts';
import { apiRoute, changeRoute, jsonBody, jsonResponse } from '../../routing/api-route.ts';
import { etagOfState, jsonWithEtag, requireMatch } from '../../routing/etag.ts';
import { openBucketOf } from '../../routing/open-bucket.ts';
import { publicUrlOf } from '../../routing/public-url.ts';
import { bucketParams, keySchema, objectSchema, versionIdSchema } from '../../schemas/object.ts';
import { isoTime } from '../../schemas/time.ts';
import {
  attributesChangeSchema,
  attributesSchema,
  showAttributes,
  tagsSchema,
  toAttributes,
  toObjectTags,
} from './object-attributes.ts';
import {
  bypassQuery,
  lockChange,
  mayBypass,
  retentionSchema,
  showLock,
  toLockChange,
} from './object-lock.ts';

const TAGS = ['Objects'];

const detailSchema = objectSchema
  .extend({
    versionId: z.string(),
    isLatest: z.boolean(),
    ...attributesSchema.omit({ tags: true }).required().shape,
    tags: tagsSchema,
    checksum: z.object({ algorithm: z.string(), type: z.string(), value: z.string() }).nullable(),
    parts: z
      .number()
      .int()
      .nullable()
      .openapi({ description: 'Count of the parts of a multipart upload.' }),
    encryption: z
      .object({ kind: z.enum(['customer', 'server', 'named']), keyId: z.string().nullable() })
      .nullable(),
    retention: retentionSchema.nullable(),
    legalHold: z.boolean(),
    everyoneMayRead: z.enum(['yes', 'no', 'ask']).openapi({
      description: 'Whether strangers may; `ask`: the policy decides with each request.',
    }),
    publicUrl: z
      .string()
      .nullable()
      .openapi({ description: 'Where strangers find it, if they may read it.' }),
  })
  .openapi('ObjectDetail');
const changeSchema = attributesChangeSchema.extend(lockChange).openapi('ObjectChange');
const objectQuery = { key: keySchema, versionId: versionIdSchema.optional() };

function showObject(
  call: SignedInCall,
  record: BucketRecord,
  object: ObjectVersion,
  isLatest: boolean,
) {
  const { checksum, lock, parts } = object;
  const readable = isLatest ? everyoneMayRead(record.access, object.key, toPointer(object)) : 'no';
  return {
    key: object.key as string,
    versionId: versionNameOf(object) as string,
    isLatest,
    size: `${object.sizeBytes}`,
    etag: object.etag,
    lastModified: isoTime(object.lastModifiedMs),
    ...showAttributes(object),
    tags: { ...object.tags },
    checksum: checksum === null ? null : { ...checksum },
    parts: parts?.length ?? null,
    encryption: showEncryption(object),
    ...showLock(lock),
    everyoneMayRead: readable,
    publicUrl: readable === 'no' ? null : publicUrlOf(call, record, object.key),
  };
}

function showEncryption({ encryption }: ObjectVersion) {
  if (encryption === null) return null;
  const { kind } = encryption;
  return { kind, keyId: kind === 'named' ? encryption.keyId : null };
}

/**
 * The version of that name. NoSuchKey, NoSuchVersion; MethodNotAllowed for a delete
 * marker.
 */
async function findVersion(bucket: BucketHandle, key: string, versionId: string | undefined) {
  const name = (versionId ?? null) as VersionName | null;
  const entry = await bucket.call('getVersion', { key: key as ObjectKey, versionId: name });
  if (entry?.kind === 'object') return { object: entry.object, isLatest: entry.isLatest };

  const fields = { Key: key };
  if (entry === null)
    throw new StorageError(name === null ? 'NoSuchKey' : 'NoSuchVersion', { fields });
  throw new StorageError(name === null ? 'NoSuchKey' : 'MethodNotAllowed', {
    fields: { ...fields, Allow: 'DELETE' },
  });
}

export function addObjectDetailRoutes(api: Api): void {
  addDetail(api);
  addChange(api);
  addDeletion(api);
  addRestore(api);
}

/**
 * Responds with the ETag of all that is shown: other tags or another lock are
 * another state.
 */
function respondDetail(c: ApiContext, detail: ReturnType<typeof showObject>) {
  return jsonWithEtag(c, etagOfState(detail), detail, 200);
}

function addDetail(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/buckets/{bucket}/object',
      operationId: 'getObject',
      summary: 'All that is known of an object, or of a version of it',
      tags: TAGS,
      access: 'objects:read',
      request: { params: bucketParams, query: z.strictObject(objectQuery) },
      responses: { 200: jsonResponse(detailSchema, 'The object') },
    }),
    async (c) => {
      const call = callOf(c);
      const { key, versionId } = c.req.valid('query');
      const bucket = await openBucketOf(call, c.req.valid('param').bucket, 'objects:read');
      const { object, isLatest } = await findVersion(bucket, key, versionId);
      return respondDetail(c, showObject(call, bucket.record(), object, isLatest));
    },
  );
}

function addChange(api: Api): void {
  api.openapi(
    changeRoute({
      method: 'patch',
      path: '/buckets/{bucket}/object',
      operationId: 'updateObject',
      summary:
        'Change headers, metadata, tags or lock of an object; ' +
        'what is absent stays, and no byte moves',
      description:
        'Metadata, tags and retention are merged (RFC 7396): null takes away. ' +
        'Tags and lock change where they stand, of any version. ' +
        'Headers, metadata and storage class make a new version, as copying does; ' +
        'only the current one can be changed so.',
      tags: TAGS,
      access: 'objects:write',
      request: { params: bucketParams, query: z.strictObject(objectQuery) },
      change: changeSchema,
      changed: detailSchema,
      outcome: 'Changed',
    }),
    async (c) => {
      const call = callOf(c);
      const { key, versionId } = c.req.valid('query');
      const bucket = await openBucketOf(call, c.req.valid('param').bucket, 'objects:write');
      const { object, isLatest } = await findVersion(bucket, key, versionId);
      requireMatch(c, etagOfState(showObject(call, bucket.record(), object, isLatest)));

      const changed = await changeObject(call, bucket, { object, isLatest }, c.req.valid('json'));
      return respondDetail(c, showObject(call, bucket.record(), changed, isLatest));
    },
  );
}

/**
 * Changes one version. Headers, metadata and storage class make a new one; tags and
 * lock change where they stand.
 */
async function changeObject(
  call: SignedInCall,
  bucket: BucketHandle,
  { object, isLatest }: { readonly object: ObjectVersion; readonly isLatest: boolean },
  change: z.infer<typeof changeSchema>,
): Promise<ObjectVersion> {
  const { tags: tagsChange, retention, legalHold, bypassGovernance, ...attributes } = change;
  const tags = tagsChange === undefined ? {} : { tags: toObjectTags(object.tags, tagsChange) };
  const retained = object.lock?.retention ?? null;
  const lock = toLockChange(call, bucket.record(), retained, { retention, legalHold });

  const makesVersion = Object.keys(attributes).length > 0;
  if (makesVersion && !isLatest) {
    throw new StorageError('InvalidInput', {
      detail: 'Of an older version only tags and lock can be changed.',
    });
  }
  const requested = { ...toAttributes(attributes, object), ...tags };
  const version = makesVersion
    ? await makeCurrent(call.core, bucket, object, requested, object.etag)
    : object;

  const versionChange: VersionChange = { ...lock, ...(makesVersion ? {} : tags) };
  if (Object.keys(versionChange).length === 0) return version;
  return await updateVersion(call.core, bucket, {
    key: version.key,
    versionId: versionNameOf(version),
    change: versionChange,
    bypassGovernance: mayBypass(call, bypassGovernance),
  });
}

function addDeletion(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'delete',
      path: '/buckets/{bucket}/object',
      operationId: 'deleteObject',
      summary: 'Delete an object, or one version of it for good',
      description: 'Many at once, and with undo: jobs.',
      tags: TAGS,
      access: 'objects:write',
      request: {
        params: bucketParams,
        query: z.strictObject({
          ...objectQuery,
          bypassGovernance: bypassQuery,
        }),
      },
      responses: {
        200: jsonResponse(
          z.object({
            deleteMarkerId: z
              .string()
              .nullable()
              .openapi({ description: 'The marker that hides the object now.' }),
          }),
          'Deleted, or there was none',
        ),
      },
    }),
    async (c) => {
      const call = callOf(c);
      const { key, versionId, bypassGovernance: bypass } = c.req.valid('query');
      const bucket = await openBucketOf(call, c.req.valid('param').bucket, 'objects:write');
      const target = {
        key: key as ObjectKey,
        versionId: (versionId ?? null) as VersionName | null,
      };
      const bypassGovernance = mayBypass(call, bypass === '1');
      const [deleted] = await deleteObjects(call.core, bucket, [target], { bypassGovernance });
      if (deleted?.refusal === 'AccessDenied') {
        throw new StorageError('AccessDenied', { detail: 'The version is locked.' });
      }
      const marker = deleted?.marker ?? null;
      return c.json({ deleteMarkerId: marker === null ? null : versionNameOf(marker) }, 200);
    },
  );
}

function addRestore(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'post',
      path: '/buckets/{bucket}/object/restore',
      operationId: 'restoreVersion',
      summary: 'Make an older version the current one again, as a new version of the same bytes',
      tags: TAGS,
      access: 'objects:write',
      request: {
        params: bucketParams,
        body: jsonBody(z.strictObject({ key: keySchema, versionId: versionIdSchema })),
      },
      responses: { 200: jsonResponse(detailSchema, 'The object') },
    }),
    async (c) => {
      const call = callOf(c);
      const { key, versionId } = c.req.valid('json');
      const bucket = await openBucketOf(call, c.req.valid('param').bucket, 'objects:write');
      const { object, isLatest } = await findVersion(bucket, key, versionId);
      const made = isLatest ? object : await makeCurrent(call.core, bucket, object, {}, null);
      return respondDetail(c, showObject(call, bucket.record(), made, true));
    },
  );
}
