// The surface of links: finds the link that an address names and gives the request
// to share links or to drop links. Called by app.ts. A link that does not exist, is
// of the other kind, or is not at home at this host answers alike.
import type { Core } from '../../core/core.ts';
import { StorageError } from '../../domain/errors.ts';
import {
  type LabelId,
  type LinkEntry,
  type LinkKind,
  parseLinkName,
} from '../../domain/links/link-ids.ts';
import type { LinkAddress } from '../address.ts';
import type { HttpRequest } from '../request.ts';
import { refuseServiceWorker } from '../semantics/active-content.ts';
import { createLinkEntryFinder } from './find-link-entry.ts';
import type { LinkFiles } from './page/link-files.ts';

/** A request for a link that the directory knows. */
export type LinkRequest = {
  readonly request: HttpRequest;
  readonly requestId: string;
  readonly entry: LinkEntry;
  /** Whose copy of the link it is; null: nobody's in particular. */
  readonly labelId: LabelId | null;
  /** Behind the name and its slash, still percent-encoded; null without a slash. */
  readonly rawPath: string | null;
};

/** Answers for one kind of links. NoSuchResource where the bucket has no such link. */
export type AnswerLinkRequest = (linkRequest: LinkRequest) => Response | Promise<Response>;

export type AnswerLink = (
  request: HttpRequest,
  address: LinkAddress,
  requestId: string,
) => Response | Promise<Response>;

/** The surfaces by kind; a kind without one has no links here. */
export type LinkSurfaces = Readonly<Partial<Record<LinkKind, AnswerLinkRequest>>>;

/**
 * Makes the surface. Errors: NoSuchResource, TooManyRequests, SlowDown, AccessDenied (for a
 * service worker), and of its kinds.
 */
export function createLinkSurface(
  core: Core,
  linkFiles: LinkFiles,
  surfaces: LinkSurfaces,
): AnswerLink {
  const findEntry = createLinkEntryFinder(core.ports);

  return (request, address, requestId) => {
    const { notes } = request;
    notes.surface = 'links';
    if (address.linkKind === 'file') return linkFiles.answer(request, address.rawName, requestId);
    notes.operation = address.linkKind === 'share' ? 'ShareLink' : 'DropLink';

    // Files of links share the origin of the service, at every host.
    refuseServiceWorker(request);
    const name = parseLinkName(address.rawName);
    if (name === null) throw new StorageError('NoSuchResource');
    const proceed = (entry: LinkEntry | null): Response | Promise<Response> => {
      const answer = entry === null ? undefined : surfaces[entry.kind];
      if (entry === null || answer === undefined || !isAt(entry, address))
        throw new StorageError('NoSuchResource');
      const { labelId } = name;
      return answer({ request, requestId, entry, labelId, rawPath: address.rawPath });
    };
    const entry = findEntry(name.id, request.remoteAddress);
    return entry instanceof Promise ? entry.then(proceed) : proceed(entry);
  };
}

/** Whether the link has that address: its kind's path, at a host of the service or its bucket. */
function isAt(entry: LinkEntry, { linkKind, binding }: LinkAddress): boolean {
  return entry.kind === linkKind && (binding === null || binding.bucketId === entry.bucket.id);
}
