// Headers, metadata and tags of an object as JSON: schemas, and the way from and to
// core's types. object.ts and uploads.ts use it. Texts are Unicode here, and bytes
// in headers.
import { z } from '@hono/zod-openapi';
import { OBJECT_MAX_TAGS } from '../../../core/limits.ts';
import { toTags } from '../../../core/objects/tags.ts';
import type { ObjectEdit } from '../../../domain/keys/key-jobs.ts';
import type { ObjectAttributes, ObjectHeaders } from '../../../domain/nouns.ts';
import type { Tags } from '../../../domain/object-facts.ts';
import { headerToText, textToHeader } from '../../../http/semantics/header-text.ts';
import { readObjectAttributes } from '../../../http/semantics/object-headers.ts';

/**
 * Longest text of one header, characters; S3's bound on all together is checked
 * later.
 */
const TEXT = z.string().max(8192);
const NAMES = {
  contentType: 'content-type',
  cacheControl: 'cache-control',
  contentDisposition: 'content-disposition',
  contentEncoding: 'content-encoding',
  contentLanguage: 'content-language',
  expires: 'expires',
  websiteRedirectLocation: 'x-amz-website-redirect-location',
} as const satisfies Record<keyof ObjectHeaders, string>;
const PROPERTIES = Object.keys(NAMES) as (keyof typeof NAMES)[];

const header = TEXT.nullable();
export const metadataSchema = z
  .record(z.string().regex(/^[a-z0-9!#$%&'*+.^_`|~-]{1,256}$/), TEXT)
  .openapi({
    description: 'User metadata: what S3 calls x-amz-meta-…, without that.',
    example: { camera: 'X100' },
  });
export const tagsSchema = z.record(z.string().max(128), z.string().max(256));
export const storageClassSchema = z.string().regex(/^[A-Z_]{1,32}$/);

/** Attributes that a new object can have; null and absent mean none. */
export const attributesSchema = z
  .strictObject({
    contentType: header,
    cacheControl: header,
    contentDisposition: header,
    contentEncoding: header,
    contentLanguage: header,
    expires: header,
    websiteRedirectLocation: header,
    metadata: metadataSchema,
    storageClass: storageClassSchema,
    tags: tagsSchema,
  })
  .partial();

/**
 * A change of attributes: what is absent stays, null takes away; metadata and tags
 * are merged, name by name (RFC 7396).
 */
export const attributesChangeSchema = attributesSchema.extend({
  metadata: z.record(metadataSchema.keyType, TEXT.nullable()).nullable().optional(),
  tags: z.record(tagsSchema.keyType, tagsSchema.valueType.nullable()).nullable().optional(),
});

export type AttributesChange = z.infer<typeof attributesChangeSchema>;

/** Attributes as the API shows them; null for a header that was not given. */
export function showAttributes({ headers, userMetadata, storageClass }: ObjectAttributes) {
  const textOf = (name: keyof ObjectHeaders) =>
    headers[name] === undefined ? null : headerToText(headers[name]);
  return {
    contentType: textOf('contentType'),
    cacheControl: textOf('cacheControl'),
    expires: textOf('expires'),
    contentDisposition: textOf('contentDisposition'),
    contentEncoding: textOf('contentEncoding'),
    contentLanguage: textOf('contentLanguage'),
    websiteRedirectLocation: textOf('websiteRedirectLocation'),
    metadata: Object.fromEntries(
      Object.entries(userMetadata).map(([name, value]) => [name, headerToText(value)]),
    ),
    storageClass,
  };
}

/**
 * The attributes after a change: what is absent stays as `current` has it. Throws
 * what readObjectAttributes does, which reads the headers of S3 too.
 */
export function toAttributes(
  change: AttributesChange,
  current: ObjectAttributes | null,
): ObjectAttributes {
  const headers = new Map<string, string>();
  for (const property of PROPERTIES) {
    const value =
      change[property] === undefined
        ? current?.headers[property]
        : textToHeader(change[property] ?? '');
    if (value !== undefined) headers.set(NAMES[property], value);
  }
  // What stays is not decoded: it may be bytes that are no text.
  const metadata = mergeTexts(current?.userMetadata ?? {}, change.metadata, textToHeader);
  for (const [name, value] of Object.entries(metadata)) headers.set(`x-amz-meta-${name}`, value);
  const storageClass = change.storageClass ?? current?.storageClass;
  if (storageClass !== undefined) headers.set('x-amz-storage-class', storageClass);
  return readObjectAttributes({
    header: (name) => headers.get(name) ?? null,
    headerNames: () => headers.keys(),
  });
}

type Texts = Readonly<Record<string, string>>;
type TextsChange = Readonly<Record<string, string | null>> | null | undefined;

/** The texts with a change laid over them, name by name. */
function mergeTexts(current: Texts, change: TextsChange, toStored = (text: string) => text): Texts {
  const merged = new Map(change === null ? [] : Object.entries(current));
  for (const [name, value] of Object.entries(change ?? {})) {
    if (value === null) merged.delete(name);
    else merged.set(name, toStored(value));
  }
  return Object.fromEntries(merged);
}

/**
 * The change as a job lays it over many objects. Throws what readObjectAttributes
 * does; InvalidTag.
 */
export function toEdit({ tags, metadata, storageClass, ...headers }: AttributesChange): ObjectEdit {
  const checked = toAttributes({ ...headers, metadata, storageClass }, null);
  toObjectTags({}, tags);
  const changed = PROPERTIES.flatMap((property) =>
    headers[property] === undefined ? [] : [[property, checked.headers[property] ?? null] as const],
  );
  const stored = Object.entries(metadata ?? {}).map(
    ([name, value]) =>
      [name, value === null ? null : (checked.userMetadata[name] ?? null)] as const,
  );
  return {
    headers: Object.fromEntries(changed),
    ...(metadata === undefined
      ? {}
      : { metadata: metadata === null ? null : Object.fromEntries(stored) }),
    ...(tags === undefined ? {} : { tags }),
    ...(storageClass === undefined ? {} : { storageClass }),
  };
}

/** The tags with the change laid over them. InvalidTag. */
export function toObjectTags(current: Texts, change: TextsChange): Tags {
  return toTags(Object.entries(mergeTexts(current, change)), OBJECT_MAX_TAGS);
}
