// Requests for tests: plain values of HttpRequest, with a body that comes in the pieces a test
// wants.
import { newRequestNotes } from '../../../../src/http/observe/request-notes.ts';
import type { HttpRequest, KnownProtocol } from '../../../../src/http/request.ts';

export type RequestParts = {
  readonly method?: string;
  /** Path and query as they stand in the request line. */
  readonly target: string;
  /** Any case of names. `host` is taken from here. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: readonly Uint8Array[];
  /** By default nobody knows. */
  readonly knownProtocol?: KnownProtocol;
};

export function makeRequest(parts: RequestParts): HttpRequest {
  const question = parts.target.indexOf('?');
  const headers = new Map(
    Object.entries(parts.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const body = parts.body ?? [];
  return {
    method: parts.method ?? 'GET',
    rawPath: question < 0 ? parts.target : parts.target.slice(0, question),
    rawQuery: question < 0 ? '' : parts.target.slice(question + 1),
    host: headers.get('host') ?? '',
    isSecure: parts.knownProtocol === 'https',
    knownProtocol: parts.knownProtocol ?? null,
    remoteAddress: null,
    header: (name) => headers.get(name) ?? null,
    headerNames: () => headers.keys(),
    body: () => ({
      lengthBytes: body.reduce((sum, piece) => sum + piece.length, 0),
      async pump(onChunk, isBorrowed = false) {
        for (const piece of body) {
          const chunk = new Uint8Array(piece);
          await onChunk(chunk);
          // What was only borrowed is used again at once.
          if (isBorrowed) chunk.fill(0xee);
        }
      },
    }),
    notes: newRequestNotes(),
    onSent: (report) => report({ protocol: 'HTTP/1.1', bodyBytes: null, isWhole: null }),
  };
}

/** Cuts bytes into pieces of these lengths, over and over; an empty list is one piece. */
export function split(bytes: Uint8Array, lengths: readonly number[]): Uint8Array[] {
  if (lengths.length === 0) return [bytes];
  const pieces: Uint8Array[] = [];
  for (let offset = 0, turn = 0; offset < bytes.length; turn += 1) {
    const length = Math.max(1, lengths[turn % lengths.length] ?? 1);
    pieces.push(bytes.subarray(offset, offset + length));
    offset += length;
  }
  return pieces;
}
