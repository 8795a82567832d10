// What an entry of the operation table says: who may call the operation, what body
// it takes, how it is metered, which headers it refuses and who handles it. The
// entries stand beside it, the whole table is operations.ts.

import type { AccountAction } from '../../../../core/auth/key-scope.ts';
import type { BucketAction, ObjectAction } from '../../../../core/auth/policy/actions.ts';
import type { Core } from '../../../../core/core.ts';
import type { VersionChange } from '../../../../domain/object-facts.ts';
import type { OperationClass } from '../../../../ports/metering.ts';
import type {
  AccountCall,
  BucketCall,
  NewBucketCall,
  ObjectCall,
  PrefixCall,
  S3Call,
  S3Response,
  VersionCall,
} from '../../call/call.ts';

type Handle<Call> = (call: Call, core: Core) => S3Response | Promise<S3Response>;

/** The right that an operation needs; `versionAction` when it names a version. */
type NeedsObject = { readonly action: ObjectAction; readonly versionAction?: ObjectAction };

/**
 * `scope` says what is opened before `handle` runs, and so what the right is
 * decided on. `object`: on the key, whether or not there is an object. `version`:
 * on the version that is found. `upload`: on the key, but who began the upload
 * always may. `keys`: the request lists the keys, each of which `handle` decides
 * on, and only who may do it to some key gets there. An account's own operations
 * need no right, unless its key has a scope.
 */
type Scope =
  | {
      readonly scope: 'account';
      readonly action: AccountAction;
      readonly handle: Handle<AccountCall>;
    }
  | { readonly scope: 'new-bucket'; readonly handle: Handle<NewBucketCall> }
  | { readonly scope: 'bucket'; readonly action: BucketAction; readonly handle: Handle<BucketCall> }
  | { readonly scope: 'prefix'; readonly action: BucketAction; readonly handle: Handle<PrefixCall> }
  | ({ readonly scope: 'keys'; readonly handle: Handle<BucketCall> } & Required<NeedsObject>)
  | ({ readonly scope: 'object'; readonly handle: Handle<ObjectCall> } & NeedsObject)
  | ({
      readonly scope: 'version';
      readonly handle: Handle<VersionCall>;
      /** Reads from the body what the request sets and a policy may go by. */
      readonly readChange?: (call: S3Call, nowMs: number) => Promise<VersionChange>;
    } & Required<NeedsObject>)
  | {
      readonly scope: 'upload';
      readonly action: ObjectAction;
      readonly handle: Handle<ObjectCall>;
    };

/** One operation: how it is authorised, and the rest of its entry. */
export type Operation = Scope & {
  /**
   * `document`: a small body read whole (XML, a policy); `stream`: an object's
   * bytes; `none`: a body is not looked at.
   */
  readonly body: 'none' | 'document' | 'stream';
  /**
   * Class of the request. Source: the classes of R2
   * (https://developers.cloudflare.com/r2/pricing/#class-a-operations).
   */
  readonly meter: OperationClass;
  /**
   * Headers that mean something that this service does not do: 501 NotImplemented,
   * so that no request is half understood.
   */
  readonly rejects: readonly string[];
};
