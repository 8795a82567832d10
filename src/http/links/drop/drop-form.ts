// Files of a form, for browsers without a script: the page sends them in one body,
// one after the other. A file counts as soon as it is whole; one that is refused is
// named, and the next ones are taken.
import { finishFile } from '../../../core/links/drop/finish-file.ts';
import { endFile, receiveBytes } from '../../../core/links/drop/receive-bytes.ts';
import { addSender } from '../../../core/links/drop/senders.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { DropFile, DropSender } from '../../../domain/links/drop-link.ts';
import { DROP_FORM_FILES_MAX } from '../../../domain/links/link-limits.ts';
import type { ByteSource } from '../../../ports/byte-source.ts';
import { type FormHead, type FormSink, readFilesForm } from '../../s3/post/form-body.ts';
import { isFault, shownFailure } from '../../semantics/error-status.ts';
import { beginCounted, noteEnded } from './begun-files.ts';
import { countWrites, type DropCall, requireOpen, requireSender } from './drop-request.ts';
import { type Receipt, readReceipt } from './receipt.ts';

/** What became of a form. */
export type FormAnswer = {
  /** The code to come back with, with its dashes. */
  readonly code: string;
  readonly receipt: Receipt;
  /** Files that were not taken, and why: the first of them. */
  readonly refused: readonly {
    readonly name: string;
    readonly code: string;
    readonly message: string;
  }[];
  /** Whether every file was taken. */
  readonly isComplete: boolean;
};

const decoder = new TextDecoder();
const textOf = (fields: FormHead['fields'], name: string): string =>
  decoder
    .decode(fields.get(name) ?? new Uint8Array())
    .replaceAll('\r\n', '\n')
    .trim();

/**
 * Reads the form. A code goes on as its sender; without one the fields make another
 * sender. A form without files shows the receipt of the code. MissingContentLength,
 * those of readFilesForm, of addSender and requireSender.
 */
export async function answerForm(call: DropCall): Promise<FormAnswer> {
  const { request, bodies } = call;
  const body = request.body();
  if (body.lengthBytes === null) throw new StorageError('MissingContentLength');
  const form = createFormSession(call, body.lengthBytes);
  const fields = await bodies.during(call, body, async (watched) => {
    try {
      return await readFilesForm(request.header('content-type'), watched, form.onFile);
    } catch (error) {
      await form.abandon();
      throw error;
    }
  });
  const { code, sender } = await form.senderOf(fields);
  const receipt = await readReceipt(call, sender, '');
  const { refused } = form;
  return { code, receipt, refused, isComplete: refused.length === 0 };
}

type Identity = { readonly code: string; readonly sender: DropSender };

function createFormSession(call: DropCall, formBytes: number) {
  const refused: { name: string; code: string; message: string }[] = [];
  let identity: Identity | null = null;
  let files = 0;
  /** Bytes of files that have come in this form, taken or not. */
  let comeBytes = 0;
  /** The file that is coming; null between two. */
  let current: OpenedSink | null = null;

  async function senderOf(fields: FormHead['fields']): Promise<Identity> {
    if (identity !== null) return identity;
    const code = textOf(fields, 'code');
    if (code !== '') {
      identity = { code, sender: await requireSender(call, code) };
      return identity;
    }
    requireOpen(call);
    const { core, request, opened } = call;
    const said = {
      name: textOf(fields, 'name'),
      mail: textOf(fields, 'mail'),
      note: textOf(fields, 'note'),
    };
    identity = await addSender(core, opened, said, request.remoteAddress);
    return identity;
  }

  async function onFile(head: FormHead): Promise<FormSink> {
    // Browsers send a part for a field of files in which none was chosen.
    if (head.fileName === '') return IGNORED;
    const { sender } = await senderOf(head.fields);
    files += 1;
    try {
      if (files > DROP_FORM_FILES_MAX) {
        throw new StorageError('InvalidRequest', {
          detail: `A form takes ${DROP_FORM_FILES_MAX} files at most.`,
        });
      }
      const lengthBytes = roomFor(call, sender, formBytes, comeBytes);
      const sink = await openSink(call, sender, { head, lengthBytes, noteRefusal });
      current = sink;
      return {
        write(chunk) {
          comeBytes += chunk.length;
          return sink.write(chunk);
        },
        end() {
          current = null;
          return sink.end();
        },
      };
    } catch (error) {
      noteRefusal(head.fileName, error);
      return IGNORED;
    }
  }

  function noteRefusal(name: string, error: unknown): void {
    if (isFault(error)) throw error;
    // A form may name a million files; what nobody reads is not stored.
    if (refused.length >= DROP_FORM_FILES_MAX) return;
    const { code, message } = shownFailure(error);
    refused.push({ name: name.slice(0, 200), code, message });
  }

  /** The form has broken off: nothing stays of the file that was coming. */
  async function abandon(): Promise<void> {
    await current?.abandon();
  }

  return { refused, senderOf, onFile, abandon };
}

