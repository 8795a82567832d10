// What is said of an object besides its bytes, as JSON: headers, metadata, tags, lock. Schemas, and
// the way from and to core's types; object.ts and uploads.ts use it. Texts are Unicode here, and
// bytes in headers.
import { z } from '@hono/zod-openapi';
import { OBJECT_MAX_TAGS } from '../../../core/limits.ts';
import { toTags } from '../../../core/objects/tags.ts';
import type { ObjectAttributes, ObjectHeaders } from '../../../domain/nouns.ts';
import type { Tags } from '../../../domain/object-facts.ts';
import { headerToText, textToHeader } from '../../../http/semantics/header-text.ts';
import { readObjectAttributes } from '../../../http/semantics/object-headers.ts';

/** S3's bound is of all together, and checked behind this one. */
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

/** What can be set of a new object; null and absent mean none. */
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
 * A change of them: what is absent stays, null takes away; metadata and tags are merged, name by
 * name (RFC 7396).
 */
export const attributesChangeSchema = attributesSchema.extend({
  metadata: z.record(metadataSchema.keyType, TEXT.nullable()).nullable().optional(),
  tags: z.record(tagsSchema.keyType, tagsSchema.valueType.nullable()).nullable().optional(),
});

export type GivenAttributes = z.infer<typeof attributesChangeSchema>;

/** Attributes as the API shows them; null for a header that was not given. */
export function showAttributes({ headers, userMetadata, storageClass }: ObjectAttributes) {
  const of = (name: keyof ObjectHeaders) =>
    headers[name] === undefined ? null : headerToText(headers[name]);
  return {
    ...{ contentType: of('contentType'), cacheControl: of('cacheControl'), expires: of('expires') },
    ...{ contentDisposition: of('contentDisposition'), contentEncoding: of('contentEncoding') },
    ...{
      contentLanguage: of('contentLanguage'),
      websiteRedirectLocation: of('websiteRedirectLocation'),
    },
    metadata: Object.fromEntries(
      Object.entries(userMetadata).map(([name, value]) => [name, headerToText(value)]),
    ),
    storageClass,
  };
}

/**
 * What they come to, where those that are not given stay as `before` has them. Errors: those of
 * readObjectAttributes, which the headers of S3 go through too.
 */
export function toAttributes(
  given: GivenAttributes,
  before: ObjectAttributes | null,
): ObjectAttributes {
  const headers = new Map<string, string>();
  for (const property of PROPERTIES) {
    const value =
      given[property] === undefined
        ? before?.headers[property]
        : textToHeader(given[property] ?? '');
    if (value !== undefined) headers.set(NAMES[property], value);
  }
  // What stays is not decoded: it may be bytes that are no text.
  const metadata = mergeTexts(before?.userMetadata ?? {}, given.metadata, textToHeader);
  for (const [name, value] of Object.entries(metadata)) headers.set(`x-amz-meta-${name}`, value);
  const storageClass = given.storageClass ?? before?.storageClass;
  if (storageClass !== undefined) headers.set('x-amz-storage-class', storageClass);
  return readObjectAttributes({
    header: (name) => headers.get(name) ?? null,
    headerNames: () => headers.keys(),
  });
}

/** What is said of names, laid over those that there are. */
type Texts = Readonly<Record<string, string>>;
type TextsChange = Readonly<Record<string, string | null>> | null | undefined;

function mergeTexts(before: Texts, given: TextsChange, toStored = (text: string) => text): Texts {
  const merged = new Map(given === null ? [] : Object.entries(before));
  for (const [name, value] of Object.entries(given ?? {})) {
    if (value === null) merged.delete(name);
    else merged.set(name, toStored(value));
  }
  return Object.fromEntries(merged);
}

/** The tags with the change laid over them. InvalidTag. */
export function toObjectTags(before: Texts, given: TextsChange): Tags {
  return toTags(Object.entries(mergeTexts(before, given)), OBJECT_MAX_TAGS);
}
