// All routes of the JSON API, in the order of the document. app.ts calls this once;
// how to add a resource is at its head.

import type { Api } from '../routing/api-call.ts';
import { addAccessKeyRoutes } from './accounts/access-keys.ts';
import { addAccountQuotaRoutes } from './accounts/account-quota.ts';
import { addAccountRoutes } from './accounts/accounts.ts';
import { addAuditRoutes } from './accounts/audit.ts';
import { addInvitationRoutes } from './accounts/invitations.ts';
import { addMemberRoutes } from './accounts/members.ts';
import { addPasskeyRoutes } from './accounts/passkeys.ts';
import { addPreferenceRoutes } from './accounts/preferences.ts';
import { addSessionRoutes } from './accounts/sessions.ts';
import { addSignInOptionRoutes } from './accounts/sign-in-options.ts';
import { addTokenRoutes } from './accounts/tokens.ts';
import { addAccountBillingRoutes } from './billing/account-billing.ts';
import { addBillingPartyRoutes } from './billing/billing-parties.ts';
import { addCapRoutes } from './billing/caps.ts';
import { addCreditNoteRoutes } from './billing/credit-notes.ts';
import { addInvoiceRoutes } from './billing/invoices.ts';
import { addRateCardRoutes } from './billing/rate-cards.ts';
import { addReceiptRoutes } from './billing/receipts.ts';
import { addUsageRoutes } from './billing/usage.ts';
import { addAccessCheckRoutes } from './buckets/access-checks.ts';
import { addBucketDomainRoutes } from './buckets/bucket-domains.ts';
import { addBucketRoutes } from './buckets/buckets.ts';
import { addCachePurgeRoutes } from './buckets/cache-purges.ts';
import { addLifecyclePreviewRoutes } from './buckets/lifecycle-preview.ts';
import { addPublicAccessRoutes } from './buckets/public-access.ts';
import { addTrashRoutes } from './buckets/trash.ts';
import { addDropLinkRoutes } from './links/drop-links.ts';
import { addDropRecordRoutes } from './links/drop-records.ts';
import { addShareLabelRoutes } from './links/share-labels.ts';
import { addShareLinkRoutes } from './links/share-links.ts';
import { addAccountJobRoutes } from './objects/account-jobs.ts';
import { addEventRoutes } from './objects/events.ts';
import { addJobRoutes } from './objects/jobs.ts';
import { addObjectDetailRoutes } from './objects/object.ts';
import { addObjectHistoryRoutes } from './objects/object-history.ts';
import { addObjectRoutes } from './objects/objects.ts';
import { addPresignRoutes } from './objects/presign.ts';
import { addRenamePreviewRoutes } from './objects/rename-preview.ts';
import { addThumbnailRoutes } from './objects/thumbnails.ts';
import { addUploadRoutes } from './objects/uploads.ts';
import { addZipRoutes } from './objects/zips.ts';
import { addClockRoutes } from './server/clock.ts';
import { addOverviewRoutes } from './server/overview.ts';
import { addServerRoutes } from './server/server.ts';
import { addWebhookDeliveryRoutes } from './server/webhook-deliveries.ts';
import { addWebhookRoutes } from './server/webhooks.ts';

/** One line for each resource. */
const RESOURCES: readonly ((api: Api) => void)[] = [
  addSessionRoutes,
  addPreferenceRoutes,
  addSignInOptionRoutes,
  addTokenRoutes,
  addPasskeyRoutes,
  addAccountRoutes,
  addAccountQuotaRoutes,
  addOverviewRoutes,
  addMemberRoutes,
  addInvitationRoutes,
  addAccessKeyRoutes,
  addAuditRoutes,
  addBucketRoutes,
  addBucketDomainRoutes,
  addAccessCheckRoutes,
  addPublicAccessRoutes,
  addLifecyclePreviewRoutes,
  addCachePurgeRoutes,
  addObjectRoutes,
  addObjectDetailRoutes,
  addObjectHistoryRoutes,
  addPresignRoutes,
  addThumbnailRoutes,
  addZipRoutes,
  addUploadRoutes,
  addJobRoutes,
  addAccountJobRoutes,
  addRenamePreviewRoutes,
  addEventRoutes,
  addTrashRoutes,
  addShareLinkRoutes,
  addShareLabelRoutes,
  addDropLinkRoutes,
  addDropRecordRoutes,
  addUsageRoutes,
  addInvoiceRoutes,
  addCreditNoteRoutes,
  addBillingPartyRoutes,
  addReceiptRoutes,
  addRateCardRoutes,
  addAccountBillingRoutes,
  addCapRoutes,
  addWebhookRoutes,
  addWebhookDeliveryRoutes,
  addServerRoutes,
  addClockRoutes,
];

/** Adds every route of every resource. */
export function addRoutes(api: Api): void {
  for (const addResource of RESOURCES) addResource(api);
}
