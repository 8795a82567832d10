// The protocol tus 1.0 for the files of a drop link: creation, creation-with-upload,
// checksum, termination, expiration. A file's address is `files/{id}` below the
// link's. Source: https://tus.io/protocols/resumable-upload (1.0.0)
import { isDropFileId } from '../../../core/links/drop/begin-file.ts';
import { finishFile } from '../../../core/links/drop/finish-file.ts';
import { endFile, leastPieceBytes, receiveBytes } from '../../../core/links/drop/receive-bytes.ts';
import type { BodyExpectation } from '../../../core/objects/body-expectation.ts';
import { isChecksumValue } from '../../../crypto/digest-set.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { DropFile, DropSender } from '../../../domain/links/drop-link.ts';
import { DROP_METADATA_MAX_LENGTH } from '../../../domain/links/link-limits.ts';
import { makeResponse } from '../../outgoing-body.ts';
import { formatHttpDate } from '../../semantics/http-date.ts';
import { beginCounted, noteEnded, receiveCounted } from './begun-files.ts';
import {
  CODE_HEADER,
  countWrites,
  type DropCall,
  requireOpen,
  requireSender,
  requireUnderCaps,
} from './drop-request.ts';

const VERSION = '1.0.0';
const EXTENSIONS = 'creation,creation-with-upload,termination,checksum,expiration';
const CHECKSUMS = 'sha1,sha256,crc32,md5';
const BODY_TYPE = 'application/offset+octet-stream';
/** Tells how many bytes a request must bring that does not bring the file's last ones. */
const LEAST_PIECE_HEADER = 'x-quayside-drop-least-piece';
const NUMBER = /^\d{1,15}$/;
/** Names in Upload-Metadata that give a file's path, the fullest first. */
const PATH_NAMES = ['relativePath', 'filename', 'name'] as const;
const TYPE_NAMES = ['filetype', 'type'] as const;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * Answers a request for `files` or `files/{id}`. NoSuchResource, MethodNotAllowed,
 * and what the file's use cases throw; answer-drop.ts renders them.
 */
export async function answerTus(call: DropCall, fileId: string | null): Promise<Response> {
  const { request } = call;
  const method = request.header('x-http-method-override')?.toUpperCase() ?? request.method;
  if (method === 'OPTIONS') return empty(call, 204, optionHeaders(call));
  if (request.header('tus-resumable') !== VERSION) {
    throw new StorageError('PreconditionFailed', {
      detail: `This needs the header Tus-Resumable: ${VERSION}.`,
    });
  }
  const sender = await requireSender(call, request.header(CODE_HEADER));
  if (fileId === null) {
    if (method !== 'POST') throw notAllowed('POST, OPTIONS');
    return create(call, sender);
  }
  const file = await requireFile(call, sender, fileId);
  switch (method) {
    case 'HEAD':
      return head(call, file);
    case 'PATCH':
      return patch(call, file);
    case 'DELETE':
      return remove(call, file);
    default:
      throw notAllowed('HEAD, PATCH, DELETE, OPTIONS');
  }
}

const notAllowed = (methods: string) =>
  new StorageError('MethodNotAllowed', { fields: { Allow: methods } });

function optionHeaders({ opened: { link } }: DropCall): Record<string, string> {
  const { fileBytes } = link.limits;
  return {
    'tus-version': VERSION,
    'tus-extension': EXTENSIONS,
    'tus-checksum-algorithm': CHECKSUMS,
    ...(fileBytes === null ? {} : { 'tus-max-size': `${fileBytes}` }),
  };
}

/** NoSuchResource also for another sender's file: nobody learns of it. */
async function requireFile(call: DropCall, sender: DropSender, fileId: string): Promise<DropFile> {
  const { bucket, link } = call.opened;
  const file: DropFile | null = isDropFileId(fileId)
    ? await bucket.call('getDropFile', { linkId: link.id, fileId })
    : null;
  if (file === null || file.senderId !== sender.id) throw new StorageError('NoSuchResource');
  const isOver = file.finishedAtMs === null && file.expiresAtMs <= call.core.ports.clock.nowMs();
  if (isOver) throw new StorageError('NoSuchResource', { fields: { Reason: 'expired' } });
  return file;
}

