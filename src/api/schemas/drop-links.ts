// Schemas of the routes about drop links.
import { z } from '@hono/zod-openapi';
import { OBJECT_MAX_BYTES } from '../../core/limits.ts';
import { isFieldText, parseDropPath, problemOfTemplate } from '../../domain/links/drop-names.ts';
import {
  DROP_FILES_DEFAULT,
  DROP_FILES_MAX,
  DROP_PREFIX_MAX_BYTES,
  DROP_TEMPLATE_MAX_LENGTH,
  DROP_TYPES_MAX,
  LINK_ID_LENGTH,
  LINK_NOTE_MAX_LENGTH,
  LINK_TEXT_MAX_LENGTH,
  LINK_TITLE_MAX_LENGTH,
} from '../../domain/links/link-limits.ts';
import { isTypePattern } from '../../domain/links/media-types.ts';
import { timeSchema } from './time.ts';

export const dropLinkParams = z.strictObject({
  bucket: z.string().min(1).max(255),
  dropLinkId: z.string().length(LINK_ID_LENGTH),
});

/** Most bytes of all files of a link: what a number of JSON holds exactly. */
const BYTES_MAX = Number.MAX_SAFE_INTEGER;

/** '' or a path that ends in a slash. */
const prefixSchema = z
  .string()
  .max(DROP_PREFIX_MAX_BYTES)
  .refine(
    (prefix) =>
      prefix === '' || (prefix.endsWith('/') && parseDropPath(prefix) === prefix.slice(0, -1)),
    'must be a path that ends in a slash',
  );
const templateSchema = z
  .string()
  .max(DROP_TEMPLATE_MAX_LENGTH)
  .superRefine((template, context) => {
    const problem = problemOfTemplate(template);
    if (problem !== null) context.addIssue({ code: 'custom', message: problem });
  })
  .openapi({
    description:
      'Names below the prefix, of {date}, {time}, {sender}, {mail}, and at its end {name} (with ' +
      'folders) or {file}. Nothing is ever overwritten: a second a.txt becomes `a (2).txt`.',
  });
const fieldUseSchema = z.enum(['required', 'optional', 'none']);
const textSchema = (max: number) =>
  z.string().min(1).max(max).refine(isFieldText, 'has characters that no text has');

const limitsShape = {
  fileBytes: z.number().int().min(0).max(OBJECT_MAX_BYTES).nullable(),
  files: z.number().int().min(1).max(DROP_FILES_MAX),
  totalBytes: z.number().int().min(0).max(BYTES_MAX).nullable(),
  senderFiles: z.number().int().min(1).max(DROP_FILES_MAX).nullable(),
  senderBytes: z.number().int().min(0).max(BYTES_MAX).nullable(),
  types: z
    .array(z.string().refine(isTypePattern, 'not a media type in lower case'))
    .min(1)
    .max(DROP_TYPES_MAX)
    .nullable()
    .openapi({ description: 'Media types; `image/*` means all of its kind. null: any.' }),
};
const pageShape = {
  title: textSchema(LINK_TITLE_MAX_LENGTH).nullable(),
  text: textSchema(LINK_TEXT_MAX_LENGTH).nullable(),
  colour: z
    .string()
    .regex(/^#[0-9a-f]{6}$/)
    .nullable(),
  name: fieldUseSchema,
  mail: fieldUseSchema,
  note: fieldUseSchema,
};
const settingsShape = {
  prefix: prefixSchema.openapi({ description: 'What the keys of its files begin with.' }),
  quarantine: prefixSchema
    .refine((prefix) => prefix !== '', 'must not be empty')
    .nullable()
    .openapi({
      description: 'Where files wait until they are released to `prefix`; null: nowhere.',
    }),
  template: templateSchema,
  limits: z.strictObject(limitsShape).partial(),
  page: z.strictObject(pageShape).partial(),
  note: z.string().max(LINK_NOTE_MAX_LENGTH).refine(isFieldText, 'has characters that no text has'),
  expiresAt: timeSchema.nullable(),
};

export const makeDropSchema = z
  .strictObject({
    prefix: settingsShape.prefix,
    quarantine: settingsShape.quarantine.default(null),
    template: settingsShape.template.default('{date}/{sender}/{name}'),
    limits: settingsShape.limits
      .default({})
      .openapi({ description: `Without a number of files: ${DROP_FILES_DEFAULT}.` }),
    page: settingsShape.page.default({}),
    note: settingsShape.note.default(''),
    expiresAt: settingsShape.expiresAt.default(null),
  })
  .openapi('NewDropLink');

export const changeDropSchema = z
  .strictObject({
    ...settingsShape,
    isRevoked: z.boolean().openapi({
      description: 'true: nothing more is taken, and uploads that run are cut. false: again.',
    }),
  })
  .partial()
  .openapi('DropLinkChange');

export const dropLinkSchema = z
  .object({
    id: z.string(),
    url: z.string(),
    state: z.enum(['open', 'revoked', 'expired', 'full']),
    createdAt: timeSchema,
    prefix: z.string(),
    quarantine: z.string().nullable(),
    template: z.string(),
    limits: z.object(limitsShape),
    page: z.object(pageShape),
    note: z.string(),
    expiresAt: timeSchema.nullable(),
    revokedAt: timeSchema.nullable(),
    usage: z.object({
      files: z.number().int(),
      bytes: z.string().openapi({ description: 'Unfinished files count as announced.' }),
      senders: z.number().int(),
    }),
  })
  .openapi('DropLink');

export const dropSenderSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    mail: z.string(),
    note: z.string(),
    createdAt: timeSchema,
    files: z.number().int(),
    bytes: z.string(),
  })
  .openapi('DropSender');

export const dropFileSchema = z
  .object({
    id: z.string(),
    senderId: z.string(),
    path: z.string().openapi({ description: 'The name that its sender gave, with folders.' }),
    key: z.string().openapi({
      description: 'The object has another after a release, or a move within its bucket.',
    }),
    state: z.enum(['coming', 'waiting', 'stored', 'gone']).openapi({
      description:
        'coming: unfinished; waiting: in quarantine; gone: the object was deleted, replaced, or ' +
        'moved to another bucket.',
    }),
    type: z.string(),
    size: z.string(),
    received: z.string().openapi({ description: 'Bytes that have come.' }),
    createdAt: timeSchema,
    finishedAt: timeSchema.nullable(),
    sha256: z.string().nullable(),
  })
  .openapi('DropFile');
