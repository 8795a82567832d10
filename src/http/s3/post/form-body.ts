// A browser's form upload as it streams in: the fields before the file are read whole, the file itself is held back
// until somebody pumps it, and what comes after it is ignored, as S3 does. Called by post-request.ts.
// Source: RFC 7578, RFC 2046 section 5.1; https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTForms.html
import type { ByteSource } from '../../../ports/byte-source.ts';
import { StorageError } from '../../../ports/errors.ts';

/** Bytes of a form without its file. Source: the same page. */
const FIELDS_MAX_BYTES = 20 * 1024;
const FIELDS_MAX_COUNT = 200;
/** Bytes of the header lines of one part: a name, a file name, a type. */
const PART_HEAD_MAX_BYTES = 4 * 1024;

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
 * Reads up to the file. Errors: PreconditionFailed (no form), MalformedPOSTRequest, MaxPostPreDataLengthExceededError,
 * InvalidArgument (no file).
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
  const isForm = /^multipart\/form-data\s*(?:;|$)/i.test(contentType ?? '');
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType ?? '') ?? [];
  const boundary = quoted ?? bare;
  if (isForm && boundary !== undefined) return boundary;
  throw new StorageError('PreconditionFailed', {
    detail: 'Bucket POST must be of the enclosure-type multipart/form-data',
    fields: { Condition: 'Bucket POST must be of the enclosure-type multipart/form-data' },
  });
}

/** Takes the form apart, chunk by chunk. `onFile` gets what came before the file and says where its bytes go. */
function createParser(boundary: string, onFile: (head: FormHead) => Promise<Sink>) {
  // The first delimiter may stand at the very start: then the line break before it is as if it had been sent.
  const delimiter = encoder.encode(`\r\n--${boundary}`);
  const fields = new Map<string, Uint8Array>();
  let pending: Uint8Array = encoder.encode('\r\n');
  let state: 'preamble' | 'head' | 'field' | 'file' | 'done' = 'preamble';
  let fieldName = '';
  let fieldsBytes = 0;
  let sink: Sink | null = null;

  function beginPart(head: string): 'field' | 'file' {
    const disposition = /^content-disposition:\s*form-data\s*;(.*)$/im.exec(head)?.[1] ?? '';
    const name = parameterOf(disposition, 'name');
    if (name === null) throw malformed('A part of the form has no name.');
    fieldName = name.toLowerCase();
    if (fieldName !== 'file') return 'field';
    fileName = (parameterOf(disposition, 'filename') ?? '').replace(/^.*[/\\]/s, '');
    return 'file';
  }
  let fileName = '';

  /** One step on what is pending; false when more is needed. */
  async function step(): Promise<boolean> {
    if (state === 'done') {
      pending = NOTHING;
      return false;
    }
    if (state === 'head') {
      const end = find(pending, HEAD_END);
      const isLast = pending.length >= 2 && pending[0] === 0x2d && pending[1] === 0x2d;
      if (isLast)
        throw new StorageError('InvalidArgument', { detail: 'POST requires exactly one file upload per request.' });
      if (end === -1) {
        if (pending.length > PART_HEAD_MAX_BYTES) throw malformed('The head of a part of the form is too long.');
        return false;
      }
      state = beginPart(decoder.decode(pending.subarray(0, end)));
      pending = pending.subarray(end + HEAD_END.length);
      if (state === 'file') sink = await onFile({ fields, fileName });
      return true;
    }
    const at = find(pending, delimiter);
    const ready = at === -1 ? Math.max(0, pending.length - delimiter.length) : at;
    if (state === 'file') {
      if (ready > 0) await sink?.(pending.slice(0, ready));
      pending = pending.subarray(ready);
    } else if (pending.length + fieldsBytes > FIELDS_MAX_BYTES && at === -1) {
      throw new StorageError('MaxPostPreDataLengthExceededError');
    }
    if (at === -1) return false;
    if (state === 'field') keepField(pending.slice(0, at));
    pending = pending.subarray((state === 'file' ? 0 : at) + delimiter.length);
    state = state === 'file' ? 'done' : 'head';
    return true;
  }

  function keepField(value: Uint8Array): void {
    fields.set(fieldName, value);
    fieldsBytes += fieldName.length + value.length;
    if (fieldsBytes > FIELDS_MAX_BYTES || fields.size > FIELDS_MAX_COUNT) {
      throw new StorageError('MaxPostPreDataLengthExceededError');
    }
  }

  return {
    async push(chunk: Uint8Array): Promise<void> {
      pending = pending.length === 0 ? chunk : concat(pending, chunk);
      while (await step());
    },
    end(): void {
      if (state === 'done') return;
      throw state === 'file' ? new StorageError('IncompleteBody') : malformed('The form ended before its file.');
    },
  };
}

/** A parameter of a Content-Disposition; browsers write a quote in it as `%22`. */
function parameterOf(disposition: string, name: string): string | null {
  const match = new RegExp(`(?:^|;)\\s*${name}=(?:"([^"]*)"|([^\\s;]*))`, 'i').exec(disposition);
  return match?.[1] ?? match?.[2] ?? null;
}

/** Where `wanted` begins in `bytes`, or -1. */
function find(bytes: Uint8Array, wanted: Uint8Array): number {
  const first = wanted[0] ?? 0;
  for (let at = bytes.indexOf(first); at !== -1; at = bytes.indexOf(first, at + 1)) {
    if (at + wanted.length > bytes.length) return -1;
    let matched = 1;
    while (matched < wanted.length && bytes[at + matched] === wanted[matched]) matched++;
    if (matched === wanted.length) return at;
  }
  return -1;
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  const joined = new Uint8Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return joined;
}
