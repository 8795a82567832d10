// Cause and way out of each error of the JSON API, of limits and of what clients
// never meet. ERROR_HELP has every code; the compiler says when one is missing.
import type { ErrorCode } from '../domain/errors.ts';
import { type ErrorHelp, S3_ERROR_HELP } from './error-help-s3.ts';

/** A list or an address shows what there is. */
const LIST_FIRST = 'List them and use an id of the list.';
/** Codes of domain/errors.ts that callers within the program resolve. */
const INTERNAL = 'Clients read it as InternalError; the log has it under the request id.';

const API_ERROR_HELP = {
  AccountNotEmpty: ['The account still has buckets.', 'Delete its buckets first.'],
  ContentTooLarge: ['The JSON body is too long.', 'Send less; the message names the limit.'],
  CrossSiteRequest: [
    'A browser sent the request with a session from another site.',
    'Call from the origin of the service, or with a bearer token.',
  ],
  DomainAlreadyBound: ['Another bucket is bound to the domain.', 'Unbind it there first.'],
  DomainNotProven: [
    'No TXT record shows that the domain is yours.',
    'Add the record that the message names, wait for DNS and repeat.',
  ],
  IdempotencyInProgress: [
    'A request with this Idempotency-Key is still under way.',
    'Wait for as long as Retry-After says, then repeat.',
  ],
  IdempotencyKeyReused: [
    'The Idempotency-Key was used for a request with another body.',
    'Use a new key for each new request.',
  ],
  InsecureTransport: [
    'The address is plain http, and neither localhost nor an address of a private network.',
    'Open the service by https, at localhost, or by its private IP address. ' +
      'Behind a proxy that ends TLS, name that proxy in QUAYSIDE_TRUSTED_PROXIES.',
  ],
  InvalidCredentials: [
    'Name, password, passkey or secret is wrong.',
    'Sign in again; after too many failures wait as long as Retry-After says.',
  ],
  InvalidInput: [
    'Fields of the request cannot be used; `errors` names each.',
    'Correct these fields.',
  ],
  InvitationExpired: ['The invitation was not accepted in time.', 'Ask for another one.'],
  InvitationUsed: ['The invitation was accepted before.', 'Sign in, or ask for another one.'],
  LoginTaken: ['Another member signs in with this name.', 'Choose another name.'],
  NoSuchAccessKey: ['The account has no access key of this id.', LIST_FIRST],
  NoSuchAccount: ['There is no account of this id.', LIST_FIRST],
  NoSuchCap: ['The account has no cap of this id.', LIST_FIRST],
  NoSuchInvoice: ['The account has no invoice of this id or month.', LIST_FIRST],
  NoSuchInvitation: ['The account has no open invitation of this id.', LIST_FIRST],
  NoSuchMember: ['The account has no member of this id.', LIST_FIRST],
  NoSuchPasskey: ['The member has no passkey of this id.', LIST_FIRST],
  NoSuchRateCard: ['There is no rate card of this id.', LIST_FIRST],
  NoSuchResource: ['There is nothing at this address.', 'Compare it with the operations above.'],
  NoSuchSession: ['The session has ended, or never began.', 'Sign in again.'],
  NoSuchToken: ['The account has no token of this id.', LIST_FIRST],
  NoSuchWebhook: ['The account has no webhook of this id.', LIST_FIRST],
  PreconditionRequired: [
    'The change could overwrite one that you have not seen.',
    'Read it, then send If-Match with its ETag.',
  ],
  QuotaExceeded: [
    'The quota of the account or bucket leaves no room.',
    'Delete something, or have the quota raised.',
  ],
  RecentProofRequired: [
    'The request changes credentials, and the last proof of a secret is too old.',
    'POST /sessions/current/proof with password or passkey, then repeat.',
  ],
  SpendingCapReached: [
    'A cap in money is reached.',
    'Raise or lift the cap with PUT /caps/{id}, or wait for the end of its period.',
  ],
  TooManyRequests: [
    'The account or source has sent too many requests in this minute.',
    'Wait for as long as Retry-After says.',
  ],
  Unauthenticated: [
    'The request has no session, token or signature that counts.',
    'Sign in, or send a bearer token.',
  ],
  UnsupportedMediaType: ['The body is not JSON.', 'Send content-type: application/json.'],
  UsageCapReached: [
    'A cap in bytes is reached.',
    'Raise or lift the cap with PUT /caps/{id}, or wait for the end of its period.',
  ],
  AccessKeyDisabled: [
    'The secret is right, but the access key or its account is disabled.',
    'An owner or admin of the account enables the key; the operator the account.',
  ],
  AccessKeyExpired: [
    'The secret is right, but the access key has expired.',
    'Use another key, or have an owner or admin prolong this one.',
  ],
  BucketChanged: ['A request was decided on a bucket record that has changed.', INTERNAL],
  NoSuchBlob: ['A copy wanted a blob that the sweep has condemned.', INTERNAL],
  ObjectDamaged: ['The stored bytes of an object are missing or damaged.', INTERNAL],
  StorageGrantNeeded: ["A bucket needs more of its account's quota.", INTERNAL],
} as const satisfies Partial<Record<ErrorCode, ErrorHelp>>;

/** Cause and way out of every code. */
export const ERROR_HELP: Readonly<Record<ErrorCode, ErrorHelp>> = {
  ...S3_ERROR_HELP,
  ...API_ERROR_HELP,
};
