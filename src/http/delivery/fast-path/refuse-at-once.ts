// The failures of public reads that memory can tell of: there is none, nobody may,
// not with this condition, not this range. Called by answer-at-once.ts. Status,
// headers and document are those of the full path, made by the same functions, and
// they count as there (answer-request.ts).
import type { Core } from '../../../core/core.ts';
import { ERROR_MESSAGES, type ErrorCode, StorageError } from '../../../domain/errors.ts';
import type { BucketReadPolicy, Pointer } from '../../../domain/nouns.ts';
import { withFailureHeaders } from '../../failure-with-headers.ts';
import { errorDocument, type S3ErrorHead, s3ErrorHead } from '../../s3/errors.ts';
import { namesHtml } from '../../semantics/accept-html.ts';
import { NO_GRANT } from '../../semantics/cors.ts';
import type { FeaturesOf } from '../features/read-feature.ts';
import type { PlainRead } from './fast-path.ts';
import type { FastPathCountsBySurface } from './fast-path-counts.ts';
import {
  documentResponse,
  type FastResponse,
  type ResponseOwner,
  wholeResponse,
} from './fast-response.ts';

/** Why a read is refused. */
export type RefusalCode = Extract<
  ErrorCode,
  'AccessDenied' | 'InvalidRange' | 'NoSuchBucket' | 'NoSuchKey' | 'PreconditionFailed'
>;
/** What the document says besides. */
type Fields = Readonly<Record<string, string>>;

/** The object that a read is refused, as far as it is known. */
export type Refused = {
  readonly owner: ResponseOwner;
  /** Null: there is no such bucket. */
  readonly readPolicy: BucketReadPolicy | null;
  /** Whose size a 416 tells. */
  readonly pointer: Pointer | null;
};

/** Answers and counts it, or gives null and does nothing. */
export type RefuseAtOnce = (
  read: PlainRead,
  code: RefusalCode,
  fields: Fields,
  refused: Refused,
) => FastResponse | null;

export type RefuseAtOnceOptions = {
  readonly counts: FastPathCountsBySurface;
  readonly featuresOf: FeaturesOf;
  readonly memoryHit: string;
};

/** Makes it. Cost: 1 µs, most of it the document. */
export function createRefuseAtOnce(core: Core, options: RefuseAtOnceOptions): RefuseAtOnce {
  const { ids, meter } = core.ports;
  const { counts, featuresOf } = options;
  const headOf = createRefusalHeads(options.memoryHit);

  return (read, code, fields, refused) => {
    const { owner, readPolicy } = refused;
    // Pages for people are the full path's, and so is every failure of a site.
    if (owner.surface !== 'delivery') return null;
    if (!read.isHead && namesHtml(read.header('accept'))) return null;
    if (readPolicy !== null && featuresOf(readPolicy).atOnce.leavesAll) return null;

    const { status, headers } = headOf(code, fields, refused);
    if (readPolicy !== null) meter.ofReadPolicy(readPolicy).block();
    const shownOwner = readPolicy === null ? { ...owner, bucket: null } : owner;
    if (read.isHead) {
      counts.delivery.headRefused += 1;
      return wholeResponse(status, headers, shownOwner, null);
    }
    counts.delivery.getRefused += 1;
    const requestId = ids.requestId();
    const bytes = errorDocument(
      { code, fields, message: ERROR_MESSAGES[code] },
      { requestId, resource: read.rawPath },
    );
    return documentResponse(status, headers, shownOwner, { bytes, requestId });
  };
}

type HeadsByCode = Partial<Record<ErrorCode, S3ErrorHead>>;

/**
 * Makes the memo of heads: by the settings of a bucket, whose CORS rules they show,
 * and those of a 416 by the object besides. Ids in them are empty.
 */
function createRefusalHeads(
  memoryHit: string,
): (code: RefusalCode, fields: Fields, refused: Refused) => S3ErrorHead {
  const ofNoBucket: HeadsByCode = {};
  const bySettings = new WeakMap<BucketReadPolicy['settings'], HeadsByCode>();
  const byPointer = new WeakMap<
    Pointer,
    { readonly settings: BucketReadPolicy['settings']; readonly head: S3ErrorHead }
  >();

  function make(code: RefusalCode, fields: Fields, { readPolicy }: Refused): S3ErrorHead {
    const cors = readPolicy === null || readPolicy.settings.cors === null ? null : NO_GRANT;
    const added = { ...(code === 'NoSuchKey' ? { 'cache-status': memoryHit } : null), ...cors };
    return s3ErrorHead(withFailureHeaders(new StorageError(code, { fields }), added), '');
  }

  return (code, fields, refused) => {
    const { pointer, readPolicy } = refused;
    const settings = readPolicy?.settings ?? null;
    if (code === 'InvalidRange' && pointer !== null && settings !== null) {
      let known = byPointer.get(pointer);
      if (known?.settings !== settings) {
        known = { settings, head: make(code, fields, refused) };
        byPointer.set(pointer, known);
      }
      return known.head;
    }

    let heads = settings === null ? ofNoBucket : bySettings.get(settings);
    if (heads === undefined) {
      heads = {};
      if (settings !== null) bySettings.set(settings, heads);
    }
    heads[code] ??= make(code, fields, refused);
    return heads[code];
  };
}
