// The surface of drop links: a page for browsers, tus and JSON for programs, and a
// form for browsers without scripts. create-links.ts finds the link first. What is
// refused is nobody's bill: only what changed something is counted.
import type { CapGuard } from '../../../core/caps/cap-guard.ts';
import type { Core } from '../../../core/core.ts';
import { addSender } from '../../../core/links/drop/senders.ts';
import { joinBytes } from '../../../crypto/join-bytes.ts';
import { hasCode, StorageError } from '../../../domain/errors.ts';
import { type DropFields, dropStateOf } from '../../../domain/links/drop-link.ts';
import { makeResponse } from '../../outgoing-body.ts';
import { ERROR_STATUS, isFault, shownFailure } from '../../semantics/error-status.ts';
import { failureHeaders } from '../../semantics/failure-headers.ts';
import { parseQuery } from '../../semantics/raw-path.ts';
import type { AnswerLinkRequest, LinkRequest } from '../create-links.ts';
import type { LinkFiles } from '../page/link-files.ts';
import { wantsPage } from '../wants-page.ts';
import { answerForm } from './drop-form.ts';
import type { DropPages } from './drop-page.ts';
import {
  CODE_HEADER,
  createDropServices,
  type DropCall,
  jsonResponse,
  openCall,
  requireOpen,
  requireSender,
} from './drop-request.ts';
import { readReceipt, showFile } from './receipt.ts';
import { answerTus } from './tus.ts';

/** Bytes of a document by which a sender says who he is. */
const SENDER_MAX_BYTES = 32 * 1024;
/** Reasons for which a link has ended. */
const GONE: ReadonlySet<string | undefined> = new Set(['revoked', 'expired']);

export function createDropSurface(
  core: Core,
  linkFiles: LinkFiles,
  options: { readonly caps: CapGuard | undefined; readonly region: string },
): AnswerLinkRequest {
  const services = createDropServices(core, options.caps, options.region);
  const pages = pagesOf(linkFiles);

  return async (linkRequest) => {
    const { rawPath } = linkRequest;
    const isForPage = rawPath === null || rawPath === '';
    const call = await openCall(services, linkRequest);
    try {
      return await (isForPage ? answerRoot(call, pages) : answerBelow(call, rawPath));
    } catch (error) {
      if (isFault(error)) throw error;
      if (isForPage && isPageWanted(call)) return pages.failure(call, shownFailure(error));
      return failure(linkRequest, error);
    }
  };
}

/** The pages; what makes them is loaded by the first one: programs never need it. */
function pagesOf(files: LinkFiles): DropPages {
  const load = async () => (await import('./drop-page.ts')).createDropPages(files);
  return {
    start: async (call) => (await load()).start(call),
    receipt: async (call, answer) => (await load()).receipt(call, answer),
    failure: async (call, error) => (await load()).failure(call, error),
  };
}

/** A form is sent by a page, and its answer is one, unless a program says otherwise. */
function isPageWanted({ request }: DropCall): boolean {
  if (request.method === 'POST') return request.header('accept')?.includes('text/html') === true;
  return wantsPage(request);
}

async function answerRoot(call: DropCall, pages: DropPages): Promise<Response> {
  const { request } = call;
  switch (request.method) {
    case 'GET':
    case 'HEAD':
      return isPageWanted(call) ? pages.start(call) : jsonResponse(request, 200, describe(call));
    case 'POST': {
      const answer = await answerForm(call);
      if (isPageWanted(call)) return pages.receipt(call, answer);
      return jsonResponse(request, answer.isComplete ? 200 : 400, {
        code: answer.code,
        files: answer.receipt.files.map((file) => showFile(file, call.basePath)),
        next: answer.receipt.next,
        refused: answer.refused,
      });
    }
    default:
      throw new StorageError('MethodNotAllowed', { fields: { Allow: 'GET, HEAD, POST' } });
  }
}

async function answerBelow(call: DropCall, rawPath: string): Promise<Response> {
  const { request } = call;
  const [room = '', name = null, more] = rawPath.split('/', 3);
  if (room === 'files' && more === undefined) return answerTus(call, name === '' ? null : name);
  if (name === null && room === 'senders' && request.method === 'POST') return answerSender(call);
  if (name === null && room === 'receipt' && request.method === 'GET') return answerReceipt(call);
  throw new StorageError('NoSuchResource');
}

