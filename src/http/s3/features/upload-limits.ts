// Limits that are signed into a presigned URL: the least and most bytes, the media
// types, the prefix of keys and the number of uses. Enforced before the first byte
// of the body is stored; a body of undeclared length is cut where it passes the
// limit and leaves nothing.
import type { Core } from '../../../core/core.ts';
import { withUrlUse } from '../../../core/objects/url-uses.ts';
import { sha256Hex } from '../../../crypto/hash.ts';
import { StorageError } from '../../../domain/errors.ts';
import { isTypeListed } from '../../../domain/links/media-types.ts';
import type { ByteSource } from '../../../ports/byte-source.ts';
import type { Query } from '../../semantics/raw-path.ts';
import type { S3Call } from '../call/call.ts';
import type { OperationName } from '../call/detect.ts';
import {
  limitNames,
  OWN_PARAMETERS,
  readUploadLimits,
  type UploadLimitName,
  type UploadLimits,
} from '../headers/upload-limits.ts';
import { MAX_EXPIRES_SECONDS } from '../signature/request-time.ts';
import type { Feature } from './feature.ts';

/** Limits that make sense for an operation; of all others a URL may have none. */
const LIMITS_OF: Partial<Record<OperationName, ReadonlySet<UploadLimitName>>> = {
  PutObject: new Set(['minBytes', 'maxBytes', 'contentTypes', 'keyPrefix', 'maxUses']),
  UploadPart: new Set(['minBytes', 'maxBytes', 'keyPrefix', 'maxUses']),
  CreateMultipartUpload: new Set(['contentTypes', 'keyPrefix', 'maxUses']),
};
/** Parameters of ours that are no limits of uploads. */
const OTHER_PARAMETERS: ReadonlySet<string> = new Set(['x-quayside-receipt']);

/**
 * Screens with InvalidRequest (limits where they can't hold), InvalidArgument,
 * AccessDenied (the type or the number of uses), EntityTooLarge, EntityTooSmall.
 * Cost of a URL with a number of uses: a commit of its own; of the others nothing.
 */
export function createUploadLimits(core: Core): Feature {
  /** Limits by the query that says them, which all steps of a call share. */
  const known = new WeakMap<Query, UploadLimits | null>();
  function limitsOf({ query }: S3Call): UploadLimits | null {
    let limits = known.get(query);
    if (limits === undefined) {
      limits = readUploadLimits(query);
      known.set(query, limits);
    }
    return limits;
  }

  return {
    triggers: [{ kind: 'parameters', prefix: OWN_PARAMETERS }],

    screen(call) {
      requireSense(call);
      const limits = limitsOf(call);
      if (limits === null) return;
      requireType(call.header('content-type'), limits);
      if (call.operation !== 'CreateMultipartUpload') requireLength(call.body.source, limits);
    },

    limit(call) {
      const limits = limitsOf(call);
      const hasBounds = limits !== null && (limits.minBytes ?? limits.maxBytes) !== null;
      if (!hasBounds) return call;
      return { ...call, body: { ...call.body, source: bounded(call.body.source, limits) } };
    },

    wrap({ call, bucket }, handle) {
      const maxUses = limitsOf(call)?.maxUses ?? null;
      if (maxUses === null || bucket === null) return handle;
      // Only a right signature comes here, and each URL has one of its own.
      const id = sha256Hex(call.query.get('X-Amz-Signature') ?? '');
      const use = { id, maxUses, ttlSeconds: MAX_EXPIRES_SECONDS };
      return () => withUrlUse(core, bucket, use, async () => handle());
    },
  };
}

/** Refuses limits that would not be enforced. InvalidRequest, InvalidArgument. */
function requireSense(call: S3Call): void {
  const allowed = LIMITS_OF[call.operation];
  const limits = limitNames(call.query);
  if (limits.length > 0 && (!call.isPresigned || !call.isQuerySigned)) {
    throw new StorageError('InvalidRequest', {
      detail: 'Limits of uploads are for URLs that are presigned with Signature Version 4.',
    });
  }
  for (const [name, limit] of limits) {
    if (allowed?.has(limit) === true) continue;
    throw new StorageError('InvalidRequest', {
      detail: `${name} is not possible with ${call.operation}.`,
    });
  }
  if (allowed === undefined || !call.isPresigned) return;
  const known = new Set(limits.map(([name]) => name));
  for (const [name] of call.query.entries) {
    const isOurs = name.toLowerCase().startsWith(OWN_PARAMETERS);
    if (!isOurs || known.has(name) || OTHER_PARAMETERS.has(name)) continue;
    throw new StorageError('InvalidArgument', {
      detail: 'There is no parameter of this name; those of limits are in lower case.',
      fields: { ArgumentName: name.slice(0, 100) },
    });
  }
}

/** AccessDenied for another media type than the URL was signed for. */
function requireType(contentType: string | null, { contentTypes }: UploadLimits): void {
  if (contentTypes === null || isTypeListed(contentType, contentTypes)) return;
  throw new StorageError('AccessDenied', {
    detail: `This URL takes the media types ${contentTypes.join(', ')} only.`,
  });
}

/** Refuses a declared length before anything is read. */
function requireLength({ lengthBytes }: ByteSource, limits: UploadLimits): void {
  if (lengthBytes === null) return;
  requireAtMost(lengthBytes, limits);
  requireAtLeast(lengthBytes, limits);
}

function requireAtMost(sizeBytes: number, { maxBytes }: UploadLimits): void {
  if (maxBytes === null || sizeBytes <= maxBytes) return;
  throw new StorageError('EntityTooLarge', {
    fields: { ProposedSize: `${sizeBytes}`, MaxSizeAllowed: `${maxBytes}` },
  });
}

function requireAtLeast(sizeBytes: number, { minBytes }: UploadLimits): void {
  if (minBytes === null || sizeBytes >= minBytes) return;
  throw new StorageError('EntityTooSmall', {
    fields: { ProposedSize: `${sizeBytes}`, MinSizeAllowed: `${minBytes}` },
  });
}

/** The body, cut where it passes the limits. */
function bounded(source: ByteSource, limits: UploadLimits): ByteSource {
  return {
    get lengthBytes() {
      return source.lengthBytes;
    },
    provenSha256Hex: source.provenSha256Hex ?? null,
    async pump(onChunk, isBorrowed) {
      let sizeBytes = 0;
      await source.pump((chunk) => {
        sizeBytes += chunk.length;
        requireAtMost(sizeBytes, limits);
        return onChunk(chunk);
      }, isBorrowed);
      requireAtLeast(sizeBytes, limits);
    },
  };
}
