// Invitations: an owner makes a link that expires; whoever has it looks at it, makes
// a password or a passkey, and is a member who is signed in.
import { z } from '@hono/zod-openapi';
import {
  acceptInvitation,
  findOpenInvitation,
  invite,
  loginOf,
  type NewCredential,
} from '../../../core/accounts/invitations.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { Invitation } from '../../../domain/invitations.ts';
import { networkOf } from '../../../domain/ip-range.ts';
import { HOUR_MS } from '../../../domain/time.ts';
import { accountOf, existingAccountOf, readAccountPage } from '../../routing/account-of.ts';
import {
  type Api,
  type ApiCall,
  callOf,
  requireProofForCredentials,
} from '../../routing/api-call.ts';
import {
  apiRoute,
  deleteRoute,
  jsonBody,
  jsonResponse,
  listRoute,
  makingRoute,
} from '../../routing/api-route.ts';
import { serviceOrigin } from '../../routing/service-origin.ts';
import {
  accountIdQuery,
  idSchema,
  loginSchema,
  nameSchema,
  newPasswordSchema,
  roleSchema,
} from '../../schemas/fields.ts';
import { isoTime, isoTimeOrNull, timeSchema } from '../../schemas/time.ts';
import { requireCoversRole } from './members.ts';
import { newSessionSchema, requireSafeTransport, respondSignedIn } from './sessions.ts';
import {
  optionsSchema,
  registrationOptions,
  registrationSchema,
  verifyRegistration,
} from './webauthn.ts';

const TAGS = ['Invitations'];
/** Longest life of an invitation, hours: a week. */
const EXPIRES_MAX_HOURS = 168;
const EXPIRES_DEFAULT_HOURS = 72;
/** Page of the console that reads the secret behind the `#`. */
const PAGE = '/-/console/invitation';

const newInvitationSchema = z.strictObject({
  login: loginSchema
    .nullable()
    .default(null)
    .openapi({ description: 'Null: whoever accepts chooses one.' }),
  displayName: nameSchema,
  role: roleSchema,
  expiresInHours: z.int().min(1).max(EXPIRES_MAX_HOURS).default(EXPIRES_DEFAULT_HOURS),
});
const invitationSchema = z
  .object({
    id: idSchema,
    login: z.string().nullable(),
    displayName: z.string(),
    role: roleSchema,
    createdAt: timeSchema,
    expiresAt: timeSchema,
    acceptedAt: timeSchema
      .nullable()
      .openapi({ description: 'When it made the member of this id; null: it has not.' }),
  })
  .openapi('Invitation');
const madeSchema = invitationSchema
  .extend({
    url: z
      .string()
      .openapi({ description: 'The link, shown this once; its secret is stored nowhere.' }),
  })
  .openapi('NewInvitation');

const secretSchema = z.string().min(1).max(128);
const lookedAtSchema = z
  .object({
    account: z.string().openapi({ description: 'The name of the account.' }),
    login: z.string().nullable(),
    displayName: z.string(),
    role: roleSchema,
    expiresAt: timeSchema,
  })
  .openapi('OpenInvitation');

const acceptSchema = z.union(
  [
    z.strictObject({
      secret: secretSchema,
      login: loginSchema.optional(),
      password: newPasswordSchema,
    }),
    z.strictObject({
      secret: secretSchema,
      login: loginSchema.optional(),
      passkey: z.strictObject({ name: nameSchema, registration: registrationSchema }),
    }),
  ],
  { error: 'Send secret, a login if you may choose one, and either password or passkey.' },
);

const query = z.strictObject({ accountId: accountIdQuery });

function show(invitation: Invitation): z.infer<typeof invitationSchema> {
  const { id, login, displayName, role, createdAtMs, expiresAtMs, acceptedAtMs } = invitation;
  return {
    id,
    login,
    displayName,
    role,
    createdAt: isoTime(createdAtMs),
    expiresAt: isoTime(expiresAtMs),
    acceptedAt: isoTimeOrNull(acceptedAtMs),
  };
}

const fromOf = ({ request, requestId }: ApiCall) => ({
  source: networkOf(request.remoteAddress),
  requestId,
});

export function addInvitationRoutes(api: Api): void {
  addMaking(api);
  addListAndEnd(api);
  addLook(api);
  addAcceptance(api);
}

function addMaking(api: Api): void {
  api.openapi(
    makingRoute({
      path: '/invitations',
      operationId: 'createInvitation',
      summary: 'Make a link by which somebody becomes a member, with a credential of their own',
      description:
        'With a role that may do no more than you. In a session: only when it was proved lately. ' +
        'It ends when you are removed or disabled, or get another role.',
      tags: TAGS,
      access: 'members:write',
      request: { query },
      input: newInvitationSchema,
      made: madeSchema,
      outcome: 'Made',
    }),
    async (c) => {
      const call = callOf(c);
      requireProofForCredentials(call);
      const accountId = await existingAccountOf(call, c.req.valid('query').accountId);
      const { expiresInHours, ...input } = c.req.valid('json');
      requireCoversRole(call, input.role);

      const origin = serviceOrigin(call.request);
      const expiresAtMs = call.core.ports.clock.nowMs() + expiresInHours * HOUR_MS;
      const request = { accountId, ...input, expiresAtMs };
      const { memberId, accessKeyId, role } = call.caller;
      const maker = { memberId, accessKeyId, role };
      const { invitation, secret } = await invite(call.core, request, maker);
      return c.json({ ...show(invitation), url: `${origin}${PAGE}#${secret}` }, 201);
    },
  );
}

