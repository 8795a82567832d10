// A browser's form upload as it streams in: the fields before the file are read whole, the file
// itself is held back until somebody pumps it, and what comes after it is ignored, as S3 does.
// Called by post-request.ts. Source: RFC 7578, RFC 2046 section 5.1;
// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTForms.html

import { StorageError } from '../../../domain/errors.ts';
import type { ByteSource } from '../../../ports/byte-source.ts';
import { headerOf, readParameters } from './part-head.ts';

/** Bytes of a form without its file. Source: the same page. */
export const FIELDS_MAX_BYTES = 20 * 1024;
const FIELDS_MAX_COUNT = 200;
/** Bytes of the header lines of one part: a name, a file name, a type. */
const PART_HEAD_MAX_BYTES = 4 * 1024;
/** Source: RFC 2046 section 5.1.1 */
const BOUNDARY_MAX_LENGTH = 70;

export type Form = {
  /** Values by lower-case name; of a name that comes twice the last counts. */
  readonly fields: ReadonlyMap<string, Uint8Array>;
  /** The client's name of the file without its folders; '' when it gave none. */
  readonly fileName: string;
  /** The bytes of the file; their number is not known before the end. */
  readonly file: ByteSource;
  /** Gives up a file that nobody will pump. */
  discard(): void;
};

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const NOTHING = new Uint8Array(0);
const HEAD_END = encoder.encode('\r\n\r\n');

const malformed = (detail: string) => new StorageError('MalformedPOSTRequest', { detail });

/**
 * Reads up to the file. Errors: PreconditionFailed (no form), MalformedPOSTRequest,
 * MaxPostPreDataLengthExceededError, InvalidArgument (no file).
 */
export function openForm(contentType: string | null, body: ByteSource): Promise<Form> {
  const boundary = readBoundary(contentType);
  return new Promise((resolve, reject) => {
    let giveSink: (sink: Sink) => void = () => {};
    let abandon: (error: unknown) => void = () => {};
    const sink = new Promise<Sink>((give, fail) => {
      giveSink = give;
      abandon = fail;
    });
    sink.catch(() => {});
    const parser = createParser(boundary, (head) => {
      const file: ByteSource = {
        lengthBytes: null,
        pump(onChunk) {
          giveSink(onChunk);
          return finished;
        },
      };
      resolve({ ...head, file, discard: () => abandon(malformed('Nobody wanted the file.')) });
      return sink;
    });
    const finished = body.pump(parser.push).then(parser.end);
    finished.catch(reject);
  });
}

type Sink = (chunk: Uint8Array) => void | Promise<void>;
type FormHead = Pick<Form, 'fields' | 'fileName'>;

function readBoundary(contentType: string | null): string {
  const { value, parameters } = readParameters(contentType ?? '');
  const boundary = value === 'multipart/form-data' ? (parameters.get('boundary') ?? '') : '';
  if (boundary !== '' && boundary.length <= BOUNDARY_MAX_LENGTH) return boundary;
  throw new StorageError('PreconditionFailed', {
    detail: 'Bucket POST must be of the enclosure-type multipart/form-data',
    fields: { Condition: 'Bucket POST must be of the enclosure-type multipart/form-data' },
  });
}

/**
 * Takes the form apart, chunk by chunk. `onFile` gets what came before the file and says where its
 * bytes go.
 */