async function create(call: DropCall, sender: DropSender): Promise<Response> {
  const { request } = call;
  requireOpen(call);
  if (request.header('upload-defer-length') !== null) {
    throw new StorageError('InvalidRequest', {
      detail: 'The length must be known: Upload-Defer-Length is not possible here.',
    });
  }
  const lengthBytes = readNumber(request.header('upload-length'), 'Upload-Length');
  const metadata = readMetadata(request.header('upload-metadata'));
  const path = PATH_NAMES.map((name) => metadata.get(name) ?? '').find(
    (text) => text !== '' && text !== 'null',
  );
  const contentType = TYPE_NAMES.map((name) => metadata.get(name)).find((type) => type) ?? null;
  const hasBody = request.header('content-type') === BODY_TYPE;
  const expectation = hasBody ? readChecksum(request.header('upload-checksum')) : null;
  const file = await beginCounted(call, sender, { path: path ?? '', lengthBytes, contentType });
  const received = hasBody
    ? await receive(call, file, expectation)
    : lengthBytes === 0
      ? await receiveNothing(call, file)
      : file;
  return empty(call, 201, {
    location: `${call.basePath}/files/${file.id}`,
    ...offsetHeaders(received),
  });
}

async function head(call: DropCall, file: DropFile): Promise<Response> {
  const isWhole = file.finishedAtMs === null && file.offsetBytes === file.lengthBytes;
  // A process may have ended between the last bytes and the end.
  const current = isWhole ? await finish(call, file) : file;
  return empty(call, 200, {
    ...offsetHeaders(current),
    'upload-length': `${current.lengthBytes}`,
    'cache-control': 'no-store',
  });
}

async function patch(call: DropCall, file: DropFile): Promise<Response> {
  const { request } = call;
  if (request.header('content-type') !== BODY_TYPE) {
    throw new StorageError('UnsupportedMediaType', {
      detail: `The Content-Type must be ${BODY_TYPE}.`,
    });
  }
  const offsetBytes = readNumber(request.header('upload-offset'), 'Upload-Offset');
  const expectation = readChecksum(request.header('upload-checksum'));
  requireOpen(call);
  if (file.finishedAtMs !== null || offsetBytes !== file.offsetBytes) throw otherOffset(file);
  const received = await receive(call, file, expectation);
  return empty(call, 204, offsetHeaders(received));
}

async function remove(call: DropCall, file: DropFile): Promise<Response> {
  if (file.finishedAtMs !== null) {
    throw new StorageError('AccessDenied', {
      detail: 'The file has been handed in; only its receiver can delete it now.',
    });
  }
  await endFile(call.core, call.opened, file);
  return empty(call, 204, {});
}

/** Takes the bytes of the request, and ends the file with its last one. */
async function receive(
  call: DropCall,
  file: DropFile,
  expectation: BodyExpectation | null,
): Promise<DropFile> {
  const { core, request, opened, bodies } = call;
  const body = request.body();
  requireFit(body.lengthBytes, file);
  await requireUnderCaps(call, body.lengthBytes ?? 0);
  const received = await bodies.during(call, body, (watched) =>
    receiveCounted(call, file, () =>
      receiveBytes(core, opened, file, { body: watched, expectation }),
    ),
  );
  countPieces(call, file, received);
  return received.offsetBytes === received.lengthBytes ? finish(call, received) : received;
}

async function receiveNothing(call: DropCall, file: DropFile): Promise<DropFile> {
  const body = { lengthBytes: 0, pump: async () => {} };
  const received = await receiveBytes(call.core, call.opened, file, { body, expectation: null });
  countPieces(call, file, received);
  return finish(call, received);
}

/**
 * Counts the pieces that came, and with the first one the beginning of the file: one
 * that is given up before is on nobody's bill.
 */
function countPieces(call: DropCall, { pieces }: DropFile, received: DropFile): void {
  const begun = pieces === 0 && received.pieces > 0 ? 1 : 0;
  countWrites(call, received.pieces - pieces + begun);
}

