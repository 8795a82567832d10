// A bucket policy as it is evaluated: statements with their patterns read and checked. Made by
// parse-policy.ts from the JSON that the owner put; evaluate-policy.ts asks it. Nothing here is
// stored.
import type { Condition } from './conditions.ts';
import type { Pattern } from './pattern.ts';

/** Whom a statement speaks of. */
export type PolicyPrincipals = {
  /** NotPrincipal: everyone but these. */
  readonly isNegated: boolean;
  /** `*`: everyone, strangers without a signature too. */
  readonly isEveryone: boolean;
  readonly accountIds: ReadonlySet<string>;
  /** Programs of this service, such as `logging.s3.amazonaws.com`. */
  readonly services: ReadonlySet<string>;
};

/** What an Action or Resource element holds; `isNegated` for NotAction and NotResource. */
export type PolicyMatch = { readonly isNegated: boolean; readonly patterns: readonly Pattern[] };

export type Statement = {
  /** What its author called it; null: nothing. */
  readonly sid: string | null;
  readonly effect: 'Allow' | 'Deny';
  readonly principals: PolicyPrincipals;
  /** Lower case. */
  readonly actions: PolicyMatch;
  /** What stands behind `arn:aws:s3:::`: a bucket, or bucket, slash and key. */
  readonly resources: PolicyMatch;
  /** All must hold. */
  readonly conditions: readonly Condition[];
};

export type Policy = { readonly statements: readonly Statement[] };