function createParser(boundary: string, onFile: (head: FormHead) => Promise<Sink>) {
  // The first delimiter may stand at the very start: then the line break before it is as if it had
  // been sent.
  const delimiter = encoder.encode(`\r\n--${boundary}`);
  const fields = new Map<string, Uint8Array>();
  let pending: Uint8Array = encoder.encode('\r\n');
  let state: 'preamble' | 'head' | 'field' | 'file' | 'done' = 'preamble';
  let fieldName = '';
  let fieldsBytes = 0;
  let sink: Sink | null = null;
  /**
   * How much of `pending` was searched: a client may send a byte at a time, and each is looked at
   * once.
   */
  let searchedBytes = 0;

  /** Where `pending` stands, with room behind it; null while it is a chunk as it came. */
  let memory: Uint8Array | null = null;

  /** Copies what is pending seldom, however small the chunks are: the room doubles each time. */
  function append(chunk: Uint8Array): void {
    if (pending.length === 0) {
      pending = chunk;
      memory = null;
      return;
    }
    const length = pending.length + chunk.length;
    let start = memory === null ? 0 : pending.byteOffset - memory.byteOffset;
    if (memory === null || start + length > memory.length) {
      memory = new Uint8Array(Math.max(length, 2 * pending.length));
      memory.set(pending);
      start = 0;
    }
    memory.set(chunk, start + pending.length);
    pending = memory.subarray(start, start + length);
  }

  function searchPending(mark: Uint8Array): number {
    const at = find(pending, mark, searchedBytes);
    searchedBytes = at === -1 ? Math.max(0, pending.length - mark.length + 1) : 0;
    return at;
  }

  function beginPart(head: string): 'field' | 'file' {
    const { value, parameters } = readParameters(headerOf(head, 'content-disposition') ?? '');
    const name = value === 'form-data' ? parameters.get('name') : undefined;
    if (name === undefined) throw malformed('A part of the form has no name.');
    fieldName = name.toLowerCase();
    if (fieldName !== 'file') return 'field';
    const path = parameters.get('filename') ?? '';
    fileName = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
    return 'file';
  }
  let fileName = '';

  /**
   * One step on what is pending; false when more is needed. At once, unless the file goes somewhere
   * that takes time.
   */
  function step(): boolean | Promise<boolean> {
    if (state === 'done') {
      pending = NOTHING;
      return false;
    }
    if (state === 'head') {
      const end = searchPending(HEAD_END);
      const isLast = pending.length >= 2 && pending[0] === 0x2d && pending[1] === 0x2d;
      if (isLast)
        throw new StorageError('InvalidArgument', {
          detail: 'POST requires exactly one file upload per request.',
        });
      // Asked before the head is read, however it came: whole in one chunk, or by and by.
      if ((end === -1 ? pending.length : end) > PART_HEAD_MAX_BYTES) {
        throw malformed('The head of a part of the form is too long.');
      }
      if (end === -1) return false;
      state = beginPart(decoder.decode(pending.subarray(0, end)));
      pending = pending.subarray(end + HEAD_END.length);
      if (state !== 'file') return true;
      return onFile({ fields, fileName }).then((opened) => {
        sink = opened;
        return true;
      });
    }
    const at = searchPending(delimiter);
    const ready = at === -1 ? Math.max(0, pending.length - delimiter.length) : at;
    if (state === 'file') {
      const sent = ready > 0 ? sink?.(pending.slice(0, ready)) : undefined;
      pending = pending.subarray(ready + (at === -1 ? 0 : delimiter.length));
      searchedBytes = 0;
      if (at !== -1) state = 'done';
      return sent === undefined ? at !== -1 : sent.then(() => at !== -1);
    }
    if (pending.length + fieldsBytes > FIELDS_MAX_BYTES && at === -1) {
      throw new StorageError('MaxPostPreDataLengthExceededError');
    }
    if (at === -1) return false;
    if (state === 'field') keepField(pending.slice(0, at));
    pending = pending.subarray(at + delimiter.length);
    state = 'head';
    return true;
  }

  /**
   * All steps that there are. A promise for each byte of a field would shut others out for as long
   * as they come.
   */
  function takeSteps(): void | Promise<void> {
    for (;;) {
      const goesOn = step();
      if (goesOn instanceof Promise)
        return goesOn.then((isMore) => (isMore ? takeSteps() : undefined));
      if (!goesOn) return;
    }
  }

  function keepField(value: Uint8Array): void {
    fields.set(fieldName, value);
    fieldsBytes += fieldName.length + value.length;
    if (fieldsBytes > FIELDS_MAX_BYTES || fields.size > FIELDS_MAX_COUNT) {
      throw new StorageError('MaxPostPreDataLengthExceededError');
    }
  }

  return {
    push(chunk: Uint8Array): void | Promise<void> {
      append(chunk);
      return takeSteps();
    },
    end(): void {
      if (state === 'done') return;
      throw state === 'file'
        ? new StorageError('IncompleteBody')
        : malformed('The form ended before its file.');
    },
  };
}

/** Where `wanted` begins in `bytes`, at `from` or behind it; -1 for nowhere. */
function find(bytes: Uint8Array, wanted: Uint8Array, from: number): number {
  const first = wanted[0] ?? 0;
  for (let at = bytes.indexOf(first, from); at !== -1; at = bytes.indexOf(first, at + 1)) {
    if (at + wanted.length > bytes.length) return -1;
    let matched = 1;
    while (matched < wanted.length && bytes[at + matched] === wanted[matched]) matched++;
    if (matched === wanted.length) return at;
  }
  return -1;
}
