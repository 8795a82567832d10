// Schemas of routes about share links.
import { z } from '@hono/zod-openapi';
import {
  LABEL_ID_LENGTH,
  LINK_ADDRESSES_MAX,
  LINK_COUNTRIES_MAX,
  LINK_DOWNLOADS_MAX,
  LINK_FILE_NAME_MAX_BYTES,
  LINK_KEYS_MAX,
  LINK_KEYS_MAX_BYTES,
  LINK_NOTE_MAX_LENGTH,
  LINK_PASSWORD_MAX_LENGTH,
  LINK_PASSWORD_MIN_LENGTH,
  LINK_TEXT_MAX_LENGTH,
  LINK_TITLE_MAX_LENGTH,
} from '../../domain/links/link-limits.ts';
import { fileNameSchema, keySchema, versionIdSchema } from './object.ts';
import { timeSchema } from './time.ts';

const linkIdSchema = z.string().regex(/^[A-Za-z0-9_-]{22}$/);
const bucketName = z.string().min(1).max(255);

export const linkParams = z.strictObject({ bucket: bucketName, linkId: linkIdSchema });
export const labelParams = z.strictObject({
  bucket: bucketName,
  linkId: linkIdSchema,
  labelId: z
    .string()
    .regex(/^[A-Za-z0-9_-]+$/)
    .length(LABEL_ID_LENGTH),
});

const encoder = new TextEncoder();
/** A text of people: no lone surrogates, no controls but ends of lines and tabs. */
const textOf = (max: number) =>
  z
    .string()
    .max(max)
    .refine((text) => text.isWellFormed() && !/[^\P{Cc}\n\r\t]/u.test(text), 'not a text');
const lineOf = (max: number) =>
  z
    .string()
    .max(max)
    .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), 'not a line of text');

/** A whole number of bytes or of millionths, as text: they may pass 2^53 elsewhere. */
const quantitySchema = z
  .string()
  .regex(/^[1-9]\d{0,14}$/)
  .openapi({ example: '1048576' });

export const folderSchema = z
  .string()
  .max(1024)
  .refine((prefix) => prefix === '' || prefix.endsWith('/'), "must end in a slash, or be ''")
  .refine((prefix) => prefix.isWellFormed() && encoder.encode(prefix).length <= 1024, 'too long');

const targetSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('object'),
      key: keySchema,
      versionId: versionIdSchema.nullable().default(null).openapi({
        description: 'Null: whatever the key stands for when somebody reads it.',
      }),
    }),
    z.strictObject({
      kind: z.literal('folder'),
      prefix: folderSchema.openapi({ description: "Ends in a slash; '' is the whole bucket." }),
    }),
    z.strictObject({
      kind: z.literal('keys'),
      keys: z
        .array(keySchema)
        .min(1)
        .max(LINK_KEYS_MAX)
        .refine(
          (keys) => encoder.encode(keys.join('')).length <= LINK_KEYS_MAX_BYTES,
          `at most ${LINK_KEYS_MAX_BYTES} bytes in all`,
        ),
    }),
  ])
  .openapi('ShareTarget');

export const limitsSchema = z
  .strictObject({
    downloads: z.number().int().min(1).max(LINK_DOWNLOADS_MAX).nullable().default(null),
    bytes: quantitySchema.nullable().default(null),
    moneyMicro: quantitySchema
      .nullable()
      .default(null)
      .openapi({
        description:
          'What its traffic may cost by the rate card of the account when this is set, ' +
          'in millionths of its currency.',
      }),
  })
  .openapi('ShareLimits', { description: 'Null: no limit of that kind.' });

export const audienceSchema = z
  .strictObject({
    addresses: z.array(z.string().max(64)).min(1).max(LINK_ADDRESSES_MAX).nullable().default(null),
    countries: z
      .array(z.string().regex(/^[A-Z]{2}$/))
      .min(1)
      .max(LINK_COUNTRIES_MAX)
      .nullable()
      .default(null)
      .openapi({
        description: 'ISO 3166-1. Where nobody can tell the country, nobody gets in.',
      }),
  })
  .openapi('ShareAudience', { description: 'Null: everybody.' });

