// The checks of a bucket's notification rules, whether they come by S3's document
// or the JSON API. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-how-to-filtering.html
import { StorageError } from '../../domain/errors.ts';
import type { NotificationRule } from '../../domain/notifications.ts';
import type { Core } from '../core.ts';

/** Rules of one bucket. Source: S3 quotas, "event notifications". */
export const RULES_MAX = 100;
/** Longest id of a rule, characters. */
export const RULE_ID_MAX_LENGTH = 255;

/**
 * The events of S3. Those that can't happen here are accepted, and never sent
 * (docs/notifications.md).
 */
const EVENTS: ReadonlySet<string> = new Set(
  [
    ...['*', 'Put', 'Post', 'Copy', 'CompleteMultipartUpload'].map(
      (name) => `ObjectCreated:${name}`,
    ),
    ...['*', 'Delete', 'DeleteMarkerCreated'].map((name) => `ObjectRemoved:${name}`),
    ...['*', 'Post', 'Completed', 'Delete'].map((name) => `ObjectRestore:${name}`),
    ...['*', 'OperationFailedReplication', 'OperationMissedThreshold', 'OperationNotTracked'].map(
      (name) => `Replication:${name}`,
    ),
    'Replication:OperationReplicatedAfterThreshold',
    ...['*', 'Delete', 'DeleteMarkerCreated'].map((name) => `LifecycleExpiration:${name}`),
    ...['*', 'Put', 'Delete'].map((name) => `ObjectTagging:${name}`),
    'LifecycleTransition',
    'IntelligentTiering',
    'ObjectAcl:Put',
    'ReducedRedundancyLostObject',
    'TestEvent',
  ].map((name) => `s3:${name}`),
);

function refused(detail: string, fields: Readonly<Record<string, string>> = {}): StorageError {
  return new StorageError('InvalidArgument', { detail, fields });
}

/**
 * Checks the rules of a bucket. InvalidArgument for unknown events, a repeated id,
 * and rules that overlap in a key.
 */
export function checkRules(rules: readonly NotificationRule[]): void {
  if (rules.length > RULES_MAX)
    throw refused(`A bucket can have ${RULES_MAX} notification configurations.`);
  for (const { id, events } of rules) {
    if (id.length > RULE_ID_MAX_LENGTH)
      throw refused(`An ID has at most ${RULE_ID_MAX_LENGTH} characters.`);
    const unknown = events.find((event) => !EVENTS.has(event));
    if (unknown === undefined) continue;
    throw refused('The event is not supported for notifications', {
      ArgumentName: 'Event',
      ArgumentValue: unknown.slice(0, 256),
    });
  }
  if (new Set(rules.map(({ id }) => id)).size < rules.length) {
    throw refused('Same ID used for multiple configurations. IDs must be unique');
  }
  refuseOverlaps(rules);
}

/**
 * Refuses two rules for one event that can match the same key, whatever their
 * webhooks are.
 */
function refuseOverlaps(rules: readonly NotificationRule[]): void {
  for (const [at, rule] of rules.entries()) {
    for (const other of rules.slice(at + 1)) {
      const areKeysShared =
        (rule.prefix.startsWith(other.prefix) || other.prefix.startsWith(rule.prefix)) &&
        (rule.suffix.endsWith(other.suffix) || other.suffix.endsWith(rule.suffix));
      if (!areKeysShared) continue;
      if (!rule.events.some((a) => other.events.some((b) => areEventsShared(a, b)))) continue;

      throw refused(
        'Configuration is ambiguously defined. Cannot have overlapping suffixes in two rules ' +
          'if the prefixes are overlapping for the same event type.',
      );
    }
  }
}

function areEventsShared(a: string, b: string): boolean {
  const means = (wide: string, narrow: string) =>
    wide.endsWith(':*') && narrow.startsWith(wide.slice(0, -1));
  return a === b || means(a, b) || means(b, a);
}

/**
 * Requires that the account has all webhooks of the rules. InvalidArgument. Cost: a
 * look-up for each webhook.
 */
export async function requireWebhooks(
  core: Core,
  rules: readonly NotificationRule[],
  ownerId: string,
): Promise<void> {
  const arns = new Map(rules.map(({ endpointId, arn }) => [endpointId, arn]));
  for (const [id, arn] of arns) {
    const webhook = await core.ports.directory.call('getWebhook', { id });
    if (webhook?.accountId === ownerId) continue;
    throw refused('Unable to validate the following destination configurations', {
      ArgumentName: arn,
      ArgumentValue: 'The destination does not exist or is not of the owner of the bucket.',
    });
  }
}

/** Lists the ids of the webhooks that rules name, each once. */
export function endpointsOf(rules: readonly NotificationRule[]): readonly string[] {
  return [...new Set(rules.map(({ endpointId }) => endpointId))];
}
