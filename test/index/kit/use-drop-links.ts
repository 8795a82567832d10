// Every call about drop links, down every branch that has statements of its own: for use-index.ts.
import type { DropFile, DropLink, DropSettings } from '../../../src/domain/links/drop-link.ts';
import type { LinkId } from '../../../src/domain/links/link-ids.ts';
import type { ShareHistoryEntry } from '../../../src/domain/links/share-records.ts';
import type { AccountId, BucketRef } from '../../../src/domain/nouns.ts';
import type { IndexApi } from '../../../src/ports/metadata-index.ts';
import type { NewDelivery } from '../../../src/ports/outbox.ts';
import {
  asKey,
  blobIn,
  completionOf,
  deletionOf,
  newReferenceOf,
  partOf,
  START_MS,
  uploadOf,
  wholeOf,
} from '../../contract/index/samples.ts';

export const DROP_SETTINGS: DropSettings = {
  prefix: 'in/',
  quarantine: null,
  template: '{name}',
  limits: {
    fileBytes: null,
    files: 10,
    totalBytes: null,
    senderFiles: null,
    senderBytes: null,
    types: null,
  },
  page: { title: null, text: null, colour: null, name: 'none', mail: 'none', note: 'none' },
  note: '',
  expiresAtMs: null,
  revokedAtMs: null,
};

export const DROP_LINK: DropLink = {
  ...DROP_SETTINGS,
  id: 'abcdefghijklmnopqrstuv' as LinkId,
  createdAtMs: START_MS,
  revision: 1,
};

/** A note of its history. */
export const DROP_ENTRY: ShareHistoryEntry = {
  atMs: START_MS,
  memberId: null,
  accessKeyId: null,
  action: 'created',
  changes: {},
};

/** A message for a webhook, in the queue of the bucket. */
export const deliveryOf = ({ id }: BucketRef): NewDelivery => ({
  queueId: id,
  accountId: 'account' as AccountId,
  endpointId: 'webhook',
  orderingKey: '',
  kind: 'plain',
  type: 'drop.uploaded',
  messageId: 'msg_1',
  payload: '{}',
});

/** A file that is announced, and the upload that it comes by. */
export function dropFileOf(id: string, changes: Partial<DropFile> = {}) {
  const upload = uploadOf('in/a');
  const file: DropFile = {
    id,
    linkId: DROP_LINK.id,
    senderId: 'sender',
    path: 'a',
    key: upload.key,
    uploadId: upload.uploadId,
    contentType: 'text/plain',
    lengthBytes: 100,
    offsetBytes: 0,
    pieces: 0,
    progress: { sha256State: null, head: '' },
    createdAtMs: START_MS,
    expiresAtMs: START_MS + 1000,
    finishedAtMs: null,
    sha256: null,
    ...changes,
  };
  return { file, upload };
}

/** Begins a file that brings its link near its limits, once it is known who hears of it. */
function useNearLimit(index: IndexApi, bucket: BucketRef): void {
  for (const nearReport of [null, [deliveryOf(bucket)]])
    index.addDropFile({ bucket, ...dropFileOf('d'), nowMs: START_MS + 2000, nearReport });
}

export function useDropLinks(index: IndexApi, bucket: BucketRef): void {
  const { id } = DROP_LINK;
  const name = (fileId: string) => ({ bucket, linkId: id, fileId, nowMs: START_MS });
  index.addDropLink({ bucket, link: DROP_LINK, max: 10, entry: DROP_ENTRY });
  index.changeDropLink({ bucket, id, revision: 1, settings: DROP_SETTINGS, entry: DROP_ENTRY });
  index.getDropLink({ bucket, id, nowMs: START_MS });
  index.listDropLinks({ bucket, after: '', limit: 10, nowMs: START_MS });
  const fields = { name: '', mail: '', note: '' };
  const sender = { id: 'sender', fields, source: 'x', nowMs: START_MS };
  index.addDropSender({ bucket, linkId: id, ...sender });
  index.getDropSender({ bucket, linkId: id, id: 'sender' });
  index.listDropSenders({ bucket, linkId: id, after: '', limit: 10 });
  const first = dropFileOf('a');
  index.addDropFile({ bucket, ...first, nowMs: START_MS });
  for (const fileId of ['b', 'c'])
    index.addDropFile({ bucket, ...dropFileOf(fileId), nowMs: START_MS });
  index.getDropFile(name('a'));
  for (const senderId of [null, 'sender'])
    index.listDropFiles({ bucket, linkId: id, senderId, after: '', limit: 10 });
  const blobId = blobIn(bucket);
  const part = partOf(1, [wholeOf(blobId)]);
  index.commitDropPiece({
    ...name('a'),
    part,
    newReferences: [newReferenceOf(blobId)],
    offsetBytes: 0,
    progress: { sha256State: null, head: '' },
  });
  index.settleDropLength(name('a'));
  index.finishDropFile({
    ...name('a'),
    ...completionOf(first.upload, [part]),
    toKey: asKey('in/dropped'),
    sha256: 'x',
    deliveries: [deliveryOf(bucket)],
  });
  index.removeDropFile(name('b'));
  const near = { ...DROP_SETTINGS, limits: { ...DROP_SETTINGS.limits, files: 2 } };
  index.changeDropLink({ bucket, id, revision: 2, settings: near, entry: DROP_ENTRY });
  useNearLimit(index, bucket);
  index.forgetDropRows({ bucket: { id: bucket.id, name: bucket.name }, nowMs: START_MS + 2000 });
  index.revokeDropLinks({
    bucket,
    prefix: 'in/',
    changer: { memberId: null, accessKeyId: null },
    nowMs: START_MS,
  });
  while (!index.removeDropLink({ bucket, id, nowMs: START_MS }).isDone);
  index.deleteObjects({ bucket, ...deletionOf(['in/dropped']) });
}
