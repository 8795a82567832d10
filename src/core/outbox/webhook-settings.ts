// The settings of webhooks: what each is, its default and its bounds. config.ts reads them, the
// dispatcher goes by them.
import { HOUR_MS } from '../../domain/time.ts';

/** How messages go out to webhooks. */
export type WebhookSettings = {
  /**
   * Whether they may go to addresses that are not public, and over plain http: for tests and closed
   * networks. Whoever may make webhooks can then make the server ask whatever it reaches.
   * QUAYSIDE_WEBHOOK_PRIVATE_TARGETS, off.
   */
  readonly mayBePrivate: boolean;
  /**
   * Attempts of one message, before it becomes a dead letter. QUAYSIDE_WEBHOOK_ATTEMPTS, 14: a day
   * and a half.
   */
  readonly attemptsMax: number;
  /**
   * Wait before the second attempt, milliseconds; each further one is three times as long, at most
   * 6 hours. QUAYSIDE_WEBHOOK_RETRY_MS, 5,000.
   */
  readonly retryBaseMs: number;
  /** Longest time of one attempt, milliseconds. QUAYSIDE_WEBHOOK_TIMEOUT_MS, 10,000. */
  readonly timeoutMs: number;
};

/**
 * `whole` and `isOn` read a setting of that name, or give the default; they throw for one that
 * can't be used.
 */
export function readWebhookSettings(
  whole: (name: string, fallback: number, min: number, max: number) => number,
  isOn: (name: string, fallback: 'on' | 'off') => boolean,
): WebhookSettings {
  return {
    mayBePrivate: isOn('QUAYSIDE_WEBHOOK_PRIVATE_TARGETS', 'off'),
    attemptsMax: whole('QUAYSIDE_WEBHOOK_ATTEMPTS', 14, 1, 100),
    retryBaseMs: whole('QUAYSIDE_WEBHOOK_RETRY_MS', 5000, 1, HOUR_MS),
    timeoutMs: whole('QUAYSIDE_WEBHOOK_TIMEOUT_MS', 10_000, 10, 60_000),
  };
}
