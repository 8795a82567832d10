// The notification configuration of a bucket as S3's XML, and S3's rules of what may stand in one.
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketNotificationConfiguration.html,
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-how-to-filtering.html
import { StorageError } from '../../ports/errors.ts';
import type { NotificationRule } from '../../ports/notifications.ts';
import { readFields, refuseElement, required, textOf } from './documents.ts';
import { malformed, readXml, type XmlElement } from './xml-read.ts';
import { element, s3Document, textElement } from './xml-write.ts';

/** Rules of one bucket. Source: S3 quotas, "event notifications". */
const RULES_MAX = 100;
const ID_MAX_LENGTH = 255;
/** Of a filter value, characters: a key has no more bytes. */
const VALUE_MAX_LENGTH = 1024;

/** What S3 can tell of. Those that nothing here ever does are taken, and never happen (docs/notifications.md). */
const EVENTS: ReadonlySet<string> = new Set(
  [
    ...['*', 'Put', 'Post', 'Copy', 'CompleteMultipartUpload'].map((name) => `ObjectCreated:${name}`),
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

/** The element of each kind and, within it, of its ARN. */
const KINDS = {
  topic: { element: 'TopicConfiguration', arn: 'Topic' },
  queue: { element: 'QueueConfiguration', arn: 'Queue' },
  function: { element: 'CloudFunctionConfiguration', arn: 'CloudFunction' },
} as const satisfies Record<NotificationRule['kind'], object>;

/** `arn:quayside:webhook:::{id}`, or an ARN of AWS's SQS, SNS or Lambda whose last part is the id, for tools that check them. */
const ARN_FORM = /^arn:(?:quayside:webhook::|aws:(?:sqs|sns|lambda):[\w-]*:\w*(?::function)?):(wh_[0-9a-z]{10,64})$/;

function refused(detail: string, fields: Readonly<Record<string, string>> = {}): StorageError {
  return new StorageError('InvalidArgument', { detail, fields });
}

/** The rules of a document; none turn notifications off. `makeId` names those without an ID. MalformedXML, InvalidArgument, NotImplemented. */
export function readNotificationConfiguration(bytes: Uint8Array, makeId: () => string): readonly NotificationRule[] {
  const root = readXml(bytes, 'NotificationConfiguration');
  const fields = readFields(root, {
    TopicConfiguration: 'many',
    QueueConfiguration: 'many',
    CloudFunctionConfiguration: 'many',
    EventBridgeConfiguration: 'one',
  });
  refuseElement(root.name, fields.EventBridgeConfiguration);
  const rules = (['topic', 'queue', 'function'] as const).flatMap((kind) =>
    fields[KINDS[kind].element].map((found) => readRule(kind, found, makeId)),
  );
  if (rules.length > RULES_MAX) throw refused(`A bucket can have ${RULES_MAX} notification configurations.`);
  if (new Set(rules.map(({ id }) => id)).size < rules.length) {
    throw refused('Same ID used for multiple configurations. IDs must be unique');
  }
  refuseOverlaps(rules);
  return rules;
}

function readRule(kind: NotificationRule['kind'], found: XmlElement, makeId: () => string): NotificationRule {
  const { arn: arnName } = KINDS[kind];
  const fields = readFields(found, { Id: 'one', Event: 'many', Filter: 'one', [arnName]: 'one' } as const);
  const arn = required((fields as Readonly<Record<string, XmlElement | null>>)[arnName] ?? null, arnName).trim();
  const [, endpointId] = ARN_FORM.exec(arn) ?? [];
  if (endpointId === undefined) {
    throw refused('The ARN is not well formed', { ArgumentName: arnName, ArgumentValue: arn.slice(0, 256) });
  }
  const id = fields.Id === null ? '' : textOf(fields.Id).trim();
  if (id.length > ID_MAX_LENGTH) throw refused(`An ID has at most ${ID_MAX_LENGTH} characters.`);
  const events = fields.Event.map((event) => textOf(event).trim());
  if (events.length === 0) throw malformed(`${found.name} has no Event.`);
  for (const event of events) {
    if (!EVENTS.has(event)) {
      throw refused('The event is not supported for notifications', {
        ArgumentName: 'Event',
        ArgumentValue: event.slice(0, 256),
      });
    }
  }
  return {
    id: id === '' ? makeId() : id,
    kind,
    arn,
    endpointId,
    events: [...new Set(events)],
    ...readFilter(fields.Filter),
  };
}

function readFilter(filter: XmlElement | null): Pick<NotificationRule, 'prefix' | 'suffix'> {
  const { S3Key } = filter === null ? { S3Key: null } : readFields(filter, { S3Key: 'one' });
  const given: { prefix: string | null; suffix: string | null } = { prefix: null, suffix: null };
  for (const rule of S3Key === null ? [] : readFields(S3Key, { FilterRule: 'many' }).FilterRule) {
    const { Name, Value } = readFields(rule, { Name: 'one', Value: 'one' });
    const name = required(Name, 'Name').trim().toLowerCase();
    if (name !== 'prefix' && name !== 'suffix') throw refused('filter rule name must be either prefix or suffix');
    if (given[name] !== null) throw refused(`Cannot specify more than one ${name} rule in a filter.`);
    const value = Value === null ? '' : textOf(Value);
    if (value.length > VALUE_MAX_LENGTH) throw refused(`A filter value has at most ${VALUE_MAX_LENGTH} characters.`);
    given[name] = value;
  }
  return { prefix: given.prefix ?? '', suffix: given.suffix ?? '' };
}

/** Two rules for one event must not be able to meet in one key, whatever they are for. */
function refuseOverlaps(rules: readonly NotificationRule[]): void {
  for (const [at, rule] of rules.entries()) {
    for (const other of rules.slice(at + 1)) {
      const areKeysShared =
        (rule.prefix.startsWith(other.prefix) || other.prefix.startsWith(rule.prefix)) &&
        (rule.suffix.endsWith(other.suffix) || other.suffix.endsWith(rule.suffix));
      if (!areKeysShared || !rule.events.some((a) => other.events.some((b) => areEventsShared(a, b)))) continue;
      throw refused(
        'Configuration is ambiguously defined. Cannot have overlapping suffixes in two rules if the prefixes are overlapping for the same event type.',
      );
    }
  }
}

function areEventsShared(a: string, b: string): boolean {
  const means = (wide: string, narrow: string) => wide.endsWith(':*') && narrow.startsWith(wide.slice(0, -1));
  return a === b || means(a, b) || means(b, a);
}

/** Rules in the order of their kinds, as S3 gives them. */
export function writeNotificationConfiguration(rules: readonly NotificationRule[]): string {
  const written = (['topic', 'queue', 'function'] as const).flatMap((kind) =>
    rules.filter((rule) => rule.kind === kind).map(writeRule),
  );
  return s3Document('NotificationConfiguration', written.join(''));
}

function writeRule({ kind, id, arn, events, prefix, suffix }: NotificationRule): string {
  const filters = [
    ['Prefix', prefix],
    ['Suffix', suffix],
  ].filter(([, value]) => value !== '');
  const filter = filters.map(([name = '', value = '']) =>
    element('FilterRule', textElement('Name', name) + textElement('Value', value)),
  );
  return element(
    KINDS[kind].element,
    textElement('Id', id) +
      textElement(KINDS[kind].arn, arn) +
      events.map((event) => textElement('Event', event)).join('') +
      (filter.length === 0 ? '' : element('Filter', element('S3Key', filter.join('')))),
  );
}
