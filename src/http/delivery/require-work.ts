// Whether something may be looked up or made for a reader, where the owner has set
// a cap: capCheck before the work, because a refusal after it has cost all there was
// to save. requester.ts makes it for images.ts and variants.ts; without a cap it is
// null.
import type { CapGuard } from '../../core/caps/cap-guard.ts';
import type { BucketReadPolicy } from '../../domain/nouns.ts';
import type { DerivedBodies } from '../../ports/derived.ts';
import { payerOfRead } from './count-read.ts';

export type RequireWork = {
  /** Before the tier below memory is capCheck. As CapGuard.require. */
  toFind(): Promise<void>;
  /** Before something is read and made. As CapGuard.require. */
  toMake(): Promise<void>;
};

/** Null: nothing is in the way. Cost without a cap: a comparison. */
export function requireWorkFor(
  caps: CapGuard | null,
  readPolicy: BucketReadPolicy | null,
  { isHead, tier }: { readonly isHead: boolean; readonly tier: DerivedBodies['tier'] },
): RequireWork | null {
  if (caps === null || readPolicy?.settings.isCapped !== true) return null;
  // How long the response will be is not known yet: a byte at least.
  const wanted = { operationClass: 'B' as const, bytesOut: isHead ? 0 : 1 };
  const require = (fromMemory: boolean) =>
    caps.require(payerOfRead(readPolicy), { ...wanted, fromMemory });
  return { toFind: () => require(tier === 'edge'), toMake: () => require(false) };
}

/**
 * Whether the work may be done; a response that does not need it says itself why
 * not.
 */
export async function mayWork(capCheck: Promise<void> | undefined): Promise<boolean> {
  try {
    await capCheck;
    return true;
  } catch {
    return false;
  }
}
