// The notification configuration of a bucket as S3's XML, and S3's rules of what
// may stand in one. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketNotificationConfiguration.html,
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-how-to-filtering.html
import { checkRules } from '../../../core/outbox/notification-rules.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { NotificationRule } from '../../../domain/notifications.ts';
import { readFields, refuseElement, required, textOf } from './documents.ts';
import { malformed, readXml, type XmlElement } from './xml-read.ts';
import { element, s3Document, textElement } from './xml-write.ts';

/** Characters of a filter value: a key has no more bytes. */
const VALUE_MAX_LENGTH = 1024;

/** The element of each kind and, within it, of its ARN. */
const KINDS = {
  topic: { element: 'TopicConfiguration', arn: 'Topic' },
  queue: { element: 'QueueConfiguration', arn: 'Queue' },
  function: { element: 'CloudFunctionConfiguration', arn: 'CloudFunction' },
} as const satisfies Record<NotificationRule['kind'], object>;

/**
 * `arn:quayside:webhook:::{id}`, or an ARN of AWS's SQS, SNS or Lambda whose last
 * part is the id, for tools that check them.
 */
const ARN_FORM =
  /^arn:(?:quayside:webhook::|aws:(?:s[nq]s|lambda):[\w-]*:\w*(?::function)?):(wh_[\da-z]{10,64})$/;

function refused(detail: string, fields: Readonly<Record<string, string>> = {}): StorageError {
  return new StorageError('InvalidArgument', { detail, fields });
}

/**
 * The rules of a document; none turn notifications off. `makeId` names those
 * without an ID. MalformedXML, InvalidArgument, NotImplemented.
 */
export function readNotificationConfiguration(
  bytes: Uint8Array,
  makeId: () => string,
): readonly NotificationRule[] {
  const root = readXml(bytes, 'NotificationConfiguration');
  const fields = readFields(root, {
    TopicConfiguration: 'many',
    QueueConfiguration: 'many',
    CloudFunctionConfiguration: 'many',
    EventBridgeConfiguration: 'one',
  });
  refuseElement(root.name, fields.EventBridgeConfiguration);
  const rules = (['topic', 'queue', 'function'] as const).flatMap((kind) =>
    fields[KINDS[kind].element].map((element) => readRule(kind, element, makeId)),
  );
  checkRules(rules);
  return rules;
}

function readRule(
  kind: NotificationRule['kind'],
  element: XmlElement,
  makeId: () => string,
): NotificationRule {
  const { arn: arnName } = KINDS[kind];
  const fields = readFields(element, {
    Id: 'one',
    Event: 'many',
    Filter: 'one',
    [arnName]: 'one',
  } as const);
  const arn = required(
    (fields as Readonly<Record<string, XmlElement | null>>)[arnName] ?? null,
    arnName,
  ).trim();
  const [, endpointId] = ARN_FORM.exec(arn) ?? [];
  if (endpointId === undefined) {
    throw refused('The ARN is not well formed', {
      ArgumentName: arnName,
      ArgumentValue: arn.slice(0, 256),
    });
  }
  const id = fields.Id === null ? '' : textOf(fields.Id).trim();
  const events = fields.Event.map((event) => textOf(event).trim());
  if (events.length === 0) throw malformed(`${element.name} has no Event.`);
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
  const affixes: { prefix: string | null; suffix: string | null } = { prefix: null, suffix: null };
  for (const rule of S3Key === null ? [] : readFields(S3Key, { FilterRule: 'many' }).FilterRule) {
    const { Name, Value } = readFields(rule, { Name: 'one', Value: 'one' });
    const name = required(Name, 'Name').trim().toLowerCase();
    if (name !== 'prefix' && name !== 'suffix')
      throw refused('filter rule name must be either prefix or suffix');
    if (affixes[name] !== null)
      throw refused(`Cannot specify more than one ${name} rule in a filter.`);
    const value = Value === null ? '' : textOf(Value);
    if (value.length > VALUE_MAX_LENGTH)
      throw refused(`A filter value has at most ${VALUE_MAX_LENGTH} characters.`);
    affixes[name] = value;
  }
  return { prefix: affixes.prefix ?? '', suffix: affixes.suffix ?? '' };
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