/** What a program needs to know of the link; nothing of its owner. */
function describe({ core, opened: { link, usage }, basePath }: DropCall) {
  const { limits, page, expiresAtMs } = link;
  return {
    kind: 'drop',
    state: dropStateOf(link, usage, core.ports.clock.nowMs()),
    title: page.title,
    text: page.text,
    fields: { name: page.name, mail: page.mail, note: page.note },
    limits: {
      fileBytes: limits.fileBytes,
      senderFiles: limits.senderFiles,
      senderBytes: limits.senderBytes,
      types: limits.types,
    },
    expiresAt: expiresAtMs === null ? null : new Date(expiresAtMs).toISOString(),
    tus: `${basePath}/files`,
    senders: `${basePath}/senders`,
    receipt: `${basePath}/receipt`,
  };
}

async function answerSender(call: DropCall): Promise<Response> {
  const { core, request, opened } = call;
  requireOpen(call);
  const fields = await readFields(call);
  const { code } = await addSender(core, opened, fields, request.remoteAddress);
  return jsonResponse(request, 201, { code });
}

async function answerReceipt(call: DropCall): Promise<Response> {
  const { request } = call;
  const sender = await requireSender(call, request.header(CODE_HEADER));
  const after = parseQuery(request.rawQuery).get('after')?.slice(0, 100) ?? '';
  const { files, next } = await readReceipt(call, sender, after);
  return jsonResponse(request, 200, {
    sender: sender.fields,
    files: files.map((file) => showFile(file, call.basePath)),
    next,
  });
}

/** The fields of a JSON document. BadRequest, ContentTooLarge. */
async function readFields({ request }: DropCall): Promise<DropFields> {
  const body = request.body();
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  await body.pump((chunk) => {
    sizeBytes += chunk.length;
    if (sizeBytes > SENDER_MAX_BYTES) throw new StorageError('ContentTooLarge');
    chunks.push(chunk);
  });
  let document: unknown;
  try {
    const text = new TextDecoder().decode(joinBytes(chunks, sizeBytes));
    document = text === '' ? {} : JSON.parse(text);
  } catch {
    throw new StorageError('BadRequest', { detail: 'The body must be JSON.' });
  }
  const fields = typeof document === 'object' && document !== null ? document : {};
  const textOf = (name: keyof DropFields): string => {
    const value = (fields as Record<string, unknown>)[name] ?? '';
    if (typeof value === 'string' && value.isWellFormed()) return value.trim();
    throw new StorageError('BadRequest', { detail: `The field ${name} must be a text.` });
  };
  return { name: textOf('name'), mail: textOf('mail'), note: textOf('note') };
}

/** Statuses that tus names, where they are not those of S3. */
function statusOf(error: StorageError, isTus: boolean): number {
  if (GONE.has(error.fields.Reason)) return 410;
  if (error.code === 'EntityTooLarge') return 413;
  if (error.code === 'BadDigest' && isTus) return 460;
  return ERROR_STATUS[error.code];
}

/** A failure as JSON. */
function failure({ request, requestId, rawPath }: LinkRequest, error: unknown): Response {
  const shown = shownFailure(error);
  const isTus = rawPath?.startsWith('files') === true;
  request.notes.errorCode = shown.code;
  const headers = {
    ...failureHeaders(shown),
    'x-amz-request-id': requestId,
    ...(isTus ? { 'tus-resumable': '1.0.0', 'tus-version': '1.0.0' } : {}),
  };
  const status = statusOf(shown, isTus);
  if (hasCode(shown, 'MethodNotAllowed') && request.method === 'HEAD')
    return makeResponse(request, status, headers, null);
  const { code, message, fields } = shown;
  const document = {
    ...{ code, message, requestId },
    limit: fields.Limit ?? null,
    max: fields.MaxSizeAllowed ?? fields.MaxAllowed ?? null,
    offset: fields.UploadOffset ?? null,
  };
  return jsonResponse(request, status, document, headers);
}
