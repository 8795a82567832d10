// One object as a console's side panel shows it: all that is known of a version, changed, deleted,
// made current again. The history of a key is in object-history.ts; bytes go by presign.ts.
import { z } from '@hono/zod-openapi';
import type { BucketHandle } from '../../../core/buckets/bucket-handle.ts';
import { deleteObjects } from '../../../core/objects/delete-objects.ts';
import { makeCurrent } from '../../../core/objects/replace-attributes.ts';
import { updateVersion } from '../../../core/objects/update-version.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { BucketRecord, ObjectKey, ObjectVersion, VersionName } from '../../../domain/nouns.ts';
import type { ObjectLock, VersionChange } from '../../../domain/object-facts.ts';
import { everyoneMayRead, toPointer } from '../../../domain/pointer.ts';
import { versionNameOf } from '../../../http/s3/formats/version-name.ts';
import { requireLockableBucket } from '../../../http/s3/headers/object-lock-headers.ts';
import { type Api, type ApiContext, callOf, type SignedInCall } from '../../routing/api-call.ts';
import { apiRoute, jsonBody, jsonResponse } from '../../routing/api-route.ts';
import { etagOfState, ifMatchHeader, requireMatch } from '../../routing/etag.ts';
import { openBucketOf } from '../../routing/open-bucket.ts';
import { serviceOrigin } from '../../routing/service-origin.ts';
import { isoTime, timeSchema } from '../../schemas/time.ts';
import {
  attributesChangeSchema,
  attributesSchema,
  showAttributes,
  tagsSchema,
  toAttributes,
  toObjectTags,
} from './object-attributes.ts';
import { bucketParams, keySchema, objectSchema, versionIdSchema } from './object-schemas.ts';

const TAGS = ['Objects'];

const retentionSchema = z
  .strictObject({ mode: z.enum(['GOVERNANCE', 'COMPLIANCE']), until: timeSchema })
  .openapi('Retention');
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
      .openapi({ description: 'Of an object that came by multipart upload.' }),
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
const changeSchema = attributesChangeSchema
  .extend({
    retention: retentionSchema.partial().nullable().optional(),
    legalHold: z.boolean().optional(),
    bypassGovernance: z
      .boolean()
      .default(false)
      .openapi({ description: 'Owners and admins alone.' }),
  })
  .openapi('ObjectChange');
const objectQuery = { key: keySchema, versionId: versionIdSchema.optional() };

function showObject(
  call: SignedInCall,
  record: BucketRecord,
  object: ObjectVersion,
  isLatest: boolean,
) {
  const { checksum, encryption, lock, parts } = object;
  const retention = lock?.retention ?? null;
  const readable = isLatest ? everyoneMayRead(record.access, object.key, toPointer(object)) : 'no';
  const { request } = call;
  const path = `${record.name}/${object.key.split('/').map(encodeURIComponent).join('/')}`;
  return {
    ...{ key: object.key as string, versionId: versionNameOf(object) as string, isLatest },
    ...{
      size: `${object.sizeBytes}`,
      etag: object.etag,
      lastModified: isoTime(object.lastModifiedMs),
    },
    ...showAttributes(object),
    tags: { ...object.tags },
    checksum: checksum === null ? null : { ...checksum },
    parts: parts?.length ?? null,
    encryption:
      encryption === null
        ? null
        : { kind: encryption.kind, keyId: encryption.kind === 'named' ? encryption.keyId : null },
    retention:
      retention === null ? null : { mode: retention.mode, until: isoTime(retention.untilMs) },
    legalHold: lock?.hasLegalHold === true,
    everyoneMayRead: readable,
    publicUrl: readable === 'no' ? null : `${serviceOrigin(request)}/${path}`,
  };
}

/** NoSuchKey, NoSuchVersion; MethodNotAllowed for a delete marker. */
async function findVersion(bucket: BucketHandle, key: string, versionId: string | undefined) {
  const name = (versionId ?? null) as VersionName | null;
  const found = await bucket.call('getVersion', { key: key as ObjectKey, versionId: name });
  if (found?.kind === 'object') return { object: found.object, isLatest: found.isLatest };
  const fields = { Key: key };
  if (found === null)
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

/** With the tag of what is shown: another version, other tags, another lock are another state. */
function answerDetail(c: ApiContext, detail: ReturnType<typeof showObject>) {
  c.header('etag', etagOfState(detail));
  return c.json(detail, 200);
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
      return answerDetail(c, showObject(call, bucket.record(), object, isLatest));
    },
  );
}

