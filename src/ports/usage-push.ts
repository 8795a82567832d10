// Reports to a billing service outside what accounts used, so that it can charge
// for it. Off unless the operator has one.

/** What an account used of one meter on one day. */
export type UsageEvent = {
  /**
   * The idempotency key: equal for equal account, meter and day, so that the
   * service counts it once. At most 100 characters.
   */
  readonly identifier: string;
  /** Which of the service's meters it is for. */
  readonly eventName: string;
  /** The account there. */
  readonly customerId: string;
  /** A whole number, positive. */
  readonly value: bigint;
  /** A time of that day, milliseconds. */
  readonly atMs: number;
};

export type UsagePush = {
  /**
   * Reports it, once: a repeat within a day changes nothing, and neither does what
   * the service has no meter for. InvalidRequest: it was refused and not counted.
   * ServiceUnavailable: it may be counted or not; repeat it.
   */
  push(event: UsageEvent): Promise<void>;
};
