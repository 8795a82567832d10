// Webhooks of an account: named addresses that messages go to. They stand in the
// directory.
import type { AccountId } from './nouns.ts';

/**
 * A secret that signs what is sent, wrapped by the master key. One that was
 * replaced signs along until it ends.
 */
export type WebhookSecret = { readonly wrapped: string; readonly endsAtMs: number | null };

export type WebhookEndpoint = {
  readonly id: string;
  readonly accountId: AccountId;
  readonly url: string;
  readonly description: string;
  /**
   * Types of account events that it gets (`usage.*`); what buckets send to it,
   * their rules say.
   */
  readonly types: readonly string[];
  /** Newest first. */
  readonly secrets: readonly WebhookSecret[];
  readonly isEnabled: boolean;
  readonly createdAtMs: number;
};
