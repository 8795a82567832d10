// What all steps of one upload share.
import type { Attributes, Backend, Condition } from '../objects/backend.ts';
import type { SendObject } from '../objects/send-object.ts';
import type { Meter } from '../progress.ts';
import type { RetryPolicy } from '../retry.ts';
import type { ChecksumChoice, CustomDigest } from './digest.ts';
import type { Pauser } from './pauser.ts';

export type Transport = {
  readonly backend: Backend;
  readonly send: SendObject;
  readonly policy: RetryPolicy;
};

export type UploadTarget = { readonly bucket: string; readonly key: string };

export type UploadContext = Transport & {
  readonly target: UploadTarget;
  readonly attributes: Attributes;
  readonly condition: Condition;
  readonly checksum: ChecksumChoice | undefined;
  readonly digest: CustomDigest | undefined;
  readonly maxParallel: number;
  readonly meter: Meter;
  readonly pauser: Pauser;
  /** Ends the upload for good. */
  readonly stopped: AbortSignal;
};

/** Least time of an attempt, milliseconds; a stalled connection ends sometime. */
const ATTEMPT_MIN_MS = 60_000;
/** Slowest line that is waited for, bytes in a millisecond. */
const SLOWEST = 10;

/** The signal, and a limit of time for a body of that length. */
export const withLimit = (signal: AbortSignal, bytes: number): AbortSignal =>
  AbortSignal.any([signal, AbortSignal.timeout(ATTEMPT_MIN_MS + Math.ceil(bytes / SLOWEST))]);
