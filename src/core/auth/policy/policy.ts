// A parsed bucket policy: statements with their patterns read and checked.
// parse-policy.ts makes it from the JSON that the owner put, evaluate-policy.ts
// evaluates it. Nothing here is stored.
import type { Condition } from './conditions.ts';
import type { Pattern } from './pattern.ts';

/** The principals of a statement. */
export type PolicyPrincipals = {
  /** NotPrincipal: everyone but these. */
  readonly isNegated: boolean;
  /** `*`: everyone, strangers without a signature too. */
  readonly isEveryone: boolean;
  readonly accountIds: ReadonlySet<string>;
  /** Programs of this service, such as `logging.s3.amazonaws.com`. */
  readonly services: ReadonlySet<string>;
};

/** An Action or Resource element; `isNegated` for NotAction and NotResource. */
export type PolicyMatch = { readonly isNegated: boolean; readonly patterns: readonly Pattern[] };

export type Statement = {
  /** The statement's Sid; null: it has none. */
  readonly sid: string | null;
  readonly effect: 'Allow' | 'Deny';
  readonly principals: PolicyPrincipals;
  /** Patterns in lower case. */
  readonly actions: PolicyMatch;
  /** Patterns behind `arn:aws:s3:::`: a bucket, or bucket, slash and key. */
  readonly resources: PolicyMatch;
  /** All must hold. */
  readonly conditions: readonly Condition[];
};

export type Policy = { readonly statements: readonly Statement[] };
