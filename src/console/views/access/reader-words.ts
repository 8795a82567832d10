// Who may do what, as sentences, with the line that gives it.
import type { AccessEntry, AccessReason, AccessRight } from 'quayside/client';
import { count } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';

export function holderName({ who }: AccessEntry): string {
  const texts = t().access.holders;
  switch (who.kind) {
    case 'strangers':
      return texts.strangers;
    case 'any-account':
      return texts.anyAccount;
    case 'account':
      return texts.account(who.name || who.accountId.slice(0, 12));
    case 'owner':
      return texts.owner;
    case 'role': {
      const role = t().access.roles[who.role];
      return who.members === null ? role : texts.role(role, count(who.members));
    }
    case 'key':
      return texts.key(who.name || who.accessKeyId);
  }
}

/** `Everyone may read this.` */
export function rightSentence(entry: AccessEntry, right: AccessRight, isFolder: boolean): string {
  const texts = t().access;
  const who = holderName(entry);
  const act = texts.acts[right.action];
  const thing = isFolder ? texts.allBelow : texts.this;
  const sentence = texts.sentences[right.allowed](who, act, thing);
  const open = right.dependsOn.join(', ');
  return right.allowed === 'depends' && open !== ''
    ? `${sentence} ${texts.dependsOn(open)}`
    : sentence;
}

/** `Statement 2 (PublicRead) of the bucket policy allows it.` */
export function reasonSentence(reason: AccessReason): string {
  const texts = t().access.reasons;
  switch (reason.source) {
    case 'owner':
      return texts.owner;
    case 'object-owner':
      return texts.objectOwner;
    case 'bucket-policy': {
      const name = reason.sid ?? '';
      if (reason.statement === null) return texts.unreadablePolicy;
      return reason.effect === 'Allow'
        ? texts.policyAllows(`${reason.statement}`, name)
        : texts.policyDenies(`${reason.statement}`, name);
    }
    case 'acl':
      return texts.acl(texts.lists[reason.list], reason.permission);
    case 'key-scope':
      return texts.keyScope(reason.limit);
    case 'key-state':
      return texts.keyState[reason.state];
    case 'role':
      return texts.role(reason.scope);
    case 'block-public-access':
      return texts.block(reason.setting);
    case 'nothing':
      return texts.nothing;
  }
}