async function finish(call: DropCall, file: DropFile): Promise<DropFile> {
  const finished = await finishFile(call.core, call.opened, file);
  noteEnded(call, file.senderId);
  countWrites(call, 1);
  return finished;
}

/** A declared length that is too great, or so small that it would make too many pieces. */
function requireFit(bodyBytes: number | null, { lengthBytes, offsetBytes }: DropFile): void {
  if (bodyBytes === null) return;
  const leftBytes = lengthBytes - offsetBytes;
  if (bodyBytes > leftBytes) {
    throw new StorageError('EntityTooLarge', {
      fields: { ProposedSize: `${bodyBytes}`, MaxSizeAllowed: `${leftBytes}` },
    });
  }
  const leastBytes = Math.min(leftBytes, leastPieceBytes(lengthBytes));
  if (bodyBytes >= leastBytes) return;
  throw new StorageError('InvalidRequest', {
    detail: `Send at least ${leastBytes} bytes at once, or all that are left.`,
  });
}

function otherOffset({ offsetBytes }: DropFile): StorageError {
  return new StorageError('ConditionalRequestConflict', {
    detail: `The file goes on at ${offsetBytes}.`,
    fields: { UploadOffset: `${offsetBytes}` },
  });
}

function offsetHeaders(file: DropFile): Record<string, string> {
  return {
    'upload-offset': `${file.offsetBytes}`,
    ...(file.finishedAtMs === null
      ? {
          'upload-expires': formatHttpDate(file.expiresAtMs),
          [LEAST_PIECE_HEADER]: `${leastPieceBytes(file.lengthBytes)}`,
        }
      : {}),
  };
}

function empty({ request }: DropCall, status: number, headers: Record<string, string>): Response {
  const all = { 'tus-resumable': VERSION, 'x-content-type-options': 'nosniff', ...headers };
  return makeResponse(request, status, all, null);
}

function readNumber(text: string | null, name: string): number {
  if (text !== null && NUMBER.test(text)) return Number(text);
  throw new StorageError('InvalidArgument', {
    detail: `${name} must be a whole number of bytes.`,
    fields: { ArgumentName: name },
  });
}

/** Upload-Metadata by name. InvalidArgument for one that is too long or malformed. */
function readMetadata(text: string | null): ReadonlyMap<string, string> {
  const metadata = new Map<string, string>();
  if (text === null || text === '') return metadata;
  const malformed = () =>
    new StorageError('InvalidArgument', {
      detail:
        `Upload-Metadata must be names with Base64, up to ${DROP_METADATA_MAX_LENGTH} ` +
        'characters.',
      fields: { ArgumentName: 'Upload-Metadata' },
    });
  if (text.length > DROP_METADATA_MAX_LENGTH) throw malformed();
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  for (const pair of text.split(',')) {
    const [name = '', encoded = '', more] = pair.trim().split(' ');
    if (name === '' || more !== undefined || !BASE64.test(encoded)) throw malformed();
    try {
      metadata.set(name, decoder.decode(Uint8Array.fromBase64(encoded)));
    } catch {
      throw malformed();
    }
  }
  return metadata;
}

/** `sha256 {Base64}`. InvalidArgument; null: there is none. */
function readChecksum(text: string | null): BodyExpectation | null {
  if (text === null) return null;
  const [name = '', value = ''] = text.slice(0, 200).split(' ');
  if (name === 'md5' && BASE64.test(value) && value.length === 24) {
    const contentMd5Hex = Uint8Array.fromBase64(value).toHex();
    return { contentMd5Hex, checksum: null };
  }
  const algorithm = ({ sha1: 'SHA1', sha256: 'SHA256', crc32: 'CRC32' } as const)[name];
  if (algorithm === undefined || !isChecksumValue(algorithm, value)) {
    throw new StorageError('InvalidArgument', {
      detail: `Upload-Checksum must be one of ${CHECKSUMS} with its Base64.`,
      fields: { ArgumentName: 'Upload-Checksum' },
    });
  }
  return { contentMd5Hex: null, checksum: { algorithm, expected: () => value } };
}
