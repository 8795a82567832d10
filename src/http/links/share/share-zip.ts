// The ZIP of a share link: of a folder, of a set of keys, or of what somebody picked
// there, with its exact length. Made while it is sent; counted as a download of its
// own. Called by answer-share.ts.
import type { CapGuard } from '../../../core/caps/cap-guard.ts';
import type { Core } from '../../../core/core.ts';
import type { ShareVisitor } from '../../../core/links/share/share-counts.ts';
import { createSourceLimit } from '../../../core/links/source-limit.ts';
import { sha256Hex } from '../../../crypto/hash.ts';
import { createSemaphore } from '../../../domain/concurrency/semaphore.ts';
import { StorageError } from '../../../domain/errors.ts';
import { networkOf } from '../../../domain/ip-range.ts';
import type { ObjectSelection } from '../../../domain/keys/object-selection.ts';
import { LINK_PICKS_MAX, LINK_ZIPS_PER_MINUTE } from '../../../domain/links/link-limits.ts';
import type { BucketRecord } from '../../../domain/nouns.ts';
import { MINUTE_MS } from '../../../domain/time.ts';
import type { DecideCall } from '../../access/decide-call.ts';
import { countPart, countSent, makeResponse } from '../../outgoing-body.ts';
import type { HttpRequest } from '../../request.ts';
import { attachment } from '../../semantics/content-disposition.ts';
import { planZip } from '../../zip/plan-zip.ts';
import { createZipStream } from '../../zip/zip-stream.ts';
import type { OpenShare } from './open-share.ts';
import { openLinkBucket } from './share-files.ts';
import { SHARE_HEADERS } from './share-headers.ts';
import type { SharePlaces } from './share-places.ts';

/** ZIPs of links under way at once in a process, of one bucket and for one source. */
const ZIPS_MAX = 32;
const ZIPS_OF_BUCKET_MAX = 6;
const ZIPS_OF_SOURCE_MAX = 2;
/** A ZIP whose reader takes nothing for so long gives its place to others, milliseconds. */
const ZIP_IDLE_MS = 60_000;

/** What is to be in the ZIP: paths below the link; those of folders end in a slash. */
export type PickedFiles = { readonly path: string; readonly picks: readonly string[] };

export type AnswerShareZip = (
  request: HttpRequest,
  open: OpenShare,
  picked: PickedFiles,
  more: { readonly requestId: string; readonly visitor: ShareVisitor },
) => Promise<Response>;

/** A link has decided already: whoever it lets in may read all of its target. */
const decideAllowed: DecideCall = () => 'allowed';

/** Makes it. Errors: those of planZip, TooManyRequests, SlowDown, of caps; ShareClosed. */
export function createShareZip(
  core: Core,
  places: SharePlaces,
  caps: CapGuard | null,
): AnswerShareZip {
  const { clock, meter } = core.ports;
  const requestLimit = createSourceLimit(LINK_ZIPS_PER_MINUTE, MINUTE_MS);
  const zips = createSemaphore({ max: ZIPS_MAX, idleMs: ZIP_IDLE_MS, nowMs: clock.nowMs });

  return async (request, open, picked, { requestId, visitor }) => {
    const selection = selectionOf(open, picked);
    const source = networkOf(request.remoteAddress);
    requestLimit.take(`${open.entry.id} ${source}`, clock.nowMs());
    const slot = zips.take({
      tenant: open.entry.accountId,
      shares: [
        { name: `bucket ${open.entry.bucket.id}`, max: ZIPS_OF_BUCKET_MAX },
        { name: `source ${source}`, max: ZIPS_OF_SOURCE_MAX },
      ],
    });
    try {
      const bucket = await openLinkBucket(core, open.entry);
      const plan = await planZip(core, bucket, decideAllowed, selection);
      const { entries: planned, sizeBytes } = plan;
      const headers = {
        ...SHARE_HEADERS,
        'content-type': 'application/zip',
        'content-disposition': attachment(zipName(open, picked, bucket.record())),
        'content-length': `${sizeBytes}`,
        'cache-control': 'private, no-store',
        'accept-ranges': 'none',
        'x-amz-request-id': requestId,
      };
      if (request.method === 'HEAD') {
        slot.release();
        return makeResponse(request, 200, headers, null);
      }
      const owner = {
        accountId: bucket.record().ownerId,
        bucketId: bucket.record().id,
        accessKeyId: null,
      };
      const use = { operationClass: 'B', bytesOut: sizeBytes, fromMemory: false } as const;
      if (bucket.record().settings.isCapped === true) await caps?.require(owner, use);

      // In no order of their places, which may change before somebody asks again.
      const versions = planned.map(({ object }) => object.versionId).toSorted();
      const contentId = sha256Hex(`zip ${JSON.stringify(versions)}`);
      const part = { contentId, sizeBytes, offsetBytes: 0, lengthBytes: sizeBytes };
      const place = await places.take(request, open, part, visitor);
      const counter = meter.of(owner);
      const openObject = async (number: number) => {
        const object = planned[number]?.object;
        if (object === undefined) return null;
        const { storageClass, isInline } = object;
        const lengthBytes = isInline ? 0 : object.sizeBytes;
        const body = await plan.open(number);
        return countPart(counter, { storageClass, lengthBytes }, body);
      };
      const entries = planned.map(({ entry }) => entry);
      const hooks = { onPull: slot.renew, onEnd: slot.release };
      const body = place.watch(createZipStream(entries, openObject, hooks));
      const sent = {
        operationClass: 'free',
        bytesOut: sizeBytes,
        tier: 'bucket',
        storageClass: 'STANDARD',
      } as const;
      request.notes.bodyBytes = sizeBytes;
      return makeResponse(request, 200, headers, countSent(counter, sent, body));
    } catch (error) {
      slot.release();
      throw error;
    }
  };
}

/** NoSuchKey for what is not below the link; InvalidRequest for too many. */
function selectionOf({ link }: OpenShare, { path, picks }: PickedFiles): ObjectSelection {
  const { target } = link;
  if (target.kind === 'object') throw new StorageError('NoSuchKey');
  if (picks.length > LINK_PICKS_MAX)
    throw new StorageError('InvalidRequest', {
      detail: `One ZIP may have ${LINK_PICKS_MAX} things that were picked.`,
    });
  const base = target.prefix + path;
  if (target.kind === 'keys') {
    const known = new Set<string>(target.keys);
    const picked = picks.map((pick) => target.prefix + pick);
    if (picked.some((key) => !known.has(key))) throw new StorageError('NoSuchKey');
    return { base: target.prefix, keys: picks.length === 0 ? target.keys : picked, prefixes: [] };
  }
  if (picks.length === 0) return { base, keys: [], prefixes: [base] };
  const named = picks.map((pick) => target.prefix + pick);
  const isFolder = (name: string) => name.endsWith('/');
  return {
    base: target.prefix,
    keys: named.filter((name) => !isFolder(name)),
    prefixes: named.filter(isFolder),
  };
}

function zipName({ link }: OpenShare, { path }: PickedFiles, { name }: BucketRecord): string {
  const { target, page } = link;
  const prefix = target.kind === 'object' ? '' : target.prefix;
  const folder = (prefix + path).split('/').at(-2);
  return `${page.fileName ?? (path === '' ? page.title : null) ?? folder ?? name}.zip`;
}
