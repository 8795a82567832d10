// A request to a drop link, as the handlers beside this file get it: the link as it
// is now, and what they all need of it.
import type { CapGuard } from '../../../core/caps/cap-guard.ts';
import type { Core } from '../../../core/core.ts';
import { type OpenedDropLink, openDropLink } from '../../../core/links/drop/open-drop-link.ts';
import { findSender } from '../../../core/links/drop/senders.ts';
import { createSourceLimit, type SourceLimit } from '../../../core/links/source-limit.ts';
import { StorageError } from '../../../domain/errors.ts';
import { networkOf } from '../../../domain/ip-range.ts';
import { type DropSender, requireNotClosed } from '../../../domain/links/drop-link.ts';
import type { LinkEntry } from '../../../domain/links/link-ids.ts';
import {
  DROP_BEGUN_PER_SENDER,
  DROP_BEGUN_PER_SOURCE,
  DROP_BEGUN_WINDOW_MS,
  DROP_CODE_TRIES,
  DROP_CODE_WAIT_MS,
  DROP_WASTED_PER_SOURCE,
} from '../../../domain/links/link-limits.ts';
import type { BucketRecord } from '../../../domain/nouns.ts';
import type { UsageOwner } from '../../../ports/metering.ts';
import { noteChange } from '../../fresh-by.ts';
import { makeResponse } from '../../outgoing-body.ts';
import type { HttpRequest } from '../../request.ts';
import type { LinkRequest } from '../create-links.ts';
import { createDropBodies, type DropBodies } from './drop-bodies.ts';

/** The header in which a program sends the code of its sender. */
export const CODE_HEADER = 'x-quayside-drop-code';

/** What all requests share; counts of one process. */
export type DropServices = {
  readonly core: Core;
  /** Absent: there are no caps. */
  readonly caps: CapGuard | undefined;
  readonly region: string;
  readonly wrongCodes: SourceLimit;
  /** Files that were begun and not ended; begun-files.ts counts them. */
  readonly begun: { readonly bySource: SourceLimit; readonly bySender: SourceLimit };
  /** Bodies of which nothing stayed; begun-files.ts counts them. */
  readonly wasted: SourceLimit;
  readonly bodies: DropBodies;
};

/** One request with the link that it is for. */
export type DropCall = DropServices & {
  readonly request: HttpRequest;
  readonly requestId: string;
  readonly entry: LinkEntry;
  readonly opened: OpenedDropLink;
  /** `/-/d/{name}`, as it was asked for. */
  readonly basePath: string;
};

export function createDropServices(
  core: Core,
  caps: CapGuard | undefined,
  region: string,
): DropServices {
  return {
    ...{ core, caps, region },
    wrongCodes: createSourceLimit(DROP_CODE_TRIES, DROP_CODE_WAIT_MS),
    begun: {
      bySource: createSourceLimit(DROP_BEGUN_PER_SOURCE, DROP_BEGUN_WINDOW_MS),
      bySender: createSourceLimit(DROP_BEGUN_PER_SENDER, DROP_BEGUN_WINDOW_MS),
    },
    wasted: createSourceLimit(DROP_WASTED_PER_SOURCE, DROP_BEGUN_WINDOW_MS),
    bodies: createDropBodies(core.ports.clock),
  };
}

/** Opens the link of a request. NoSuchResource. */
export async function openCall(
  services: DropServices,
  { request, requestId, entry, rawPath }: LinkRequest,
): Promise<DropCall> {
  const { region } = services;
  const opened = await openDropLink(services.core, entry, {
    originOf: () => ({
      operation: 'DropLink',
      principalId: 'Anonymous',
      sourceIp: request.remoteAddress ?? '',
      requestId,
      region,
    }),
    note: (bucket, change) => noteChange(request, bucket, change),
  });
  request.notes.bucket = opened.bucket.record().name;
  const whole = request.rawPath;
  const basePath = rawPath === null ? whole : whole.slice(0, whole.length - rawPath.length - 1);
  return { ...services, request, requestId, entry, opened, basePath };
}

/** Where a request comes from, as it is counted at this link. */
export const sourceOf = ({ request, opened }: DropCall): string =>
  `${opened.link.id} ${networkOf(request.remoteAddress)}`;

/** Whether the link takes files now. AccessDenied with the reason. */
export function requireOpen({ core, opened: { link } }: DropCall): void {
  requireNotClosed(link, core.ports.clock.nowMs());
}

/**
 * The sender whose code a request has. AccessDenied without one, or for a wrong one;
 * TooManyRequests after DROP_CODE_TRIES wrong ones from the source.
 */
export async function requireSender(call: DropCall, code: string | null): Promise<DropSender> {
  const { core, opened, wrongCodes } = call;
  const source = sourceOf(call);
  const nowMs = core.ports.clock.nowMs();
  const waitSeconds = wrongCodes.waitSeconds(source, nowMs);
  if (waitSeconds > 0) {
    throw new StorageError('TooManyRequests', {
      detail: 'Too many wrong codes came from your address.',
      fields: { RetryAfterSeconds: `${waitSeconds}` },
    });
  }
  if (code === null || code === '')
    throw new StorageError('AccessDenied', { detail: 'This needs the code of a sender.' });
  const sender = await findSender(opened, code);
  if (sender !== null) return sender;
  wrongCodes.count(source, nowMs);
  throw new StorageError('AccessDenied', { detail: 'Nobody has this code here.' });
}

/** Who pays for what is stored: the owner of the bucket. */
export function payerOf({ ownerId, id }: BucketRecord): UsageOwner {
  return { accountId: ownerId, bucketId: id, accessKeyId: null };
}

/** Refuses what a cap of the owner has no room for. Cost without caps: nothing. */
export async function requireUnderCaps(call: DropCall, storedBytes: number): Promise<void> {
  const record = call.opened.bucket.record();
  if (call.caps === undefined || record.settings.isCapped !== true) return;
  const payer = payerOf(record);
  await call.caps.require(payer, { operationClass: 'A', bytesOut: 0, fromMemory: false });
  await call.caps.requireStorage(payer, storedBytes);
}

/** Counts requests of class A that changed something: what is refused is nobody's bill. */
export function countWrites({ core, opened }: DropCall, times: number): void {
  const counter = core.ports.meter.of(payerOf(opened.bucket.record()));
  for (let count = 0; count < times; count++) counter.count('A', 0, 'none', 'STANDARD');
}

const encoder = new TextEncoder();

/** A JSON document that nobody stores. */
export function jsonResponse(
  request: HttpRequest,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): Response {
  const bytes = encoder.encode(JSON.stringify(value));
  request.notes.bodyBytes = request.method === 'HEAD' ? 0 : bytes.length;
  const all = {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-length': `${bytes.length}`,
    ...headers,
  };
  return makeResponse(request, status, all, request.method === 'HEAD' ? null : bytes);
}