function addChange(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'patch',
      path: '/buckets/{bucket}/object',
      operationId: 'updateObject',
      summary:
        'Change headers, metadata, tags or lock of an object; what is absent stays, and no byte moves',
      description:
        'Metadata, tags and retention are merged (RFC 7396): null takes away. Tags and lock change where they stand, of any version. Headers, metadata and storage class make a new version, as copying does; only the current one can be changed so.',
      tags: TAGS,
      access: 'objects:write',
      request: {
        params: bucketParams,
        query: z.strictObject(objectQuery),
        headers: ifMatchHeader,
        body: jsonBody(changeSchema),
      },
      responses: { 200: jsonResponse(detailSchema, 'Changed') },
    }),
    async (c) => {
      const call = callOf(c);
      const { key, versionId } = c.req.valid('query');
      const given = c.req.valid('json');
      const bucket = await openBucketOf(call, c.req.valid('param').bucket, 'objects:write');
      const { object, isLatest } = await findVersion(bucket, key, versionId);
      requireMatch(c, etagOfState(showObject(call, bucket.record(), object, isLatest)));
      const { tags: givenTags, retention, legalHold, bypassGovernance, ...attributes } = given;
      const tags = givenTags === undefined ? undefined : toObjectTags(object.tags, givenTags);
      const lock = toLock(call, bucket.record(), object.lock?.retention ?? null, {
        retention,
        legalHold,
      });
      const isNew = Object.keys(attributes).length > 0;
      if (isNew && !isLatest) {
        throw new StorageError('InvalidInput', {
          detail: 'Of an older version only tags and lock can be changed.',
        });
      }
      const wish = { ...toAttributes(attributes, object), ...(tags === undefined ? {} : { tags }) };
      const made = isNew ? await makeCurrent(call.core, bucket, object, wish, object.etag) : object;
      const change: VersionChange = { ...lock, ...(isNew || tags === undefined ? {} : { tags }) };
      const changed =
        Object.keys(change).length === 0
          ? made
          : await update(call, bucket, made, change, bypassGovernance);
      return answerDetail(c, showObject(call, bucket.record(), changed, isLatest));
    },
  );
}

type Retention = NonNullable<ObjectLock['retention']>;

function toLock(
  call: SignedInCall,
  record: BucketRecord,
  before: Retention | null,
  { retention, legalHold }: Pick<z.infer<typeof changeSchema>, 'retention' | 'legalHold'>,
): VersionChange {
  if (retention === undefined && legalHold === undefined) return {};
  requireLockableBucket(record);
  return {
    ...(retention === undefined
      ? {}
      : { retention: retention === null ? null : toRetention(call, before, retention) }),
    ...(legalHold === undefined ? {} : { hasLegalHold: legalHold }),
  };
}

/**
 * The retention with the change laid over it. InvalidInput where half of it is missing, and for an
 * end that is past.
 */
function toRetention(
  call: SignedInCall,
  before: Retention | null,
  given: NonNullable<z.infer<typeof changeSchema>['retention']>,
): Retention {
  const mode = given.mode ?? before?.mode;
  const untilMs = given.until === undefined ? before?.untilMs : Date.parse(given.until);
  if (mode === undefined || untilMs === undefined) {
    throw new StorageError('InvalidInput', { detail: 'A retention needs `mode` and `until`.' });
  }
  if (untilMs <= call.core.ports.clock.nowMs()) {
    throw new StorageError('InvalidInput', { detail: 'A retention ends in the future.' });
  }
  return { mode, untilMs };
}

function update(
  call: SignedInCall,
  bucket: BucketHandle,
  version: ObjectVersion,
  change: VersionChange,
  bypass: boolean,
): Promise<ObjectVersion> {
  const versionId = versionNameOf(version);
  return updateVersion(call.core, bucket, {
    key: version.key,
    versionId,
    change,
    bypassGovernance: mayBypass(call, bypass),
  });
}

/** AccessDenied for whoever asks and may not. */
function mayBypass({ caller }: SignedInCall, isAsked: boolean): boolean {
  if (isAsked && caller.role !== 'owner' && caller.role !== 'admin') {
    throw new StorageError('AccessDenied', {
      detail: 'Only owners and admins override a retention.',
    });
  }
  return isAsked;
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
          bypassGovernance: z
            .enum(['0', '1'])
            .default('0')
            .openapi({ description: 'Owners and admins alone.' }),
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
      const asked = { key: key as ObjectKey, versionId: (versionId ?? null) as VersionName | null };
      const bypassGovernance = mayBypass(call, bypass === '1');
      const [deleted] = await deleteObjects(call.core, bucket, [asked], { bypassGovernance });
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
      return answerDetail(c, showObject(call, bucket.record(), made, true));
    },
  );
}
