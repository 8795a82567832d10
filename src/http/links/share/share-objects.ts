// The file of a share link, and its logo, as delivery sends objects: with ranges,
// conditions and headers, in a place of the link where it counts. Called by
// answer-share.ts.
import type { Core } from '../../../core/core.ts';
import type { ShareVisitor } from '../../../core/links/share/share-counts.ts';
import { StorageError } from '../../../domain/errors.ts';
import { LINK_LOGO_MAX_BYTES } from '../../../domain/links/link-limits.ts';
import { isLimited, type ShareLink } from '../../../domain/links/share-links.ts';
import type { MetadataLookup } from '../../../ports/caches/hot-metadata.ts';
import { noteFound } from '../../delivery/count-read.ts';
import type { DeliverFound } from '../../delivery/deliver.ts';
import type { HttpRequest } from '../../request.ts';
import { isPdf } from '../../semantics/active-content.ts';
import { namedObject } from './named-object.ts';
import type { OpenShare } from './open-share.ts';
import { findNewest, findShared } from './share-files.ts';
import type { ShareProfiles, ShareUse } from './share-headers.ts';
import { SHARE_QUERY } from './share-hrefs.ts';
import type { SharePlaces } from './share-places.ts';
import type { Visit } from './share-visit.ts';

type ObjectParts = {
  readonly deliverFound: DeliverFound;
  readonly profiles: ShareProfiles;
  readonly places: SharePlaces;
  readonly visitorOf: (request: HttpRequest) => ShareVisitor;
};

/** Answers with an object. Errors: of delivery; NoSuchKey, ShareClosed. */
export type AnswerShareObject = (visit: Visit, open: OpenShare) => Promise<Response>;

/** Makes the answers with the file that a request names, and with the logo. */
export function createShareObjects(
  core: Core,
  { deliverFound, profiles, places, visitorOf }: ObjectParts,
): { readonly answerFile: AnswerShareObject; readonly answerLogo: AnswerShareObject } {
  return { answerFile, answerLogo };

  /** The file, as it is stored: no variant of it, so that all ranges are of the same bytes. */
  async function answerFile(visit: Visit, open: OpenShare): Promise<Response> {
    const { request, requestId, path, query } = visit;
    const { link, entry } = open;
    const { key, fileName } = namedObject(open, path);
    const found = await findShared(core, open, key);
    noteFound(request.notes, { bucket: entry.bucket.name, key }, found);
    const isShown = link.page.mode !== 'download' && query.has(SHARE_QUERY.show);
    const isWatched = isLimited(link) || link.cutsRunning;
    const visitor = visitorOf(request);
    return deliverFound(
      {
        request: isWatched ? withoutVariants(request) : withoutQuery(request),
        requestId,
        key,
        hasOwnOrigin: false,
        profile: profiles.of(link, fileName, isShown ? shownUse(found) : useOf(link)),
        options: null,
        invitation: {
          take: ({ pointer }, { offsetBytes, lengthBytes, representation }) => {
            const sizeBytes = representation?.bytes.length ?? pointer.sizeBytes;
            const part = { contentId: pointer.versionId, sizeBytes, offsetBytes, lengthBytes };
            return places.take(request, open, part, visitor);
          },
        },
      },
      found,
    );
  }

  async function answerLogo({ request, requestId }: Visit, open: OpenShare): Promise<Response> {
    const { logoKey } = open.link.page;
    if (logoKey === null) throw new StorageError('NoSuchKey');
    const found = await findNewest(core, open.entry, logoKey);
    // It counts against no limit, so it is no way to a large file.
    if ((found.pointer?.sizeBytes ?? 0) > LINK_LOGO_MAX_BYTES) throw new StorageError('NoSuchKey');
    return deliverFound(
      {
        request: withoutQuery(request),
        requestId,
        key: logoKey,
        hasOwnOrigin: false,
        profile: profiles.of(open.link, logoKey, 'shown'),
        options: null,
        invitation: { take: null },
      },
      found,
    );
  }
}

/** How a link sends a file that nobody asked to see. */
const useOf = ({ page }: ShareLink): ShareUse => (page.mode === 'view' ? 'shown' : 'taken');

/** How a file is shown: a PDF by the browser's viewer. */
function shownUse({ pointer }: MetadataLookup): ShareUse {
  return isPdf(pointer?.headers.contentType ?? '') ? 'pdf' : 'shown';
}

/** The request as delivery reads it: nothing of a link's own query means anything there. */
function withoutQuery(request: HttpRequest): HttpRequest {
  return request.rawQuery === '' ? request : { ...request, rawQuery: '' };
}

/** And where bytes are counted: one representation alone, so that ranges fit together. */
function withoutVariants(request: HttpRequest): HttpRequest {
  const header = (name: string) => (name === 'accept-encoding' ? null : request.header(name));
  return { ...request, rawQuery: '', header };
}