export const pageSchema = z
  .strictObject({
    title: lineOf(LINK_TITLE_MAX_LENGTH).nullable().default(null),
    text: textOf(LINK_TEXT_MAX_LENGTH).nullable().default(null).openapi({
      description: 'Markdown.',
    }),
    logoKey: keySchema.nullable().default(null).openapi({
      description: 'An image of the bucket, up to 1 MiB.',
    }),
    colour: z
      .string()
      .regex(/^#[0-9a-f]{6}$/)
      .nullable()
      .default(null),
    mode: z.enum(['preview', 'download', 'view']).default('preview').openapi({
      description: '`view` offers no download; whoever sees something can keep it all the same.',
    }),
    fileName: fileNameSchema
      .refine((name) => encoder.encode(name).length <= LINK_FILE_NAME_MAX_BYTES, 'too long')
      .refine((name) => !name.includes('/'), 'no path')
      .nullable()
      .default(null)
      .openapi({ description: 'For the one object of a link; null: the name of its key.' }),
  })
  .openapi('SharePage');

/** What can be said of a link when it is made, and changed later. */
export const shareFields = {
  notBefore: timeSchema.nullable(),
  expiresAt: timeSchema.nullable(),
  password: z
    .string()
    .min(LINK_PASSWORD_MIN_LENGTH)
    .max(LINK_PASSWORD_MAX_LENGTH)
    .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), 'not a line of text')
    .nullable(),
  limits: limitsSchema,
  audience: audienceSchema,
  page: pageSchema,
  note: textOf(LINK_NOTE_MAX_LENGTH),
  cutsRunning: z.boolean().openapi({
    description: 'Whether downloads under way are cut when the link is revoked.',
  }),
};

export const makeShareSchema = z
  .strictObject({
    target: targetSchema,
    notBefore: shareFields.notBefore.default(null),
    expiresAt: shareFields.expiresAt.default(null),
    password: shareFields.password.default(null),
    limits: limitsSchema.prefault({}),
    audience: audienceSchema.prefault({}),
    page: pageSchema.prefault({}),
    note: shareFields.note.default(''),
    cutsRunning: shareFields.cutsRunning.default(false),
  })
  .openapi('NewShareLink');

export const changeShareSchema = z
  .strictObject({ ...shareFields, isRevoked: z.boolean() })
  .partial()
  .openapi('ShareLinkChange', { description: 'What is absent stays; false revives a link.' });

export const shareSchema = z
  .object({
    id: z.string(),
    url: z.string().openapi({ description: 'The address, for people and for programs.' }),
    createdAt: timeSchema,
    target: targetSchema,
    notBefore: timeSchema.nullable(),
    expiresAt: timeSchema.nullable(),
    revokedAt: timeSchema.nullable(),
    hasPassword: z.boolean(),
    limits: limitsSchema,
    audience: audienceSchema,
    page: pageSchema,
    note: z.string(),
    cutsRunning: z.boolean(),
    usage: z
      .object({ downloads: z.number().int(), bytes: z.string() })
      .openapi({ description: 'What counts against its limits; 0 without limits.' }),
  })
  .openapi('ShareLink');

const countsFields = {
  opened: z.number().int().openapi({ description: 'Pages shown.' }),
  started: z.number().int(),
  completed: z.number().int(),
  aborted: z.number().int(),
  bytes: z.string(),
};
export const listedShareSchema = shareSchema
  .extend({
    labels: z.number().int(),
    sums: z.object(countsFields).openapi({
      description:
        'What visitors did since it was made; some seconds old on Node, a minute on Cloudflare.',
    }),
    lastUsedAt: timeSchema.nullable(),
  })
  .openapi('ListedShareLink');

export const labelNameSchema = lineOf(LINK_TITLE_MAX_LENGTH).min(1);
export const labelSchema = z
  .object({
    id: z.string(),
    url: z.string().openapi({ description: 'The address of this recipient.' }),
    name: z.string(),
    createdAt: timeSchema,
    revokedAt: timeSchema.nullable(),
  })
  .openapi('ShareLabel');

export const historySchema = z
  .object({
    at: timeSchema,
    action: z.string(),
    memberId: z.string().nullable(),
    accessKeyId: z.string().nullable(),
    changes: z.record(z.string(), z.object({ before: z.unknown(), after: z.unknown() })),
  })
  .openapi('ShareHistoryEntry');

export const daySchema = z
  .object({
    day: z.string().openapi({ example: '2026-11-21' }),
    labelId: z.string().nullable(),
    ...countsFields,
    referrers: z.record(z.string(), z.number().int()),
    countries: z.record(z.string(), z.number().int()),
  })
  .openapi('ShareDay');

/** Counts since the link was made. */
export const sumSchema = z
  .object({ labelId: z.string().nullable(), ...countsFields })
  .openapi('ShareSum');

export const linkEntrySchema = z
  .object({
    id: z.string(),
    kind: z.enum(['share', 'drop']),
    bucket: z.string(),
    url: z.string(),
    createdAt: timeSchema,
  })
  .openapi('LinkEntry');
