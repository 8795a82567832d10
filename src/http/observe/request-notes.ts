// What those who make a response note about it on the way: for metrics, the access
// log, Server-Timing and fresh-by.ts. Nobody decides anything by it. One object per
// request, made by the platform with the request.
import type { MadeChange } from '../../core/buckets/fresh-by.ts';
import type { BucketName } from '../../domain/nouns.ts';
import type { UsageOwner } from '../../ports/metering.ts';
import type { BodyOrigin, PointerTier } from '../delivery/cache-status.ts';

/** Which part of the service answered. */
export type Surface = 'delivery' | 'website' | 's3' | 'system' | 'api' | 'links';

export type RequestNotes = {
  /**
   * When the request came, in milliseconds of `performance.now()`. On Cloudflare
   * that clock moves at I/O only.
   */
  readonly startedMs: number;
  /**
   * When it was known what is read (delivery) or who may do what (S3), on the same
   * clock. The start until then.
   */
  foundMs: number;
  surface: Surface;
  /**
   * The S3 operation or, before it is known, `Unknown`. One of a fixed set: it is a
   * label.
   */
  operation: string;
  /**
   * A bucket that exists; strangers must not fill labels with names of their own.
   */
  bucket: BucketName | null;
  /** Who pays for the request; null until its bucket is known. */
  payer: UsageOwner | null;
  /** The key of the object that is asked for, as text. */
  key: string | null;
  /**
   * All bytes of that object, or of the part that was sent; null where there is
   * none, or nobody looked.
   */
  objectBytes: number | null;
  /** Whether the owner of that bucket wants a log of its requests. */
  isLogged: boolean;
  /** Whose signature was right. */
  accessKeyId: string | null;
  /** The account of that key. */
  requester: string | null;
  /**
   * What a document says that the request brought, once it was read; for the audit
   * log.
   */
  document: Uint8Array | null;
  /** What was changed, noted only where the request asks when that will be seen. */
  readonly changes: MadeChange[];
  /** S3's word for what went wrong. */
  errorCode: string | null;
  /** Where read policy and pointer came from; null where no tier was asked. */
  metadataTier: PointerTier | null;
  /** Where the body came from; null where there was none to look for. */
  bodyTier: BodyOrigin | null;
  /** Bytes of the body that is sent, if all goes well. */
  bodyBytes: number;
};

/** Cost: 50 ns, most of it the clock. */
export function newRequestNotes(): RequestNotes {
  const startedMs = performance.now();
  return {
    startedMs,
    foundMs: startedMs,
    surface: 's3',
    operation: 'Unknown',
    bucket: null,
    payer: null,
    key: null,
    objectBytes: null,
    isLogged: false,
    accessKeyId: null,
    requester: null,
    document: null,
    changes: [],
    errorCode: null,
    metadataTier: null,
    bodyTier: null,
    bodyBytes: 0,
  };
}

/**
 * The tier that gave the body's first bytes, null without a body; a body in the row
 * came with its pointer.
 */
export function bodySource({ metadataTier, bodyTier }: RequestNotes): string | null {
  if (bodyTier === 'index') return metadataTier ?? 'index';
  return bodyTier === 'none' ? null : bodyTier;
}
