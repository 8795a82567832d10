// Members of an account: its owner makes them and says their role; they change
// their own password.
import { z } from '@hono/zod-openapi';
import { addMember, changePassword } from '../../../core/accounts/members.ts';
import { requireRecentProof } from '../../../core/accounts/recent-proof.ts';
import { coversRole, isRoot } from '../../../core/auth/permissions.ts';
import { hashPassword } from '../../../crypto/password.ts';
import type { MemberRecord } from '../../../domain/account-records.ts';
import type { Role } from '../../../domain/accounts.ts';
import { StorageError } from '../../../domain/errors.ts';
import { networkOf } from '../../../domain/ip-range.ts';
import { accountOf, existingAccountOf, readAccountPage } from '../../routing/account-of.ts';
import {
  type Api,
  callOf,
  requireProofForCredentials,
  type SignedInCall,
} from '../../routing/api-call.ts';
import {
  apiRoute,
  changeRoute,
  deleteRoute,
  jsonBody,
  jsonResponse,
  listRoute,
  makingRoute,
  readRoute,
} from '../../routing/api-route.ts';
import { etagOfRevision, jsonWithEtag, requireMatch } from '../../routing/etag.ts';
import { requireFound } from '../../routing/require-found.ts';
import {
  accountIdQuery,
  idSchema,
  loginSchema,
  nameSchema,
  newPasswordSchema,
  passwordSchema,
  roleSchema,
} from '../../schemas/fields.ts';
import { isoTime, timeSchema } from '../../schemas/time.ts';

const TAGS = ['Members'];

const memberSchema = z
  .object({
    id: idSchema,
    login: z.string(),
    displayName: z.string(),
    role: roleSchema,
    isEnabled: z.boolean(),
    hasPassword: z.boolean(),
    createdAt: timeSchema,
  })
  .openapi('Member');

const endTokensSchema = z
  .boolean()
  .default(true)
  .openapi({ description: 'Whether a new password ends the bearer tokens of the member too.' });

const newMemberSchema = z.strictObject({
  login: loginSchema,
  displayName: nameSchema,
  role: roleSchema,
  password: newPasswordSchema.nullable().default(null),
});
const changeSchema = z.strictObject({
  displayName: nameSchema.optional(),
  role: roleSchema.optional(),
  isEnabled: z.boolean().optional(),
  password: newPasswordSchema.optional(),
  endTokens: endTokensSchema,
});
const passwordChangeSchema = z.strictObject({
  currentPassword: passwordSchema,
  newPassword: newPasswordSchema,
  endTokens: endTokensSchema,
});
const endedSchema = z
  .object({ sessions: z.number().int(), tokens: z.number().int() })
  .openapi('EndedCredentials', {
    description: 'How many sessions and tokens of the member the change ended.',
  });
const changedMemberSchema = memberSchema.extend({ ended: endedSchema }).openapi('ChangedMember');

const query = z.strictObject({ accountId: accountIdQuery });
const params = z.strictObject({ memberId: idSchema });

function show({ id, login, displayName, role, isEnabled, hasPassword, createdAtMs }: MemberRecord) {
  return { id, login, displayName, role, isEnabled, hasPassword, createdAt: isoTime(createdAtMs) };
}

/** The member of that id. NoSuchMember, also for members of other accounts. */
async function findMember(call: SignedInCall, id: string, accountIdInQuery: string | undefined) {
  const accountId = accountOf(call, accountIdInQuery);
  const member = await call.core.ports.directory.call('getMember', { accountId, id });
  return requireFound(member, 'NoSuchMember');
}

/**
 * Refuses a caller who would make somebody that may do more: a token for members
 * alone makes no owner. AccessDenied.
 */
export function requireCoversRole({ caller }: SignedInCall, role: Role): void {
  if (coversRole(caller, role)) return;
  throw new StorageError('AccessDenied', {
    detail: `You may not do all that the role ${role} may.`,
  });
}

export function addMemberRoutes(api: Api): void {
  addMaking(api);
  addReads(api);
  addChanging(api);
  addOwnPassword(api);
}

function addMaking(api: Api): void {
  api.openapi(
    makingRoute({
      path: '/members',
      operationId: 'createMember',
      summary: 'Make a member, who signs in with a login and a password',
      description:
        'With a role that may do no more than you. In a session: only when it was proved lately.',
      tags: TAGS,
      access: 'members:write',
      request: { query },
      input: newMemberSchema,
      made: memberSchema,
      outcome: 'Made',
    }),
    async (c) => {
      const call = callOf(c);
      requireProofForCredentials(call);
      const accountId = await existingAccountOf(call, c.req.valid('query').accountId);

      const input = c.req.valid('json');
      requireCoversRole(call, input.role);
      const member = await addMember(call.core, { accountId, ...input }, isRoot(call.caller));
      return jsonWithEtag(c, etagOfRevision(member), show(member), 201);
    },
  );
}

