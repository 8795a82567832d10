// Whom a cap is for. Pure.
import type { CapScope } from '../../domain/billing/caps.ts';
import type { UsageOwner } from '../../ports/metering.ts';

/** Whether a cap on `scope` holds for an owner. */
export function isFor(scope: CapScope, { bucketId, accessKeyId }: UsageOwner): boolean {
  if (scope.kind === 'bucket') return scope.bucketId === bucketId;
  return scope.kind === 'account' || scope.accessKeyId === accessKeyId;
}
