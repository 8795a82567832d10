// What a command of the index changes of what readers may cache. Every cache of
// read policies, pointers or bucket records uses this one list, so that no command
// is forgotten in one of them.

import { isSiteFileKey } from '../../domain/hosting.ts';
import type { KeyAction } from '../../domain/keys/key-jobs.ts';
import type { ObjectKey } from '../../domain/nouns.ts';
import type { IndexApi } from '../metadata-index.ts';

/**
 * Keys whose pointers may change, `readPolicy` for the bucket's own record,
 * `nothing` for every other call.
 */
export type IndexChange = readonly ObjectKey[] | 'readPolicy' | 'nothing';

/** A change that readers can see. */
export type ReaderChange = Exclude<IndexChange, 'nothing'>;

type InputOf<Name extends keyof IndexApi> = Parameters<IndexApi[Name]>[0];

/** What the call changes if it succeeds. The input may be without its bucket. */
export function changedBy(name: keyof IndexApi, input: unknown): IndexChange {
  switch (name) {
    case 'commitObject':
      return [(input as InputOf<'commitObject'>).object.key];
    case 'completeUpload':
      return [(input as InputOf<'completeUpload'>).key];
    case 'finishDropFile':
      return [(input as InputOf<'finishDropFile'>).toKey];
    case 'deleteObjects':
      return (input as InputOf<'deleteObjects'>).targets.map((target) => target.key);
    case 'updateVersion':
      return [(input as InputOf<'updateVersion'>).key];
    case 'exchangeBody':
      return [(input as InputOf<'exchangeBody'>).key];
    case 'repack':
      return (input as InputOf<'repack'>).bodies.map(({ key }) => key);
    case 'applyLifecycle':
      return (input as InputOf<'applyLifecycle'>).actions.flatMap(({ kind, key }) =>
        kind === 'expire' || kind === 'transition' ? [key] : [],
      );
    case 'commitCopies':
      return (input as InputOf<'commitCopies'>).copies.flatMap(({ toKeys }) => toKeys);
    case 'stepKeyJob':
      return (input as InputOf<'stepKeyJob'>).actions.flatMap(keysOf);
    case 'createBucket':
    case 'setBucketAccess':
    case 'setBucketSettings':
    case 'purgeBucket':
    case 'deleteBucket':
    case 'noteShards':
      return 'readPolicy';
    default:
      return 'nothing';
  }
}

const LINK_CHANGES: ReadonlySet<keyof IndexApi> = new Set([
  'addShareLink',
  'changeShareLink',
  'revokeShareLinks',
  'deleteShareLink',
  'putShareLabel',
]);

/** Whether the call changes what `findShareLink` says of some link of its bucket. */
export function changesLinks(name: keyof IndexApi): boolean {
  return LINK_CHANGES.has(name);
}

/** The keys whose current version an action of a job may change. */
function keysOf(action: KeyAction): readonly ObjectKey[] {
  switch (action.kind) {
    case 'move':
      return [action.key, ...action.toKeys];
    case 'copy':
      return action.toKeys;
    case 'unmove':
      return [action.key, action.toKey];
    case 'record':
      return [];
    default:
      return [action.key];
  }
}

/**
 * Whether the bucket read policy changes: the bucket's own record did, or a rule
 * file that the policy lists.
 */
export function changesReadPolicy(change: IndexChange): boolean {
  return change === 'readPolicy' || (change !== 'nothing' && change.some(isSiteFileKey));
}
