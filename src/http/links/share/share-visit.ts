// What a request for a share link asks for: of which file, with which secrets, by
// which form. Called by answer-share.ts.
import { collect } from '../../../core/objects/collect.ts';
import { StorageError } from '../../../domain/errors.ts';
import {
  LINK_FORM_MAX_BYTES,
  LINK_PICK_FORM_MAX_BYTES,
} from '../../../domain/links/link-limits.ts';
import type { HttpRequest } from '../../request.ts';
import type { Query } from '../../semantics/raw-path.ts';
import type { LinkRequest } from '../create-links.ts';
import { basicPassword, type ShownSecrets } from './open-share.ts';
import { SHARE_QUERY } from './share-hrefs.ts';
import type { PickedFiles } from './share-zip.ts';

/** What a request for an open link is about. */
type VisitDetails = {
  readonly query: Query;
  /** Below the link, decoded; '' the link itself. */
  readonly path: string;
  readonly form: readonly (readonly [name: string, value: string])[];
};

export type Visit = LinkRequest & VisitDetails;

export function requireMethod({ method }: HttpRequest): void {
  if (method === 'GET' || method === 'HEAD' || method === 'POST') return;
  throw new StorageError('MethodNotAllowed', { fields: { Allow: 'GET, HEAD, POST' } });
}

export function readFormBody(request: HttpRequest, query: Query): Promise<Uint8Array> {
  const maxBytes = query.has(SHARE_QUERY.zip) ? LINK_PICK_FORM_MAX_BYTES : LINK_FORM_MAX_BYTES;
  return collect(request.body(), maxBytes);
}

export function secretsOf({ request, query, form }: Visit): ShownSecrets {
  const field = (wanted: string) => form.find(([name]) => name === wanted)?.[1] ?? null;
  return {
    ticket: query.get(SHARE_QUERY.ticket) ?? field(SHARE_QUERY.ticket),
    password: field('password') ?? basicPassword(request),
  };
}

export function pickedFilesOf({ query, form, path }: Visit): PickedFiles {
  const picks = [...query.entries, ...form]
    .filter(([name, value]) => name === SHARE_QUERY.pick && value !== '')
    .map(([, value]) => value);
  return { path: path.endsWith('/') ? path : '', picks };
}
