// One read on its way through delivery, as its steps and features see it. Made by
// deliver.ts and, for the fast path, by fast-path/answer-at-once.ts. Types only.

import type { OpenedBody } from '../../core/objects/read-object.ts';
import type { BucketId, BucketReadPolicy, ObjectKey, Pointer } from '../../domain/nouns.ts';
import type { MetadataLookup } from '../../ports/caches/hot-metadata.ts';
import type { HttpRequest } from '../request.ts';
import type { HeaderRecord } from '../semantics/object-headers.ts';
import type { HttpRange } from '../semantics/range.ts';
import type { BucketFeatures } from './features/read-feature.ts';
import type { HeaderProfile } from './header-profile.ts';
import type { PreparedHeaders } from './prepared-headers.ts';
import type { Choice, Representation } from './representation.ts';

/** A request for one key. */
export type ReadRequest = {
  readonly request: HttpRequest;
  readonly requestId: string;
  readonly key: ObjectKey;
  readonly hasOwnOrigin: boolean;
  /** What a site does to the headers; null at S3's addresses. */
  readonly profile: HeaderProfile | null;
  /** What only a call of S3 says; null for all others. */
  readonly options: RequestedOptions | null;
  /** A link that lets the reader in, whatever the bucket's policy says; absent: none. */
  readonly invitation?: ReadInvitation;
};

/** What an S3 call says of a read: s3/routes.ts has looked for it. */
export type RequestedOptions = {
  /**
   * The bucket whose owner has signed the call, and was let in by that: an image,
   * of any size. Null: nobody's signature.
   */
  readonly ownersBucket: BucketId | null;
  /** The account whose the bucket must be, else AccessDenied; null: whoever's. */
  readonly expectedOwner: string | null;
  /** The x-amz-checksum-mode. */
  readonly checksumMode: string | null;
};

/** How a link lets its reader in. */
export type ReadInvitation = {
  /** Takes a place for what is about to be sent; null: nobody counts. */
  readonly take: ((read: ObjectRead, sent: SentRange) => Promise<TakenPlace>) | null;
};

/** A place that a link has given to one response. */
export type TakenPlace = {
  /** The body to send in place of this one, which counts how far it comes. */
  watch(body: SentBody['body']): SentBody['body'];
  /** Nothing is sent after all. */
  release(): void;
};

/** An object whose bucket is there, and how its responses get their headers. */
export type ReadableObject = {
  readonly readPolicy: BucketReadPolicy;
  readonly pointer: Pointer;
  readonly profile: HeaderProfile;
};

/** A read of an object that the reader may have. */
export type ObjectRead = ReadableObject & {
  readonly readRequest: ReadRequest;
  readonly found: MetadataLookup;
  readonly features: BucketFeatures;
  readonly prepared: PreparedHeaders;
  /** What the bucket's CORS rules add to the response; null when it has none. */
  readonly cors: Readonly<HeaderRecord> | null;
  /** Otherwise no shared cache may keep the response. */
  readonly isForEveryone: boolean;
  /**
   * Whether the owner of the bucket has signed the request, and was let in by that.
   */
  readonly isOwners: boolean;
};

/** The range of an object that is sent. `representation` null: its stored bytes. */
export type SentRange = {
  readonly representation: Representation | null;
  /**
   * Where the representation stands; the tier of stored bytes is known when they
   * are open.
   */
  readonly origin: Choice['origin'];
  readonly range: HttpRange | 'whole';
  readonly offsetBytes: number;
  readonly lengthBytes: number;
  /** Headers that features add; null for none. */
  readonly added: Readonly<HeaderRecord> | null;
};

/** A body that is sent, and where it comes from. */
export type SentBody = Pick<OpenedBody, 'body' | 'tier'>;
