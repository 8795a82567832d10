// What a member prefers in the console, wherever it is opened: pinned and recent
// places, language, theme, density. Of the member, or of the access key that signed
// in; nobody else reads it.
import { z } from '@hono/zod-openapi';
import type { ApiCaller } from '../../../core/auth/permissions.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { StoredPreferences } from '../../../ports/directory-calls/invitation-calls.ts';
import { type Api, callOf } from '../../routing/api-call.ts';
import { apiRoute, changeRoute, jsonResponse } from '../../routing/api-route.ts';
import { etagOfRevision, jsonWithEtag, requireMatch } from '../../routing/etag.ts';

const TAGS = ['Sessions'];
const PINNED_MAX = 50;
const RECENT_MAX = 20;
/** Longest preferences as JSON, bytes. Ours: they come with every visit. */
const PREFERENCES_MAX_BYTES = 16 * 1024;

const placeSchema = z
  .strictObject({
    bucket: z.string().min(1).max(63),
    prefix: z.string().max(1024).default(''),
    label: z.string().max(128).nullable().default(null),
  })
  .openapi('Place', { description: 'A bucket, or a folder of it.' });
const preferencesSchema = z
  .strictObject({
    pinned: z.array(placeSchema).max(PINNED_MAX).default([]),
    recent: z.array(placeSchema).max(RECENT_MAX).default([]),
    language: z
      .string()
      .regex(/^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})?$/)
      .nullable()
      .default(null),
    theme: z.enum(['light', 'dark', 'system']).default('system'),
    density: z.enum(['comfortable', 'compact']).default('comfortable'),
  })
  .openapi('Preferences');

type Preferences = z.infer<typeof preferencesSchema>;

/** The holder of preferences, as the directory names it. */
function holderOf({ accountId, memberId, accessKeyId }: ApiCaller) {
  const holder = memberId === null ? `key ${accessKeyId ?? ''}` : `member ${memberId}`;
  return { accountId, holder };
}

/** Preferences as stored; what an older release did not know has its default. */
function read(stored: StoredPreferences | null): Preferences {
  const parsed = preferencesSchema.safeParse(JSON.parse(stored?.json ?? '{}'));
  return parsed.success ? parsed.data : preferencesSchema.parse({});
}

const etagOf = (stored: StoredPreferences | null) =>
  etagOfRevision({ revision: stored?.revision ?? 0 });

export function addPreferenceRoutes(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/me/preferences',
      operationId: 'getPreferences',
      summary: 'Your own preferences of the console',
      tags: TAGS,
      access: 'signed-in',
      responses: { 200: jsonResponse(preferencesSchema, 'As they were set last') },
    }),
    async (c) => {
      const { core, caller } = callOf(c);
      const stored = await core.ports.directory.call('getPreferences', holderOf(caller));
      return jsonWithEtag(c, etagOf(stored), read(stored), 200);
    },
  );

  api.openapi(
    changeRoute({
      method: 'put',
      path: '/me/preferences',
      operationId: 'putPreferences',
      summary: 'Set your own preferences of the console',
      description: `At most ${PREFERENCES_MAX_BYTES} bytes. The audit log has no entry for it.`,
      tags: TAGS,
      access: 'session',
      isUnaudited: true,
      request: {},
      change: preferencesSchema,
      changed: preferencesSchema,
      outcome: 'Set',
    }),
    async (c) => {
      const { core, caller } = callOf(c);
      const { directory } = core.ports;
      const preferences = c.req.valid('json');
      const json = JSON.stringify(preferences);
      if (new TextEncoder().encode(json).length > PREFERENCES_MAX_BYTES) {
        throw new StorageError('InvalidInput', {
          detail: `Preferences have at most ${PREFERENCES_MAX_BYTES} bytes of JSON.`,
        });
      }
      const holder = holderOf(caller);
      const stored = await directory.call('getPreferences', holder);
      requireMatch(c, etagOf(stored));
      const change = { ...holder, json, revision: stored?.revision ?? 0 };
      const revision = await directory.call('putPreferences', change);
      return jsonWithEtag(c, etagOfRevision({ revision }), preferences, 200);
    },
  );
}
