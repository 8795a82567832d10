// A browser's form upload as it streams in. The fields before the file are read
// whole, the file waits until somebody pumps it, and what comes after it is
// ignored, as S3 does. Called by post-request.ts. Source: RFC 7578, RFC 2046
// section 5.1;
// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTForms.html

import { StorageError } from '../../../domain/errors.ts';
import type { ByteSource } from '../../../ports/byte-source.ts';
import { headerOf, readParameters } from './part-head.ts';
import { PendingBytes } from './pending-bytes.ts';

/** Bytes of a form without its file. Source: the same page. */
export const FIELDS_MAX_BYTES = 20 * 1024;
/** Fields of a form; S3 states no number. */
const FIELDS_MAX_COUNT = 200;
/** Bytes of the header lines of one part: a name, a file name, a type. */
const PART_HEAD_MAX_BYTES = 4 * 1024;
/** Characters. Source: RFC 2046 section 5.1.1. */
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
const HEAD_END = encoder.encode('\r\n\r\n');
/** Follows the last delimiter. */
const LAST_MARK = encoder.encode('--');

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
    const parser = new FormParser(boundary, (head) => {
      const file: ByteSource = {
        lengthBytes: null,
        pump(onChunk) {
          giveSink(onChunk);
          return finished;
        },
      };
      resolve({ ...head, file, discard: () => abandon(malformed('Nobody wanted the file.')) });
      return sink.then((write) => ({ write, end: null }));
    });
    const finished = body.pump((chunk) => parser.push(chunk)).then(() => void parser.end());
    finished.catch(reject);
  });
}

type Sink = (chunk: Uint8Array) => void | Promise<void>;

/** A file of a form, with the fields that came before it. */
export type FormHead = Pick<Form, 'fields' | 'fileName'> & {
  /** The type that its part declares; null: it declares none. */
  readonly contentType: string | null;
};

/** Takes the bytes of one file of a form. */
export type FormSink = {
  readonly write: Sink;
  /** Called at the end of the file, more parts follow; null: nothing after it counts. */
  readonly end: (() => Promise<void>) | null;
};

/**
 * Reads a form with any number of files, one after the other; every part with a file
 * name is one, with its folders. Gives the fields, those behind the last file too.
 * Errors: as of openForm, but for a form without a file.
 */
export async function readFilesForm(
  contentType: string | null,
  body: ByteSource,
  onFile: (head: FormHead) => Promise<FormSink>,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const parser = new FormParser(readBoundary(contentType), onFile, { hasFiles: true });
  await body.pump((chunk) => parser.push(chunk));
  return parser.end();
}

function readBoundary(contentType: string | null): string {
  const { value, parameters } = readParameters(contentType ?? '');
  const boundary = value === 'multipart/form-data' ? (parameters.get('boundary') ?? '') : '';
  if (boundary !== '' && boundary.length <= BOUNDARY_MAX_LENGTH) return boundary;
  throw new StorageError('PreconditionFailed', {
    detail: 'Bucket POST must be of the enclosure-type multipart/form-data',
    fields: { Condition: 'Bucket POST must be of the enclosure-type multipart/form-data' },
  });
}

/** What the bytes that come next are part of. */
type State = 'preamble' | 'head' | 'field' | 'file' | 'done';

/**
 * Takes the form apart, chunk by chunk. `onFile` gets what came before the file and
 * says where its bytes go.
 */
class FormParser {
  readonly #delimiter: Uint8Array;
  readonly #onFile: (head: FormHead) => Promise<FormSink>;
  readonly #hasFiles: boolean;
  readonly #fields = new Map<string, Uint8Array>();
  // The first delimiter may stand at the very start: then the line break before it
  // is as if it had been sent.
  readonly #pending = new PendingBytes(encoder.encode('\r\n'));
  #state: State = 'preamble';
  #fieldName = '';
  #fileName = '';
  #contentType: string | null = null;
  #fieldsBytes = 0;
  #sink: FormSink | null = null;

  constructor(
    boundary: string,
    onFile: (head: FormHead) => Promise<FormSink>,
    { hasFiles = false }: { readonly hasFiles?: boolean } = {},
  ) {
    this.#delimiter = encoder.encode(`\r\n--${boundary}`);
    this.#onFile = onFile;
    this.#hasFiles = hasFiles;
  }

  push(chunk: Uint8Array): void | Promise<void> {
    this.#pending.append(chunk);
    return this.#takeSteps();
  }

