// The settings of webhooks. The tables of src/config read them, the dispatcher goes
// by them.

/** How messages are sent to webhooks. */
export type WebhookSettings = {
  /**
   * Whether they may be sent to private addresses, and over plain http: for tests
   * and closed networks. Whoever may make webhooks can then make the server call
   * any host that it reaches (SSRF). QUAYSIDE_WEBHOOK_PRIVATE_TARGETS, off.
   */
  readonly mayBePrivate: boolean;
  /**
   * Attempts of one message, before it becomes a dead letter.
   * QUAYSIDE_WEBHOOK_ATTEMPTS, 14: a day and a half.
   */
  readonly attemptsMax: number;
  /**
   * Wait before the second attempt, milliseconds; each further one is three times
   * as long, at most 6 hours. QUAYSIDE_WEBHOOK_RETRY_MS, 5,000.
   */
  readonly retryBaseMs: number;
  /**
   * Longest time of one attempt, milliseconds. QUAYSIDE_WEBHOOK_TIMEOUT_MS, 10,000.
   */
  readonly timeoutMs: number;
};
