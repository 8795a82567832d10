// Webhooks of an account: named addresses that messages go to. They stand in the directory.
import type { AccountId } from './nouns.ts';

/**
 * A secret that signs what is sent, wrapped by the master key. One that was replaced signs along
 * until it ends.
 */
export type WebhookSecret = { readonly wrapped: string; readonly endsAtMs: number | null };

export type WebhookEndpoint = {
  readonly id: string;
  readonly accountId: AccountId;
  readonly url: string;
  readonly description: string;
  /** Types of account events that it gets (`usage.*`); what buckets send to it, their rules say. */
  readonly types: readonly string[];
  /** Newest first. */
  readonly secrets: readonly WebhookSecret[];
  readonly isEnabled: boolean;
  readonly createdAtMs: number;
};

export type WebhookApi = {
  getWebhook(input: { id: string }): WebhookEndpoint | null;
  /** Of an account, after an id, in byte order. */
  listWebhooks(input: {
    accountId: AccountId;
    after: string;
    limit: number;
  }): readonly WebhookEndpoint[];
  /** Accounts that have any, after one, in byte order. */
  listWebhookAccounts(input: { after: string; limit: number }): readonly AccountId[];
  /**
   * Makes one (`known` null), or puts it in the place of one that is `known` to be so.
   * ConditionalRequestConflict: it is not so any more; read it again. InvalidRequest: the account
   * has `max` others. Idempotent.
   */
  putWebhook(input: { webhook: WebhookEndpoint; known: WebhookEndpoint | null; max: number }): void;
  /** Idempotent. */
  deleteWebhook(input: { id: string; accountId: AccountId }): void;
  /**
   * The webhooks of an account go, and of the messages that are no bucket's so many as one commit
   * may remove; again until `isDone`. Idempotent.
   */
  endWebhooks(input: { accountId: AccountId }): { isDone: boolean };
};
