// Which changes of objects a bucket reports, and to whom: the rules that its owner
// put, and which of them an event meets. The index evaluates them in the commit of
// a change, core when rules are put; both must agree, so the rule stands here.
// Pure.

/**
 * What happens to objects, as S3 names it in events (without its `s3:`). The last
 * two are of our own lifecycle alone.
 */
export type ObjectEventName =
  | `ObjectCreated:${'Put' | 'Post' | 'Copy' | 'CompleteMultipartUpload'}`
  | `ObjectRemoved:${'Delete' | 'DeleteMarkerCreated'}`
  | `ObjectTagging:${'Put' | 'Delete'}`
  | 'ObjectAcl:Put'
  | `LifecycleExpiration:${'Delete' | 'DeleteMarkerCreated'}`
  | 'LifecycleTransition';

/**
 * One rule: these events of keys with this prefix and suffix go to that endpoint.
 */
export type NotificationRule = {
  readonly id: string;
  /** The element of S3's document that it came in; all three mean the same here. */
  readonly kind: 'topic' | 'queue' | 'function';
  /** The ARN as it was put; `endpointId` is what it names. */
  readonly arn: string;
  readonly endpointId: string;
  /**
   * `s3:ObjectCreated:Put`, `s3:ObjectCreated:*`: S3's names, some of which never
   * happen here.
   */
  readonly events: readonly string[];
  /** '' is every key. */
  readonly prefix: string;
  readonly suffix: string;
};

/** What an event says of who made a change. */
export type EventOrigin = {
  /** The operation of S3 that made it; it tells a copy from a PUT. */
  readonly operation: string;
  readonly principalId: string;
  readonly sourceIp: string;
  readonly requestId: string;
  readonly region: string;
};

/**
 * What a commit needs to write down events: the rules of the revision that its
 * caller decided on, and the caller.
 */
export type Notify = {
  readonly ownerId: string;
  readonly rules: readonly NotificationRule[];
  /** Null: no request made the change, but a job of this service. */
  readonly origin: EventOrigin | null;
};

/**
 * Whether a name in a rule, with or without a wildcard at its end, means the event.
 */
function meansEvent(ruleEvent: string, event: ObjectEventName): boolean {
  const name = ruleEvent.slice('s3:'.length);
  return name.endsWith(':*') ? event.startsWith(name.slice(0, -1)) : name === event;
}

/** The rules that an event of a key meets. Cost: 20 ns a rule. */
export function rulesMet(
  rules: readonly NotificationRule[],
  event: ObjectEventName,
  key: string,
): readonly NotificationRule[] {
  return rules.filter(
    ({ events, prefix, suffix }) =>
      key.startsWith(prefix) &&
      key.endsWith(suffix) &&
      events.some((name) => meansEvent(name, event)),
  );
}
