// Begins a file of a sender: its name is checked and made a key, its type and size
// are compared with the link, and a multipart upload is opened for it. Nothing is
// stored of a file that is refused.
import { randomText } from '../../../crypto/random-text.ts';
import { StorageError } from '../../../domain/errors.ts';
import {
  type DropFile,
  type DropSender,
  fileEndMs,
  landingPrefix,
  NO_PROGRESS,
} from '../../../domain/links/drop-link.ts';
import { fillTemplate, parseDropPath } from '../../../domain/links/drop-names.ts';
import { DROP_ANNOUNCED_LIFE_MS } from '../../../domain/links/link-limits.ts';
import type { ObjectKey } from '../../../domain/nouns.ts';
import { NO_FACTS } from '../../../domain/object-facts.ts';
import type { Upload } from '../../../ports/index-calls/upload-calls.ts';
import type { IndexApi } from '../../../ports/metadata-index.ts';
import type { NewDelivery } from '../../../ports/outbox.ts';
import type { Core } from '../../core.ts';
import { makeDataKey, type RequestedEncryption } from '../../encryption/envelope.ts';
import { OBJECT_MAX_BYTES } from '../../limits.ts';
import { requireRoom } from '../../objects/write-body.ts';
import { parseObjectKey } from '../../parse-names.ts';
import type { OpenedDropLink } from './open-drop-link.ts';
import { nearLimitReport } from './report-drops.ts';
import { requireTypeOf } from './require-type.ts';

/** Characters of a file's id that say when it began, so that files are listed as they came. */
const FILE_ID_TIME_LENGTH = 9;
/** Characters behind them, 5 random bits each. */
const FILE_ID_RANDOM_LENGTH = 17;
const FILE_ID_LENGTH = FILE_ID_TIME_LENGTH + FILE_ID_RANDOM_LENGTH;
const FILE_ID = /^[0-9a-z]+$/;

/** A file as its sender announces it. */
export type AnnouncedFile = {
  /** Name, with folders. */
  readonly path: string;
  readonly lengthBytes: number;
  /** Null: it is unknown. */
  readonly contentType: string | null;
};

function newFileId(nowMs: number): string {
  const time = nowMs.toString(36).padStart(FILE_ID_TIME_LENGTH, '0');
  return time + randomText(FILE_ID_RANDOM_LENGTH);
}

/** Whether a text is the id of some file. */
export function isDropFileId(text: string): boolean {
  return text.length === FILE_ID_LENGTH && FILE_ID.test(text);
}

/**
 * Begins a file. InvalidArgument (the name), AccessDenied (the type; closed),
 * EntityTooLarge, QuotaExceeded. Cost: one commit. Where the link is full of files whose
 * time is over, one more for each DROP_GIVEN_UP_AT_ONCE of them. Where its limits come near,
 * once a query of the directory and a commit.
 */
export async function beginFile(
  core: Core,
  opened: OpenedDropLink,
  sender: DropSender,
  announced: AnnouncedFile,
  encryption: RequestedEncryption | null,
): Promise<DropFile> {
  const { bucket, link } = opened;
  const { clock, ids } = core.ports;
  const { lengthBytes } = announced;
  const nowMs = clock.nowMs();
  const path = parseDropPath(announced.path);
  if (path === null) {
    throw new StorageError('InvalidArgument', {
      detail: 'This name can not be stored: it is too long, or has characters that no name has.',
      fields: { ArgumentName: 'filename' },
    });
  }
  if (lengthBytes > OBJECT_MAX_BYTES) throw new StorageError('EntityTooLarge');
  const contentType = requireTypeOf(link, announced.contentType);
  const key = keyOf(opened, sender, path, nowMs);
  await requireRoom(bucket, { lengthBytes, pump: async () => {} }, { key, part: null });

  const { ownerId } = bucket.record();
  const envelope = encryption === null ? null : await makeDataKey(core, ownerId, encryption);
  const upload: Upload = {
    ...NO_FACTS,
    encryption: envelope?.encryption ?? null,
    headers: { contentType },
    userMetadata: {},
    storageClass: 'STANDARD',
    uploadId: ids.uploadId(),
    key,
    createdAtMs: nowMs,
    checksumAlgorithm: null,
    checksumType: null,
    initiatorId: null,
  };
  const file: DropFile = {
    id: newFileId(nowMs),
    linkId: link.id,
    senderId: sender.id,
    uploadId: upload.uploadId,
    ...{ path, key, contentType, lengthBytes },
    offsetBytes: 0,
    pieces: 0,
    progress: NO_PROGRESS,
    createdAtMs: nowMs,
    expiresAtMs: fileEndMs(link, nowMs + DROP_ANNOUNCED_LIFE_MS),
    finishedAtMs: null,
    sha256: null,
  };
  let nearReport: readonly NewDelivery[] | null = null;
  for (;;) {
    const input = { file, upload, nowMs, nearReport };
    const begun: BegunFile = await bucket.call('addDropFile', input);
    if (begun !== null && !('near' in begun)) return file;
    if (begun !== null) nearReport = await nearLimitReport(core, bucket.record(), begun.near);
  }
}

type BegunFile = ReturnType<IndexApi['addDropFile']>;

/** InvalidArgument for a name that makes a key too long. */
function keyOf(
  { link }: OpenedDropLink,
  { id: senderId, fields }: DropSender,
  path: string,
  nowMs: number,
): ObjectKey {
  const name = fillTemplate(link.template, { path, fields, senderId, nowMs });
  // Where it waits and where it goes: a release must not find the name too long.
  const released = parseObjectKey(link.prefix + name);
  return link.quarantine === null ? released : parseObjectKey(landingPrefix(link) + name);
}
