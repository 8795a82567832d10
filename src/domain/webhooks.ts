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

/**
 * The types of events that webhooks of an account may hear of besides its objects;
 * docs/notifications.md says of each when it is sent.
 */
export const ACCOUNT_EVENTS = [
  'cap.crossed',
  'invoice.closed',
  'usage.daily',
  'link.opened',
  'link.downloaded',
  'link.limit-near',
  'drop.uploaded',
  'drop.limit-near',
  'index.crossed',
  'disk.crossed',
  'object.hurt',
] as const;

export type AccountEvent = (typeof ACCOUNT_EVENTS)[number];
