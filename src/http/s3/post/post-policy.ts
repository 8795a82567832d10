// The policy of a form upload: what the signer allowed the form to say. Pure;
// post-request.ts checks it after the signature was proved. Names of fields and
// operators compare without case, `expiration` and `conditions` with it. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTConstructPolicy.html
import { StorageError } from '../../../domain/errors.ts';

type Condition =
  | { readonly kind: 'eq' | 'starts-with'; readonly field: string; readonly value: string }
  | { readonly kind: 'content-length-range'; readonly minBytes: number; readonly maxBytes: number };

export type PostPolicy = {
  readonly expiresAtMs: number;
  readonly conditions: readonly Condition[];
};

/**
 * Fields that need no condition: they are the signature, or of no effect. Checksums
 * only prove what was sent.
 */
const FREE_FIELDS =
  /^(?:file|policy|signature|awsaccesskeyid|x-amz-signature|x-ignore-.*|x-amz-checksum-.*)$/;
const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

const invalid = (detail: string) =>
  new StorageError('InvalidPolicyDocument', { detail: `Invalid Policy: ${detail}` });
const denied = (detail: string) =>
  new StorageError('AccessDenied', { detail: `Invalid according to Policy: ${detail}` });

/** Reads the JSON text. InvalidPolicyDocument. */
export function parsePostPolicy(text: string): PostPolicy {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw invalid('Invalid JSON.');
  }
  if (typeof document !== 'object' || document === null) throw invalid('Invalid JSON.');
  const { expiration, conditions } = document as { expiration?: unknown; conditions?: unknown };
  if (typeof expiration !== 'string') throw invalid('Policy missing expiration.');
  const expiresAtMs = ISO_TIME.test(expiration) ? Date.parse(expiration) : Number.NaN;
  if (Number.isNaN(expiresAtMs))
    throw invalid(`Invalid 'expiration' value: '${expiration.slice(0, 40)}'`);
  if (!Array.isArray(conditions)) throw invalid('Policy missing conditions.');
  return { expiresAtMs, conditions: conditions.flatMap(parseCondition) };
}

function parseCondition(condition: unknown): Condition[] {
  if (Array.isArray(condition)) return [parseList(condition)];
  const entries =
    typeof condition === 'object' && condition !== null ? Object.entries(condition) : [];
  if (entries.length !== 1)
    throw invalid(
      'Invalid Simple-Condition: Simple-Conditions must have exactly one property specified.',
    );
  return entries.map(([name, value]) => {
    if (typeof value !== 'string')
      throw invalid('Invalid Simple-Condition: value must be a string.');
    return { kind: 'eq', field: name.toLowerCase(), value };
  });
}

function parseList(condition: readonly unknown[]): Condition {
  const [operator, name, value] = condition;
  const kind = String(operator).toLowerCase();
  if (condition.length !== 3) throw invalid('Invalid Condition: it must have three elements.');
  if (kind === 'content-length-range') {
    const [minBytes, maxBytes] = [Number(name), Number(value)];
    if (![minBytes, maxBytes].every((bytes) => Number.isSafeInteger(bytes) && bytes >= 0)) {
      throw invalid('Invalid content-length-range: its bounds must be whole numbers.');
    }
    return { kind, minBytes, maxBytes };
  }
  if (kind !== 'eq' && kind !== 'starts-with')
    throw invalid(`Unknown operator: ${kind.slice(0, 40)}`);
  if (typeof name !== 'string' || !name.startsWith('$') || typeof value !== 'string') {
    throw invalid('Invalid Condition: it must be an operator, a $field and a text.');
  }
  return { kind, field: name.slice(1).toLowerCase(), value };
}

/**
 * Checks a form; `fields` by lower-case name, `bucket` among them. AccessDenied
 * names what is not allowed.
 */
export function requireAllowed(
  policy: PostPolicy,
  fields: ReadonlyMap<string, string>,
  nowMs: number,
): void {
  if (policy.expiresAtMs <= nowMs) throw denied('Policy expired.');
  const covered = new Set<string>();
  for (const condition of policy.conditions) {
    if (condition.kind === 'content-length-range') continue;
    const { kind, field, value } = condition;
    covered.add(field);
    const sent = fields.get(field);
    // A field that may start with anything may also be left out, as with S3.
    const isMet = kind === 'eq' ? sent === value : startsWith(field, sent ?? '', value);
    if (!isMet) throw denied(`Policy Condition failed: ["${kind}", "$${field}", "${value}"]`);
  }
  const extra = [...fields.keys()].filter((name) => !covered.has(name) && !FREE_FIELDS.test(name));
  if (extra.length > 0) throw denied(`Extra input fields: ${extra.join(', ')}`);
}

/** A Content-Type may be a list; then each of them must start so. */
function startsWith(field: string, sent: string, prefix: string): boolean {
  const values = field === 'content-type' ? sent.split(',') : [sent];
  return values.every((value) => value.startsWith(prefix));
}

/** Least and most bytes of the file. */
export function sizeLimits(policy: PostPolicy): {
  readonly minBytes: number;
  readonly maxBytes: number;
} {
  let limits = { minBytes: 0, maxBytes: Number.POSITIVE_INFINITY };
  for (const condition of policy.conditions) {
    if (condition.kind !== 'content-length-range') continue;
    limits = {
      minBytes: Math.max(limits.minBytes, condition.minBytes),
      maxBytes: Math.min(limits.maxBytes, condition.maxBytes),
    };
  }
  return limits;
}
