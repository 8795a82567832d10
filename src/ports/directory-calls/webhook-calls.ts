// The calls of the directory about webhooks. index/directory implements them;
// ports/directory.ts puts them together with the others.
import type { AccountId } from '../../domain/nouns.ts';
import type { WebhookEndpoint } from '../../domain/webhooks.ts';

export type WebhookApi = {
  getWebhook(input: { id: string }): WebhookEndpoint | null;
  /** Webhooks of an account after an id, in byte order. */
  listWebhooks(input: {
    accountId: AccountId;
    after: string;
    limit: number;
  }): readonly WebhookEndpoint[];
  /** Accounts that have any, after one, in byte order. */
  listWebhookAccounts(input: { after: string; limit: number }): readonly AccountId[];
  /**
   * Makes one (`known` null), or puts it in the place of one that is `known` to be
   * so. ConditionalRequestConflict: it is not so any more; read it again.
   * InvalidRequest: the account has `max` others. Idempotent.
   */
  putWebhook(input: { webhook: WebhookEndpoint; known: WebhookEndpoint | null; max: number }): void;
  /** Idempotent. */
  deleteWebhook(input: { id: string; accountId: AccountId }): void;
  /**
   * The webhooks of an account go, and of the messages that are no bucket's so many
   * as one commit may remove; again until `isDone`. Idempotent.
   */
  endWebhooks(input: { accountId: AccountId }): { isDone: boolean };
};
