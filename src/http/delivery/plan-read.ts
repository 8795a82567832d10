// What a read is to get, worked out before anything is opened: its conditions, its
// range and what it would use. Called by deliver.ts. Pure, but for a look at what
// stands in memory.
import type { Core } from '../../core/core.ts';
import { isInMemory } from '../../core/objects/read-object.ts';
import { StorageError } from '../../domain/errors.ts';
import type { Pointer } from '../../domain/nouns.ts';
import type { HttpRequest } from '../request.ts';
import { isIfRangeSatisfied } from '../semantics/conditional.ts';
import { parseHttpDate } from '../semantics/http-date.ts';
import type { HeaderRecord } from '../semantics/object-headers.ts';
import { bytesOf, type HttpRange, parseRange } from '../semantics/range.ts';
import type { PlannedUse, SentPart } from './features/read-feature.ts';
import type { ObjectRead, SentRange } from './object-read.ts';
import type { Choice } from './representation.ts';

type Validators = Pick<Pointer, 'etag' | 'lastModifiedMs'>;

/** What conditions are compared with. */
export function validatorsOf(pointer: Pointer, choice: Choice | null): Validators {
  return choice === null ? pointer : { etag: choice.etag, lastModifiedMs: pointer.lastModifiedMs };
}

/**
 * The range that is sent, of the representation that was chosen, and what features
 * add to its headers. InvalidRange, and the errors of features.
 */
export function readSentRange(
  read: ObjectRead,
  choice: Choice | null,
  { etag, lastModifiedMs }: Validators,
): SentRange {
  const { readRequest, pointer, prepared } = read;
  const representation = choice?.representation ?? null;
  const sizeBytes = representation?.bytes.length ?? pointer.sizeBytes;
  const target = { etag, lastModifiedMs, sizeBytes };
  const range = readRange(readRequest.request, target, prepared.isNegotiated(pointer));
  const { offsetBytes, lengthBytes } = bytesOf(range, sizeBytes);
  const added = addedHeaders(read, { representation, isWhole: range === 'whole' });
  const origin = choice?.origin ?? 'memory';
  return { representation, origin, range, offsetBytes, lengthBytes, added };
}

const joinHeaders = (all: HeaderRecord | null, added: HeaderRecord): HeaderRecord =>
  all === null ? added : { ...all, ...added };

function addedHeaders(read: ObjectRead, part: SentPart): HeaderRecord | null {
  let all: HeaderRecord | null = null;
  for (const addHeaders of read.features.addHeaders) {
    const added = addHeaders(read, part);
    if (added !== null) all = joinHeaders(all, added);
  }
  return all;
}

/** What the response would use. */
export function planUse(
  { readRequest }: ObjectRead,
  { lengthBytes }: SentRange,
  fromMemory: boolean,
): PlannedUse {
  const bytesOut = readRequest.request.method === 'HEAD' ? 0 : lengthBytes;
  return { operationClass: 'B', bytesOut, fromMemory };
}

/** Whether what is sent can be had without a tier below memory and edge. */
export function isAtHand(
  core: Core,
  { readRequest, pointer }: ObjectRead,
  { representation, origin, offsetBytes, lengthBytes }: SentRange,
): boolean {
  if (readRequest.request.method === 'HEAD') return true;
  if (representation !== null) return origin !== 'bucket';
  return isInMemory(core, pointer, { offsetBytes, lengthBytes });
}

type RangeTarget = Pick<Pointer, 'etag' | 'lastModifiedMs' | 'sizeBytes'>;

/**
 * What the Range header asks for, if it counts: for GET alone, so HEAD tells of the
 * whole object (S3 itself, and so our signed HEAD, answers 206). A date does not
 * tell which of several representations a reader has, so none may go on by it.
 * InvalidRange. Source: RFC 9110 sections 14.2 and 13.1.5.
 */
function readRange(
  request: HttpRequest,
  target: RangeTarget,
  hasSeveral: boolean,
): HttpRange | 'whole' {
  const header = request.method === 'GET' ? request.header('range') : null;
  if (header === null) return 'whole';
  const ifRange = request.header('if-range');
  if (!isIfRangeSatisfied(ifRange, target)) return 'whole';
  if (hasSeveral && ifRange !== null && parseHttpDate(ifRange) !== null) return 'whole';

  const range = parseRange(header, target.sizeBytes);
  if (range !== 'unsatisfiable') return range;
  throw new StorageError('InvalidRange', {
    fields: { RangeRequested: header, ActualObjectSize: `${target.sizeBytes}` },
  });
}