function addReads(api: Api): void {
  api.openapi(
    listRoute({
      path: '/members',
      operationId: 'listMembers',
      summary: 'List members',
      tags: TAGS,
      access: 'members:read',
      filter: { accountId: accountIdQuery },
      item: memberSchema,
      order: 'Some members, in the order of their making',
    }),
    async (c) => {
      const page = await readAccountPage(callOf(c), c.req.valid('query'), {
        list: 'members',
        read: (directory, page) => directory.call('listMembers', page),
        show,
      });
      return c.json(page, 200);
    },
  );

  api.openapi(
    readRoute({
      path: '/members/{memberId}',
      operationId: 'getMember',
      summary: 'A member',
      tags: TAGS,
      access: 'members:read',
      request: { params, query },
      item: memberSchema,
      outcome: 'The member',
    }),
    async (c) => {
      const { memberId } = c.req.valid('param');
      const member = await findMember(callOf(c), memberId, c.req.valid('query').accountId);
      return jsonWithEtag(c, etagOfRevision(member), show(member), 200);
    },
  );
}

function addChanging(api: Api): void {
  api.openapi(
    changeRoute({
      method: 'patch',
      path: '/members/{memberId}',
      operationId: 'updateMember',
      summary: 'Change the name, role or password of a member, or disable one',
      description:
        'A new password, and being disabled, ends the sessions of the member. ' +
        'A new role counts at once. ' +
        'A new password needs a session that was proved lately; ' +
        'a role that is given needs who may do as much.',
      tags: TAGS,
      access: 'members:write',
      request: { params, query },
      change: changeSchema,
      changed: changedMemberSchema,
      outcome: 'Changed',
    }),
    async (c) => {
      const call = callOf(c);
      const { memberId } = c.req.valid('param');
      const member = await findMember(call, memberId, c.req.valid('query').accountId);
      requireMatch(c, etagOfRevision(member));
      const {
        displayName = member.displayName,
        role = member.role,
        isEnabled = member.isEnabled,
        password,
        endTokens,
      } = c.req.valid('json');

      if (password !== undefined) requireRecentProof(call.caller, call.core.ports.clock.nowMs());
      const isMoreAllowed = role !== member.role || (isEnabled && !member.isEnabled);
      if (isMoreAllowed) {
        requireProofForCredentials(call);
        requireCoversRole(call, role);
      }

      const { member: changed, ended } = await call.core.ports.directory.call('updateMember', {
        accountId: member.accountId,
        id: member.id,
        revision: member.revision,
        displayName,
        role,
        isEnabled,
        passwordHash: password === undefined ? null : await hashPassword(password),
        endTokens,
      });
      return jsonWithEtag(c, etagOfRevision(changed), { ...show(changed), ended }, 200);
    },
  );

  api.openapi(
    deleteRoute({
      path: '/members/{memberId}',
      operationId: 'deleteMember',
      summary: 'Delete a member, with tokens, sessions and passkeys',
      tags: TAGS,
      access: 'members:write',
      request: { params, query },
      outcome: 'Deleted',
    }),
    async (c) => {
      const call = callOf(c);
      const { memberId } = c.req.valid('param');
      const { accountId, id } = await findMember(call, memberId, c.req.valid('query').accountId);
      await call.core.ports.directory.call('removeMember', { accountId, id });
      return c.body(null, 204);
    },
  );
}

function addOwnPassword(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'put',
      path: '/me/password',
      operationId: 'changePassword',
      summary:
        'Change your own password; your other sessions end, and your tokens unless you keep them',
      tags: TAGS,
      access: 'recent-proof',
      request: { body: jsonBody(passwordChangeSchema) },
      responses: { 200: jsonResponse(endedSchema, 'Changed') },
    }),
    async (c) => {
      const { core, caller, request, requestId } = callOf(c);
      const { accountId, memberId: id, by } = caller;
      if (id === null)
        throw new StorageError('NoSuchMember', { detail: 'You signed in with an access key.' });

      const from = { source: networkOf(request.remoteAddress), requestId };
      const ended = await changePassword(
        core,
        { accountId, id, sessionId: by.id },
        c.req.valid('json'),
        from,
      );
      return c.json(ended, 200);
    },
  );
}
