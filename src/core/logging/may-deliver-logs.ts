// Whether the log service may write into a bucket: the bucket's policy must allow
// it, for the bucket that is logged. Called when logging is configured, and again
// for every log object, because policies change. Source:
// enable-server-access-logging.html#grant-log-delivery-permissions-general in
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/
import type { BucketLogging } from '../../domain/bucket-settings.ts';
import type { BucketRecord } from '../../domain/nouns.ts';
import { evaluatePolicy } from '../auth/policy/evaluate-policy.ts';
import { parsePolicy } from '../auth/policy/parse-policy.ts';

/** The service principal that delivers logs, as policies name it. */
const LOG_SERVICE = 'logging.s3.amazonaws.com';

/** The name of a log object behind its prefix, as an example. */
const EXAMPLE_NAME = '2026-01-01-00-00-00-0000000000000000';

/**
 * Whether the policy of `target` lets the service write the logs of `source` under
 * the prefix. Cost: the policy is parsed, and evaluated twice.
 */
export function mayDeliverLogs(
  target: BucketRecord,
  source: { readonly name: string; readonly ownerId: string },
  { targetPrefix }: Pick<BucketLogging, 'targetPrefix'>,
): boolean {
  const { policyJson } = target.access;
  if (policyJson === null) return false;
  const values: Readonly<Record<string, readonly string[]>> = {
    'aws:sourcearn': [`arn:aws:s3:::${source.name}`],
    'aws:sourceaccount': [source.ownerId],
    'aws:principalservicename': [LOG_SERVICE],
    'aws:principalisawsservice': ['true'],
  };
  const policy = parsePolicy(policyJson, target.name);
  const verdictOn = (key: string) =>
    evaluatePolicy(policy, {
      caller: { kind: 'service', name: LOG_SERVICE },
      action: 's3:PutObject',
      resource: `${target.name}/${key}`,
      values: (name) => values[name] ?? null,
    });
  // Owners write the prefix with a `*` behind it, or without.
  const verdicts = [verdictOn(targetPrefix), verdictOn(`${targetPrefix}${EXAMPLE_NAME}`)];
  return verdicts.includes('allow') && !verdicts.includes('deny');
}
