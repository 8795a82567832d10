// What readers and writers of headers look at: small views of a call, so that this
// folder knows nothing of calls as wholes.
import type { BucketHandle } from '../../../core/opened-bucket/bucket-handle.ts';
import type { ObjectKey, ObjectVersion } from '../../../domain/nouns.ts';
import type { DecideCall } from '../../access/decide-call.ts';
import type { Query } from '../../semantics/raw-path.ts';

/** A header by lower-case name; null where the request has none. */
export type HeaderLookup = (name: string) => string | null;

/**
 * Headers of a request, those of a form or of a presigned query included, and its
 * query.
 */
export type RequestHeaders = { readonly header: HeaderLookup; readonly query: Query };

/** The bucket that a call has opened, and what its caller may do there. */
export type BucketRights = {
  readonly bucket: Pick<BucketHandle, 'record'>;
  readonly decide: DecideCall;
};

/** Everything that the headers of a read depend on. */
export type ReadFacts = BucketRights & {
  readonly key: ObjectKey;
  readonly query: Query;
  readonly version: ObjectVersion;
  /** Whether the address has an origin of its own, apart from the console's. */
  readonly hasOwnOrigin: boolean;
};
