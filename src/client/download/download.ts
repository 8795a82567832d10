// A download: the response's facts at once, the body when somebody reads it.
import { QuaysideError } from '../errors.ts';
import type { ObjectCall } from '../objects/backend.ts';
import { unquoted } from '../objects/object-headers.ts';
import { metadataOf } from '../objects/read-metadata.ts';
import { refuseDotSegments } from '../objects/refuse-dot-segments.ts';
import { createMeter, type Progress } from '../progress.ts';
import { retrying } from '../retry.ts';
import type { Transport, UploadTarget } from '../upload/upload-context.ts';
import { createCheck, type VerifiedBy } from './checked.ts';
import { resumingBody } from './resuming-body.ts';

export type DownloadOptions = {
  readonly versionId?: string | undefined;
  readonly range?: { readonly offsetBytes: number; readonly lengthBytes?: number } | undefined;
  /** Only the object with that ETag. */
  readonly ifMatch?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
};

/**
 * A place that takes a stream: a FileSystemFileHandle, or anything else that is
 * written so.
 */
export type FileTarget = { createWritable(): Promise<WritableStream<Uint8Array>> };

export type Download = {
  /**
   * How much comes, of the range where one was asked for. Null: the platform
   * decodes it.
   */
  readonly sizeBytes: number | null;
  readonly etag: string;
  readonly versionId: string | null;
  readonly contentType: string | null;
  readonly lastModified: Date | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** The bytes; read them by this or by one of the methods. */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  text(): Promise<string>;
  blob(): Promise<Blob>;
  saveTo(target: FileTarget | WritableStream<Uint8Array>): Promise<void>;
  /**
   * By what the bytes were found to be the object's; 'nothing' until all have come.
   */
  verifiedBy(): VerifiedBy;
};

export async function startDownload(
  { send, policy }: Transport,
  target: UploadTarget,
  { versionId, range, ifMatch, signal, onProgress }: DownloadOptions = {},
): Promise<Download> {
  refuseDotSegments(target.key);
  const start = range?.offsetBytes ?? 0;
  const end = range?.lengthBytes === undefined ? null : start + range.lengthBytes - 1;
  const wantsChecksum = range === undefined;
  const open = (headers: Record<string, string>, signal: AbortSignal | undefined) => {
    const call: ObjectCall = { ...target, method: 'GET', versionId, headers, wantsChecksum };
    return send(call, { signal });
  };
  const rangeFrom = (offset: number) => `bytes=${start + offset}-${end ?? ''}`;
  const firstHeaders: Record<string, string> = {
    ...(range === undefined ? {} : { range: rangeFrom(0) }),
    ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
  };
  const first = await retrying(() => open(firstHeaders, signal), { policy, signal });
  const { headers } = first;
  const etag = headers.get('etag');
  if (range !== undefined) await requireRange(first, start, etag, 'UnusableResponse');
  const isDecoded = headers.has('content-encoding');
  const length = headers.get('content-length');
  const lengthBytes = isDecoded || length === null ? null : Number(length);
  const meter = createMeter(lengthBytes, onProgress);
  const check = lengthBytes === null || !wantsChecksum ? null : createCheck(headers, lengthBytes);
  let received = 0;
  let verifiedBy: VerifiedBy = 'nothing';

  async function reopen(offset: number, signal: AbortSignal): Promise<Response> {
    const response = await open({ range: rangeFrom(offset), 'if-range': etag ?? '' }, signal);
    return requireRange(response, start + offset, etag, 'ObjectChanged');
  }

  const body = resumingBody({
    first,
    lengthBytes,
    reopen: etag?.startsWith('"') && lengthBytes !== null ? reopen : null,
    policy,
    signal,
    onChunk(chunk) {
      received += chunk.length;
      check?.add(chunk);
      meter.set(0, received);
    },
    async onEnd() {
      verifiedBy = (await check?.end()) ?? (lengthBytes === null ? 'nothing' : 'length');
      meter.setTotal(received);
      meter.flush();
    },
  });
  const contentType = headers.get('content-type');
  const collected = new Response(body, { headers: { 'content-type': contentType ?? '' } });
  const lastModified = headers.get('last-modified');
  return {
    sizeBytes: lengthBytes,
    etag: unquoted(etag ?? ''),
    versionId: headers.get('x-amz-version-id'),
    contentType,
    lastModified: lastModified === null ? null : new Date(lastModified),
    metadata: metadataOf(headers),
    body,
    bytes: async () => new Uint8Array(await collected.arrayBuffer()),
    text: () => collected.text(),
    blob: () => collected.blob(),
    async saveTo(target) {
      await body.pipeTo('createWritable' in target ? await target.createWritable() : target);
    },
    verifiedBy: () => verifiedBy,
  };
}

/**
 * Gives a response with the bytes from there on, of the object with that ETag; of any
 * other rejects with the code. A page of another origin may see neither.
 */
async function requireRange(
  response: Response,
  fromBytes: number,
  etag: string | null,
  code: 'UnusableResponse' | 'ObjectChanged',
): Promise<Response> {
  const { status, headers } = response;
  const range = `bytes ${fromBytes}-`;
  const isFrom = (headers.get('content-range') ?? range).startsWith(range);
  if (status === 206 && isFrom && (headers.get('etag') ?? etag) === etag) return response;
  await response.body?.cancel();
  throw new QuaysideError(code, 'The bytes that came are not those of the range.', { status });
}