/** A file of a form while it comes. */
type OpenedSink = {
  write(chunk: Uint8Array): void | Promise<void>;
  end(): Promise<void>;
  abandon(): Promise<void>;
};

/** Bytes of a file that is not taken are read past. */
const IGNORED: FormSink = { write: () => {}, end: async () => {} };

/**
 * Begins one file, whose length nobody knows before its end: so much is taken as
 * the form is long, or as the link allows, and counted as what came in the end.
 */
async function openSink(
  call: DropCall,
  sender: DropSender,
  {
    head,
    lengthBytes,
    noteRefusal,
  }: {
    readonly head: FormHead;
    readonly lengthBytes: number;
    readonly noteRefusal: (name: string, error: unknown) => void;
  },
): Promise<OpenedSink> {
  const { core, opened } = call;
  const announced = { path: head.fileName, lengthBytes, contentType: head.contentType };
  const file = await beginCounted(call, sender, announced);
  const { source, write, end, fail, readPast } = pushSource();
  const work = receiveBytes(core, opened, file, {
    body: source,
    expectation: null,
    isWhole: true,
  }).then((received) => settle(call, received));
  let failed: { readonly error: unknown } | null = null;
  void work.catch((error: unknown) => {
    failed = { error };
    readPast();
  });
  return {
    write: (chunk) => (failed === null ? write(chunk) : undefined),
    async end() {
      end();
      try {
        await work;
      } catch (error) {
        await endFile(core, opened, file);
        noteRefusal(head.fileName, error);
      }
    },
    async abandon() {
      fail(new StorageError('IncompleteBody'));
      await work.catch(() => {});
      await endFile(core, opened, file);
    },
  };
}

/** The most bytes that a file of this form may have. */
function roomFor(
  { opened }: DropCall,
  sender: DropSender,
  formBytes: number,
  comeBytes: number,
): number {
  const { limits } = opened.link;
  const left = (max: number | null, used: number) =>
    max === null ? Number.POSITIVE_INFINITY : Math.max(0, max - used - comeBytes);
  return Math.min(
    formBytes - comeBytes,
    limits.fileBytes ?? formBytes,
    left(limits.totalBytes, opened.usage.bytes),
    left(limits.senderBytes, sender.bytes),
  );
}

async function settle(call: DropCall, received: DropFile): Promise<DropFile> {
  const { core, opened } = call;
  const { linkId, id: fileId } = received;
  const nowMs = core.ports.clock.nowMs();
  const settled: DropFile = await opened.bucket.call('settleDropLength', { linkId, fileId, nowMs });
  const none = { body: { lengthBytes: 0, pump: async () => {} }, expectation: null };
  const whole =
    settled.pieces === 0
      ? await receiveBytes(core, opened, { ...received, ...settled }, none)
      : { ...received, lengthBytes: settled.lengthBytes };
  const finished = await finishFile(core, opened, whole);
  noteEnded(call, finished.senderId);
  countWrites(call, 2 + finished.pieces);
  return finished;
}

/** A source that is pushed into; a push waits until its bytes were taken. */
function pushSource() {
  const opened = Promise.withResolvers<(chunk: Uint8Array) => void | Promise<void>>();
  const ended = Promise.withResolvers<void>();
  const source: ByteSource = {
    lengthBytes: null,
    pump(onChunk) {
      opened.resolve(onChunk);
      return ended.promise;
    },
  };
  return {
    source,
    async write(chunk: Uint8Array): Promise<void> {
      try {
        await (await opened.promise)(chunk);
      } catch (error) {
        ended.reject(error);
      }
    },
    end: () => ended.resolve(),
    fail: (error: unknown) => ended.reject(error),
    /** Nobody will take the bytes any more: a push must not wait for that. */
    readPast() {
      opened.resolve(() => {});
      ended.resolve();
    },
  };
}