  end(): ReadonlyMap<string, Uint8Array> {
    if (this.#state === 'done') return this.#fields;
    throw this.#state === 'file'
      ? new StorageError('IncompleteBody')
      : malformed('The form ended before its file.');
  }

  /**
   * All steps that there are. A promise for each byte of a field would shut others
   * out for as long as they come.
   */
  #takeSteps(): void | Promise<void> {
    for (;;) {
      const canContinue = this.#step();
      if (canContinue instanceof Promise)
        return canContinue.then((isMore) => (isMore ? this.#takeSteps() : undefined));
      if (!canContinue) return;
    }
  }

  /**
   * One step on what is pending; false when more is needed. At once, unless the
   * file goes somewhere that takes time.
   */
  #step(): boolean | Promise<boolean> {
    switch (this.#state) {
      case 'done':
        this.#pending.clear();
        return false;
      case 'head':
        return this.#takeHead();
      case 'file':
        return this.#takeFile();
      default:
        return this.#takeField();
    }
  }

  #takeHead(): boolean | Promise<boolean> {
    const pending = this.#pending;
    const end = pending.search(HEAD_END);
    if (pending.startsWith(LAST_MARK)) {
      if (this.#hasFiles) {
        this.#state = 'done';
        return true;
      }
      throw new StorageError('InvalidArgument', {
        detail: 'POST requires exactly one file upload per request.',
      });
    }
    // Checked before the head is read, however it came: whole in one chunk, or by
    // and by.
    if ((end === -1 ? pending.length : end) > PART_HEAD_MAX_BYTES) {
      throw malformed('The head of a part of the form is too long.');
    }
    if (end === -1) return false;

    this.#state = this.#beginPart(decoder.decode(pending.view(end)));
    pending.drop(end + HEAD_END.length);
    if (this.#state !== 'file') return true;
    const file = {
      fields: this.#fields,
      fileName: this.#fileName,
      contentType: this.#contentType,
    };
    return this.#onFile(file).then((sink) => {
      this.#sink = sink;
      return true;
    });
  }

  #beginPart(head: string): 'field' | 'file' {
    const { value, parameters } = readParameters(headerOf(head, 'content-disposition') ?? '');
    const name = value === 'form-data' ? parameters.get('name') : undefined;
    if (name === undefined) throw malformed('A part of the form has no name.');
    this.#fieldName = name.toLowerCase();
    this.#contentType = headerOf(head, 'content-type');
    const path = parameters.get('filename');
    if (this.#hasFiles) {
      this.#fileName = path ?? '';
      return path === undefined ? 'field' : 'file';
    }
    if (this.#fieldName !== 'file') return 'field';
    this.#fileName = (path ?? '').slice(lastSlash(path ?? '') + 1);
    return 'file';
  }

  /** Hands on the bytes that can't be part of the delimiter. */
  #takeFile(): boolean | Promise<boolean> {
    const pending = this.#pending;
    const end = pending.search(this.#delimiter);
    const isOver = end !== -1;
    const readyBytes = isOver ? end : Math.max(0, pending.length - this.#delimiter.length);
    const sent = readyBytes > 0 ? this.#sink?.write(pending.view(readyBytes).slice()) : undefined;
    pending.drop(readyBytes + (isOver ? this.#delimiter.length : 0));
    const endFile = isOver ? (this.#sink?.end ?? null) : null;
    if (isOver) this.#state = endFile === null ? 'done' : 'head';
    if (endFile !== null)
      return Promise.resolve(sent)
        .then(endFile)
        .then(() => true);
    return sent === undefined ? isOver : sent.then(() => isOver);
  }

  /** A field, or what stands before the first part, which is nothing to anybody. */
  #takeField(): boolean {
    const pending = this.#pending;
    const end = pending.search(this.#delimiter);
    if (end === -1) {
      if (pending.length + this.#fieldsBytes > FIELDS_MAX_BYTES) throw fieldsTooLong();
      return false;
    }
    if (this.#state === 'field') this.#keepField(pending.view(end).slice());
    pending.drop(end + this.#delimiter.length);
    this.#state = 'head';
    return true;
  }

  #keepField(value: Uint8Array): void {
    this.#fields.set(this.#fieldName, value);
    this.#fieldsBytes += this.#fieldName.length + value.length;
    const isTooMuch = this.#fieldsBytes > FIELDS_MAX_BYTES || this.#fields.size > FIELDS_MAX_COUNT;
    if (isTooMuch) throw fieldsTooLong();
  }
}

const lastSlash = (path: string): number => Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'));

const fieldsTooLong = () => new StorageError('MaxPostPreDataLengthExceededError');
