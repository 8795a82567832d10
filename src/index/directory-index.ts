// The directory: accounts, access keys and all else that concerns accounts rather
// than one bucket, put together of its parts, as plain synchronous code over a SQL
// port, like the bucket index. Secrets of access keys and KMS keys come encrypted;
// the older `putAccount` stores them as they are, until core encrypts them.
import type { DirectoryApi } from '../ports/directory.ts';
import type { Sql } from '../ports/sql.ts';
import { createBillingCalls } from './billing/billing.ts';
import { createPartyCalls } from './billing/billing-parties.ts';
import { createBillingProgressCalls } from './billing/billing-progress.ts';
import { createCreditNoteCalls } from './billing/credit-notes.ts';
import { createRateCardCalls } from './billing/rate-cards.ts';
import { createAccessKeyCalls } from './directory/access-keys.ts';
import { createAccountJobCalls } from './directory/account-jobs.ts';
import { createAccountCalls } from './directory/accounts.ts';
import { createAuditCalls } from './directory/audit.ts';
import { createBucketNameCalls } from './directory/bucket-names.ts';
import { createFailedSignInCalls } from './directory/failed-sign-ins.ts';
import { createHostCalls } from './directory/host-bindings.ts';
import { createIdempotencyCalls } from './directory/idempotency-records.ts';
import { createInvitationCalls } from './directory/invitations.ts';
import { createKmsKeyCalls } from './directory/kms-keys.ts';
import { createLinkIdCalls } from './directory/link-ids.ts';
import { createMemberCalls } from './directory/members.ts';
import { createPasskeyCalls } from './directory/passkeys.ts';
import { createPreferenceCalls } from './directory/preferences.ts';
import { createSeenTimeCalls } from './directory/seen-time.ts';
import { createSignInCalls } from './directory/sign-in.ts';
import { createAttemptCalls } from './directory/sign-in-attempts.ts';
import { createAccountOutboxCalls, createWebhookCalls } from './directory/webhooks.ts';
import { inTransactions } from './transactions.ts';

/** Queries of one statement, which is atomic by itself. */
const SINGLE_STATEMENT: ReadonlySet<string> = new Set<keyof DirectoryApi>([
  'getAccessKey',
  'getAccounts',
  'listBuckets',
  'listBucketNames',
  'getBucketName',
  'getSweepCursor',
  'getHost',
  'getKmsKey',
  'listKmsKeys',
  'listAccounts',
  'getAccount',
  'listAccessKeys',
  'findAccessKeyRecord',
  'listMembers',
  'getMember',
  'findLogin',
  'listPasskeys',
  'listInvitations',
  'findInvitation',
  'getPreferences',
  'getToken',
  'getSession',
  'listTokens',
  'listSessions',
  'getRateCard',
  'listRateCards',
  'getNotedPrice',
  'getInvoice',
  'listInvoices',
  'readInvoices',
  'listNotesOf',
  'listCreditNotes',
  'getCreditNote',
  'listBilledAccounts',
  'getSeenTime',
  'getClosing',
  'getUsageReported',
  'listWebhookAccounts',
  'getPushTarget',
  'listPushTargets',
  'listJobs',
  'getLinkId',
  'listLinkIds',
]);

/**
 * The calls over a database whose tables `migrate(sql, DIRECTORY_SCHEMA)` made.
 * Each is atomic.
 */
export function createDirectoryIndex(sql: Sql): DirectoryApi {
  const calls: DirectoryApi = {
    ...createAccountCalls(sql),
    ...createAccountJobCalls(sql),
    ...createAccessKeyCalls(sql),
    ...createMemberCalls(sql),
    ...createAuditCalls(sql),
    ...createPasskeyCalls(sql),
    ...createInvitationCalls(sql),
    ...createPreferenceCalls(sql),
    ...createSignInCalls(sql),
    ...createAttemptCalls(sql),
    ...createFailedSignInCalls(sql),
    ...createIdempotencyCalls(sql),
    ...createBillingCalls(sql),
    ...createBillingProgressCalls(sql),
    ...createCreditNoteCalls(sql),
    ...createPartyCalls(sql),
    ...createRateCardCalls(sql),
    ...createSeenTimeCalls(sql),
    ...createAccountOutboxCalls(sql),
    ...createWebhookCalls(sql),
    ...createBucketNameCalls(sql),
    ...createHostCalls(sql),
    ...createLinkIdCalls(sql),
    ...createKmsKeyCalls(sql),
  };
  return inTransactions(sql, calls, SINGLE_STATEMENT);
}
