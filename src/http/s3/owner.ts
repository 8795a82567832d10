import type { BucketCall } from './call.ts';
import { element, textElement } from './xml-write.ts';

/**
 * The bucket's owner, who owns everything in it and is the only one who writes to it: as `Owner`, `Initiator` and so
 * on. The display name is known of the account that asks; a stranger is shown the id alone.
 */
export function ownerElement(call: BucketCall, name: string): string {
  return element(name, ownerFields(call));
}

/** ID and, for the owner, DisplayName. */
export function ownerFields({ bucket, principal }: BucketCall): string {
  const { ownerId } = bucket.record();
  const isOwner = principal.kind === 'account' && principal.account.id === ownerId;
  return textElement('ID', ownerId) + textElement('DisplayName', isOwner ? principal.account.displayName : null);
}
