// The Principal element of a statement. An account is named by its id, alone or in
// an ARN of its root. There are no users or roles below an account, so a statement
// about one is refused rather than stored as one that never applies. Source, on
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/:
// s3-bucket-user-policy-specifying-principal-intro.html

import { isJsonObject } from '../../json.ts';
import type { PolicyPrincipals } from './policy.ts';
import { malformedPolicy, readTexts } from './policy-json.ts';

const ROOT_ARN = /^arn:aws:iam::([\w.-]{1,128}):root$/;
const ACCOUNT_ID = /^[\w.-]{1,128}$/;
/**
 * The name of a program of this service; an unknown one is stored, and allows
 * nobody.
 */
const SERVICE = /^[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,10}$/;

/** Reads Principal or NotPrincipal. MalformedPolicy. */
export function readPrincipals(statement: { readonly [name: string]: unknown }): PolicyPrincipals {
  const { Principal, NotPrincipal } = statement;
  if (Principal !== undefined && NotPrincipal !== undefined) {
    throw malformedPolicy("Principal and NotPrincipal can't stand together.");
  }
  const isNegated = NotPrincipal !== undefined;
  const value = isNegated ? NotPrincipal : Principal;
  if (value === undefined) throw malformedPolicy('Missing required field Principal');
  const accountIds = new Set<string>();
  const services = new Set<string>();
  let isEveryone = value === '*';
  if (!isEveryone) {
    if (!isJsonObject(value) || Object.keys(value).length === 0)
      throw malformedPolicy('Invalid principal in policy');
    for (const [kind, names] of Object.entries(value)) {
      for (const name of readTexts(names, 'Principal')) {
        if (kind === 'AWS' && name === '*') isEveryone = true;
        else if (kind === 'AWS') accountIds.add(readAccount(name));
        else if (kind === 'CanonicalUser' && ACCOUNT_ID.test(name)) accountIds.add(name);
        else if (kind === 'Service' && SERVICE.test(name)) services.add(name);
        else throw malformedPolicy('Invalid principal in policy');
      }
    }
  }
  return { isNegated, isEveryone, accountIds, services };
}

function readAccount(name: string): string {
  const id = ROOT_ARN.exec(name)?.[1] ?? (ACCOUNT_ID.test(name) ? name : undefined);
  if (id === undefined) throw malformedPolicy('Invalid principal in policy');
  return id;
}
