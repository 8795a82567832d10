// Sends one file that the build has made: in the coding that the client likes best,
// with its own tag, and nothing where the client has it. Called by the console's
// surface and by that of the link pages' files.
import type { ConsoleCoding, ConsoleFile, OpenConsole } from '../../ports/console-files.ts';
import { makeResponse } from '../outgoing-body.ts';
import type { HttpRequest } from '../request.ts';
import { createAcceptedCodings } from '../semantics/accept-encoding.ts';
import { evaluateRead, NO_CONDITIONS } from '../semantics/conditional.ts';
import type { HeaderRecord } from '../semantics/object-headers.ts';

/**
 * A year, seconds: the longest that caches are asked for. Source: RFC 9111 section
 * 5.2.2.1, RFC 8246
 */
const FOR_GOOD = 'public, max-age=31536000, immutable';

export type BuiltFile = {
  readonly opened: OpenConsole;
  readonly name: string;
  readonly file: ConsoleFile;
  /** Whether its name carries a digest of its content. */
  readonly isAsset: boolean;
  /** What the response has beside; it is changed. */
  readonly headers: HeaderRecord;
};

export type SendBuiltFile = (request: HttpRequest, built: BuiltFile) => Promise<Response>;

/** Makes the sender. It rejects with an Error for a listed file that is missing. */
export function createSendBuiltFile(): SendBuiltFile {
  const acceptedCodings = createAcceptedCodings();
  return async (request, { opened, name, file, isAsset, headers }) => {
    const coding = chooseCoding(acceptedCodings(request.header('accept-encoding')), file);
    const etag = etagOf(file, coding);
    headers['content-type'] = file.type;
    headers['cache-control'] = isAsset ? FOR_GOOD : 'no-cache';
    headers.etag = `"${etag}"`;
    headers.vary = 'accept-encoding';

    const conditions = { ...NO_CONDITIONS, ifNoneMatch: request.header('if-none-match') };
    if (evaluateRead(conditions, { etag, lastModifiedMs: 0 }) === 'not-modified')
      return makeResponse(request, 304, headers, null);

    if (coding !== null) headers['content-encoding'] = coding;
    return sendWhole(request, 200, headers, await opened.read(name, coding));
  };
}

/** Sends bytes with their length; to HEAD the length alone. Changes the headers. */
export function sendWhole(
  request: HttpRequest,
  status: number,
  headers: HeaderRecord,
  bytes: Uint8Array,
): Response {
  const isHead = request.method === 'HEAD';
  headers['content-length'] = `${bytes.length}`;
  request.notes.bodyBytes = isHead ? 0 : bytes.length;
  return makeResponse(request, status, headers, isHead ? null : bytes);
}

/** The coding that a client likes best among those that the file has. */
function chooseCoding(accepted: readonly string[], { codings }: ConsoleFile): ConsoleCoding | null {
  for (const name of accepted) {
    const coding = codings.find((each) => each === name);
    if (coding !== undefined) return coding;
  }
  return null;
}

/** Each representation has a tag of its own. Source: RFC 9110 section 8.8.3.3 */
function etagOf({ digest }: ConsoleFile, coding: ConsoleCoding | null): string {
  return coding === null ? digest : `${digest}-${coding}`;
}