function addListAndEnd(api: Api): void {
  api.openapi(
    listRoute({
      path: '/invitations',
      operationId: 'listInvitations',
      summary: 'List invitations, those that were accepted or expired lately too',
      tags: TAGS,
      access: 'members:read',
      filter: { accountId: accountIdQuery },
      item: invitationSchema,
      order: 'In the order of their making',
    }),
    async (c) => {
      const page = await readAccountPage(callOf(c), c.req.valid('query'), {
        list: 'invitations',
        read: (directory, page) => directory.call('listInvitations', page),
        show,
      });
      return c.json(page, 200);
    },
  );

  api.openapi(
    deleteRoute({
      path: '/invitations/{invitationId}',
      operationId: 'deleteInvitation',
      summary: 'Take back an invitation that nobody has accepted',
      tags: TAGS,
      access: 'members:write',
      request: { params: z.strictObject({ invitationId: idSchema }), query },
      outcome: 'Taken back',
    }),
    async (c) => {
      const call = callOf(c);
      const accountId = accountOf(call, c.req.valid('query').accountId);
      const id = c.req.valid('param').invitationId;
      const wasThere = await call.core.ports.directory.call('removeInvitation', { accountId, id });
      if (!wasThere) throw new StorageError('NoSuchInvitation');
      return c.body(null, 204);
    },
  );
}

function addLook(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'post',
      path: '/invitations/lookup',
      operationId: 'lookUpInvitation',
      summary: 'What an invitation says, for whoever has its secret',
      tags: TAGS,
      access: 'everybody',
      isReadOnly: true,
      request: { body: jsonBody(z.strictObject({ secret: secretSchema })) },
      responses: { 200: jsonResponse(lookedAtSchema, 'It can be accepted') },
    }),
    async (c) => {
      const { call } = c.env;
      const invitation = await findOpenInvitation(
        call.core,
        c.req.valid('json').secret,
        fromOf(call),
      );
      const { accountId, login, displayName, role, expiresAtMs } = invitation;
      const account = (await call.findAccounts([accountId])).get(accountId)?.displayName ?? '';
      return c.json({ account, login, displayName, role, expiresAt: isoTime(expiresAtMs) }, 200);
    },
  );

  api.openapi(
    apiRoute({
      method: 'post',
      path: '/invitations/registration-options',
      operationId: 'beginInvitedPasskey',
      summary: 'Options for navigator.credentials.create, to accept an invitation by passkey',
      tags: TAGS,
      access: 'everybody',
      request: {
        body: jsonBody(z.strictObject({ secret: secretSchema, login: loginSchema.optional() })),
      },
      responses: { 200: jsonResponse(optionsSchema, 'Good for five minutes, once') },
    }),
    async (c) => {
      const { call } = c.env;
      const { secret, login } = c.req.valid('json');
      const invitation = await findOpenInvitation(call.core, secret, fromOf(call));
      const { id, displayName } = invitation;
      const member = { id, displayName, login: loginOf(invitation, login) };
      return c.json(await registrationOptions(call, member, []), 200);
    },
  );
}

function addAcceptance(api: Api): void {
  api.openapi(
    makingRoute({
      path: '/invitations/accept',
      operationId: 'acceptInvitation',
      summary: 'Become the member of an invitation, by a password or a passkey, and sign in',
      description:
        'A secret that nobody has is slowed like a wrong password. ' +
        'InvitationExpired and InvitationUsed say what became of one that was right.',
      tags: TAGS,
      access: 'everybody',
      request: {},
      input: acceptSchema,
      made: newSessionSchema,
      outcome: 'A member, and signed in',
    }),
    async (c) => {
      const { call } = c.env;
      requireSafeTransport(call);
      const input = c.req.valid('json');
      const { secret } = input;
      const invitation = await findOpenInvitation(call.core, secret, fromOf(call));
      const login = loginOf(invitation, input.login);
      const credential = await credentialOf(call, invitation, input);
      const accepted = { secret, invitation, login };
      const holder = await acceptInvitation(call.core, accepted, credential);
      return respondSignedIn(c, holder, 'acceptInvitation');
    },
  );
}

/** The credential of whoever accepts. InvalidInput for a passkey that proves nothing. */
async function credentialOf(
  call: ApiCall,
  { id }: Invitation,
  input: z.infer<typeof acceptSchema>,
): Promise<NewCredential> {
  if ('password' in input) return { kind: 'password', password: input.password };

  const { name, registration } = input.passkey;
  const proved = await verifyRegistration(call, id, registration);
  if (proved === null)
    throw new StorageError('InvalidInput', { detail: 'This is no answer to an open challenge.' });
  return { kind: 'passkey', passkey: { ...proved, name } };
}
