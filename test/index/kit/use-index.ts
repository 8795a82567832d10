// Every call of the index, down every branch that has statements of its own: statements.test.ts
// looks at the plans of them all, and fails where one is missing here.
import { HOSTING_DEFAULTS } from '../../../src/core/hosting/read-hosting.ts';
import type { KeyAction } from '../../../src/domain/keys/key-jobs.ts';
import { LIFECYCLE_PHASES } from '../../../src/domain/lifecycle.ts';
import type {
  BucketAddress,
  BucketRef,
  VersionId,
  VersionName,
} from '../../../src/domain/nouns.ts';
import type { IndexApi } from '../../../src/ports/metadata-index.ts';
import type { OutboxApi } from '../../../src/ports/outbox.ts';
import {
  addressOf,
  asKey,
  blobIn,
  bucketRecord,
  completionOf,
  deletionOf,
  fresh,
  keyJobOf,
  latePutOf,
  newReferenceOf,
  OWNER,
  objectOf,
  partBlobIn,
  partOf,
  refOf,
  START_MS,
  segmentsObjectOf,
  uploadOf,
  versionDeletionOf,
  wholeOf,
} from '../../contract/index/samples.ts';
import { useDropLinks } from './use-drop-links.ts';
import { usePacks } from './use-packs.ts';
import { useShards } from './use-shards.ts';
import { useShareLinks } from './use-share-links.ts';

/** Every call of the index, down every branch that has statements of its own. */
export function useIndex(index: IndexApi): void {
  const owner = index.createBucket({ bucket: bucketRecord() });
  const record = index.createBucket({ bucket: bucketRecord() });
  const { name } = record;
  const opened = index.setBucketAccess({ bucket: refOf(record), access: record.access });
  const purged = index.purgeBucket({ bucket: refOf(opened), scopes: [{ scope: 'bucket' }] });
  const bucket = refOf(
    index.setBucketSettings({
      bucket: refOf(purged),
      settings: { cors: [], hosting: HOSTING_DEFAULTS },
    }),
  );
  const [foreign, own, first, second] = [
    blobIn(owner),
    blobIn(record),
    blobIn(record),
    blobIn(record),
  ];
  const commit = (
    to: typeof bucket,
    object: ReturnType<typeof objectOf>,
    newReferences = [] as ReturnType<typeof newReferenceOf>[],
  ) => index.commitObject({ bucket: to, object, condition: null, newReferences });
  commit(refOf(owner), segmentsObjectOf('a', [wholeOf(foreign)]), [newReferenceOf(foreign)]);
  const hold = {
    ownerBucket: addressOf(owner),
    blobIds: [foreign],
    referrer: addressOf(record),
    nowMs: START_MS,
  };
  index.addRemoteReferences(hold);
  commit(bucket, segmentsObjectOf('a', [wholeOf(foreign)]), [
    newReferenceOf(foreign, 1, addressOf(owner)),
  ]);
  commit(bucket, segmentsObjectOf('b', [wholeOf(own)]), [newReferenceOf(own)]);
  commit(bucket, segmentsObjectOf('c', [wholeOf(own)]));
  for (const _ of [1, 2]) commit(bucket, objectOf('i'));
  commit(bucket, segmentsObjectOf('i', [wholeOf(own)]));
  index.resolve({ name, key: asKey('a') });
  index.resolveAll({ name, keys: [asKey('a')] });
  index.getBucket({ name });
  for (const versionId of [null, 'null'] as const)
    index.getVersion({ bucket, key: asKey('a'), versionId });
  index.getObjects({ bucket, keys: [asKey('a')] });
  index.listAcls({ bucket, keys: [asKey('a')] });
  for (const delimiter of ['', '/']) {
    index.listObjects({ bucket, prefix: 'a', delimiter, after: '', maxKeys: 10 });
    index.listUploads({
      bucket,
      prefix: '',
      delimiter,
      afterKey: '',
      afterUploadId: '',
      maxUploads: 10,
    });
  }

  useKeyAids(index, bucket, addressOf(record));
  useVersions(index, bucket);
  useEvents(index, bucket);
  useQuotas(index, bucket, addressOf(record));
  useSelections(index, bucket, addressOf(record));
  const use = { bucket, id: 'url', maxUses: 1, nowMs: START_MS, expiresAtMs: START_MS + 1 };
  index.takeUrlUse(use);
  index.releaseUrlUse(use);
  useShareLinks(index, bucket, addressOf(record));
  useDropLinks(index, bucket);
  usePacks(index);
  useShards(index);
  const copy = {
    object: segmentsObjectOf('', [wholeOf(own)]),
    toKeys: ['c', 'e'].map(asKey),
    newReferences: [],
  };
  for (const mayReplace of [false, false, true])
    index.commitCopies({ bucket, copies: [{ ...copy, mayReplace }] });
  const upload = uploadOf('u');
  const address = { bucket, key: upload.key, uploadId: upload.uploadId };
  index.createUpload({ bucket, upload });
  const parts = [partOf(1, [wholeOf(first)]), partOf(2, [wholeOf(second)])];
  index.commitPart({ ...address, part: partOf(1, [wholeOf(own)]), newReferences: [] });
  for (const part of parts)
    index.commitPart({
      ...address,
      part,
      newReferences: part.segments.map((s) => newReferenceOf(s.blobId)),
    });
  index.getUpload(address);
  index.listParts({ ...address, afterPartNumber: 0, maxParts: 10 });
  for (const _ of [1, 2])
    index.completeUpload({ bucket, ...completionOf(upload, parts.slice(0, 1)) });
  const aborted = uploadOf('u');
  index.createUpload({ bucket, upload: aborted });
  index.abortUpload({ bucket, key: aborted.key, uploadId: aborted.uploadId, nowMs: START_MS });
  const resting = [uploadOf('u'), uploadOf('u')];
  for (const one of resting) index.createUpload({ bucket, upload: one });
  const [going] = resting;
  if (going !== undefined) {
    const late = partOf(1, [wholeOf(own)], { lastModifiedMs: START_MS + 2 });
    index.commitPart({
      bucket,
      key: going.key,
      uploadId: going.uploadId,
      part: late,
      newReferences: [],
    });
  }
  useJoinedParts(index, bucket);
  useLateObjects(index, bucket);
  const stale = { bucket, idleSinceMs: START_MS + 1, exceptPrefixes: [], nowMs: START_MS + 1 };
  index.abortStaleUploads({ ...stale, after: null });
  index.abortStaleUploads({ ...stale, after: { activeAtMs: 0, key: '', uploadId: '' } });

  const digest = { sha256Hex: 'x' };
  for (const blobId of [blobIn(record), blobIn(record)]) {
    const newReferences = [{ ...newReferenceOf(blobId), digest }];
    const object = segmentsObjectOf('d', [wholeOf(blobId)]);
    for (const _ of [1, 2]) index.commitObject({ bucket, object, condition: null, newReferences });
  }

  index.deleteObjects({ bucket: refOf(owner), ...deletionOf(['a']) });
  index.condemnBlobs({ bucket: addressOf(owner), olderThanMs: START_MS + 1, limit: 10 });
  const keys = index.listObjects({
    bucket,
    prefix: '',
    delimiter: '',
    after: '',
    maxKeys: 10,
  }).objects;
  index.deleteObjects({ bucket, ...deletionOf(keys.map((object) => object.key)) });
  const { blobs } = index.condemnBlobs({
    bucket: addressOf(record),
    olderThanMs: START_MS + 1,
    limit: 10,
  });
  index.releaseRemoteReferences({ ...hold, takenUpToMs: START_MS });
  index.forgetBlobs({ bucket: addressOf(record), blobIds: blobs.map((blob) => blob.blobId) });
  index.findUnknownBlobs({ blobIds: [own, foreign] });
  index.findReferencedBlobs({ referrer: addressOf(record), blobIds: [foreign] });
  index.getStorageTotals({ bucket });
  index.getIndexRoom({ bucket });
  const left = uploadOf('u');
  index.createUpload({ bucket, upload: left });
  index.deleteBucket({ bucket, nowMs: START_MS });
  index.dropUploadsOfIncarnation({ bucket: addressOf(record), nowMs: START_MS });
  index.dropOrphanRows({ bucket: addressOf(record) });
  index.listIncarnations({ name });
  const hours = index.closeStorageHours({ name, nowMs: START_MS + 9_000_000, limit: 10 });
  index.forgetStorageHours({ name, hours });
  index.setSweptUpTo({ bucket: addressOf(record), sweptUpTo: 'x' });
  index.forgetIncarnation({ bucket: addressOf(record) });
}

/** Changes of a bucket that tells of them, and what becomes of the messages. */
function useEvents(index: IndexApi, bucket: BucketRef): void {
  const rule = {
    id: 'r',
    kind: 'queue',
    arn: 'a',
    endpointId: 'e',
    prefix: '',
    suffix: '',
  } as const;
  const notify = {
    ownerId: OWNER,
    rules: [{ ...rule, events: ['s3:ObjectCreated:*'] }],
    origin: null,
  };
  const telling = { ...bucket, notify };
  for (const _ of [1, 2]) {
    index.commitObject({
      bucket: telling,
      object: objectOf('reported'),
      condition: null,
      newReferences: [],
    });
  }
  useOutbox(index, bucket.id);
}

/** Every call of an outbox, which both have. */
export function useOutbox(outbox: OutboxApi, queueId: string): void {
  const to = {
    queueId,
    accountId: OWNER,
    endpointId: 'e',
    orderingKey: 'k',
    kind: 'plain',
    type: 't',
    messageId: null,
  } as const;
  const delivery = { ...to, payload: '{}' };
  const nowMs = START_MS;
  outbox.enqueueDeliveries({
    deliveries: [delivery, delivery, { ...delivery, orderingKey: '' }],
    nowMs,
  });
  const claim = () =>
    outbox.claimDeliveries({ nowMs, claimMs: 1, limit: 10, perEndpoint: 10, limits: {}, after: '' })
      .deliveries;
  const result = { dueAtMs: nowMs, status: null, error: null };
  for (const outcome of ['retry', 'dead', 'delivered'] as const) {
    const results = claim().map(({ id, attempts }) => ({
      ...result,
      id,
      claim: attempts,
      outcome,
    }));
    outbox.settleDeliveries({ results, nowMs });
  }
  const of = { queueId, endpointId: 'e' };
  const { deliveries } = outbox.listDeliveries({ ...of, state: 'dead', before: null, limit: 10 });
  outbox.replayDeliveries({
    ...of,
    ids: deliveries.slice(0, 1).map(({ id }) => id),
    limit: 10,
    nowMs,
  });
  outbox.replayDeliveries({ ...of, ids: null, limit: 10, nowMs });
  outbox.countDeliveries({ queueId });
  outbox.nextDeliveryAt({});
}

/** Calls about versions, with versions on, and off again as far as that goes. */
function useVersions(index: IndexApi, bucket: BucketRef): void {
  const [on, suspended] = (['enabled', 'suspended'] as const).map((versioning) => ({
    ...bucket,
    versioning,
  }));
  for (const to of [bucket, on, on, suspended, on]) {
    if (to === undefined) continue;
    index.commitObject({ bucket: to, object: objectOf('v'), condition: null, newReferences: [] });
    index.deleteObjects({ bucket: to, ...deletionOf(to === bucket ? [] : ['v']) });
  }
  const list = (afterKey: string, afterVersionId: VersionName | '') =>
    index.listVersions({
      bucket,
      prefix: 'v',
      delimiter: '',
      afterKey,
      afterVersionId,
      maxKeys: 100,
    }).versions;
  const all = list('', '');
  list('v', all[0]?.versionId ?? '');
  list('v', 'null');
  const found = all.find((version) => !version.isMarker);
  if (found !== undefined) {
    const change = { tags: { a: 'b' } };
    const update = { bucket, key: asKey('v'), change, bypassGovernance: false, nowMs: START_MS };
    index.updateVersion({ ...update, versionId: found.versionId });
  }
  useLifecycle(index, bucket, all[0]?.versionId ?? ('' as VersionId));
  for (const to of [bucket, on, suspended]) if (to !== undefined) useNameJobs(index, to);
  for (const version of all) {
    index.deleteObjects({
      bucket,
      ...versionDeletionOf('v', version.isNull ? 'null' : version.versionId),
    });
  }
}

/** Scans from the start and from a place, and an action of each kind. */
function useLifecycle(index: IndexApi, bucket: BucketRef, versionId: VersionId): void {
  const upTo = START_MS + 1;
  const bounds = {
    endUpToMs: upTo,
    moveUpToMs: upTo,
    moveMinBytes: 0,
    moveUnlessIn: [],
    markersUpToMs: upTo,
  };
  for (const phase of LIFECYCLE_PHASES) {
    const start = { phase, prefix: '', afterKey: '', afterId: '', newerVersions: 0 };
    for (const place of [start, { ...start, afterKey: 'v', afterId: versionId }]) {
      index.scanLifecycle({ bucket, cursor: place, bounds });
    }
  }
  index.getLifecycleRun({ bucket });
  useCompression(index, bucket, versionId);
  const key = asKey('v');
  const upload = uploadOf('v');
  index.createUpload({ bucket, upload });
  index.applyLifecycle({
    bucket,
    actions: [
      { kind: 'expire', key, versionId, markerId: versionId },
      { kind: 'remove', key, versionId },
      { kind: 'transition', key, versionId, storageClass: 'STANDARD_IA' },
      { kind: 'abort', key, uploadId: upload.uploadId },
    ],
    run: { setAtMs: 1, startedAtMs: 1, place: null },
    nowMs: START_MS,
  });
}

/** Bodies of current and of older versions in other places. */
function useCompression(index: IndexApi, bucket: BucketRef, otherId: VersionId): void {
  const bounds = { writtenAfterMs: 0, writtenUpToMs: START_MS + 1e9, minBytes: 0, maxBytes: 1e9 };
  const run = {
    setAtMs: 1,
    startedAtMs: 1,
    doneUpToMs: 0,
    upToMs: 1,
    failedFromMs: null,
    retries: 0,
    place: null,
  };
  index.setCompressionRun({ bucket, run });
  index.getCompressionRun({ bucket });
  const [plain, compressed] = [blobIn(bucket), blobIn(bucket)];
  const { key, versionId } = segmentsObjectOf('compressed', [wholeOf(plain)]);
  const object = { ...segmentsObjectOf('compressed', [wholeOf(plain)]), versionId };
  index.commitObject({ bucket, object, condition: null, newReferences: [newReferenceOf(plain)] });
  for (const phase of ['objects', 'versions'] as const) {
    const place = { phase, prefix: '', afterKey: '', afterId: '', newerVersions: 0 } as const;
    index.scanForCompression({ bucket, cursor: place, bounds });
  }
  const to = {
    ...wholeOf(compressed),
    packing: { frameBytes: 100, plainBytes: 100, storedBytes: 40 },
  };
  const exchange = {
    bucket,
    key,
    from: [wholeOf(plain)],
    to,
    newReference: newReferenceOf(compressed, 40),
    nowMs: START_MS,
  };
  for (const id of [versionId, otherId]) index.exchangeBody({ ...exchange, versionId: id });
}

/** Sums and search before they are made, while they are, and with changes that are not taken in. */
function useKeyAids(index: IndexApi, bucket: BucketRef, address: BucketAddress): void {
  const search = { bucket, prefix: 'a', limit: 10 };
  for (const _ of [1, 2, 3]) {
    index.measurePrefixes({ bucket, prefixes: ['', 'a'] });
    index.countAllKeys({ bucket });
    for (const needle of ['a', 'abc']) index.searchKeys({ ...search, needle, after: null });
    index.searchKeys({ ...search, needle: 'a', after: 'a' });
    index.indexKeys({ bucket, nowMs: START_MS });
    for (const by of ['rank', 'name'] as const) {
      const start = by === 'rank' ? { by, rank: 1, isFromEnd: false } : { by, name: 'b' };
      for (const delimiter of ['/', ''])
        index.listLevel({ bucket, prefix: '', delimiter, maxKeys: 2, start });
    }
    for (const by of ['size', 'modified', 'type'] as const) {
      for (const isDescending of [false, true]) {
        const sort = { by, isDescending, behind: null, before: null, limit: 2, from: '' };
        for (const what of ['folders', 'objects'] as const)
          index.sortLevel({ bucket, prefix: '', delimiter: '/', what, ...sort });
      }
    }
    index.countLevel({ bucket, prefix: '', delimiter: '/', nowMs: START_MS });
    index.commitObject({ bucket, object: objectOf('a-noted'), condition: null, newReferences: [] });
    index.deleteObjects({ bucket, ...deletionOf(['a-noted', 'b']) });
  }
  index.forgetLevels({ bucket, unusedSinceMs: START_MS + 1 });
  for (const what of ['search', 'all'] as const) index.forgetKeyIndex({ bucket: address, what });
}

/** A grant, and what asks for it. */
function useQuotas(index: IndexApi, bucket: BucketRef, address: BucketAddress): void {
  const limited = { ...bucket, quotas: { own: null, isShared: true } };
  const grant = { bytes: 1_000_000, objects: 1000, sequence: 1 };
  index.settleStorageGrant({ bucket: address });
  index.setStorageGrant({ bucket: address, grant });
  const part = { uploadId: uploadOf('u').uploadId, partNumber: 1 };
  for (const one of [null, part])
    index.requireRoom({ bucket: limited, key: asKey('q'), sizeBytes: 1, part: one });
  index.commitObject({
    bucket: limited,
    object: objectOf('q'),
    condition: null,
    newReferences: [],
  });
  index.deleteObjects({ bucket: limited, ...deletionOf(['q']) });
}

/** A selection that waits, is read, and expires. */
function useSelections(index: IndexApi, bucket: BucketRef, address: BucketAddress): void {
  const selection = { base: '', keys: ['a'], prefixes: ['b/'] };
  const times = { nowMs: START_MS, expiresAtMs: START_MS + 1000 };
  index.addSelection({ bucket, id: 'selection', selection, ...times });
  index.getSelection({ bucket, id: 'selection', nowMs: START_MS });
  index.dropSelections({ bucket: address, nowMs: START_MS + 1000 });
}

/** A job, and each of its actions with and without something to do. */
function useNameJobs(index: IndexApi, bucket: BucketRef): void {
  const id = fresh('job');
  index.createKeyJob({ bucket, job: keyJobOf(id), keys: [{ key: asKey('w'), toKey: null }] });
  index.listKeyJobKeys({ bucket, id, at: 0, limit: 10 });
  for (const name of ['w', 'x', 'z']) {
    index.commitObject({ bucket, object: objectOf(name), condition: null, newReferences: [] });
  }
  const freshIds = () => ({
    versionId: fresh('version') as VersionId,
    markerId: fresh('version') as VersionId,
  });
  const move = { kind: 'move', key: asKey('w'), ...freshIds() } as const;
  const unmove = { kind: 'unmove', key: asKey('w'), toKey: asKey('y'), ...freshIds() } as const;
  const step = (revision: number, actions: readonly KeyAction[], isLast = false) =>
    index.stepKeyJob({
      bucket,
      id,
      revision,
      actions,
      next: { after: 'w', at: 0 },
      elsewhere: {},
      isLast,
      nowMs: START_MS,
    });
  step(1, [
    { ...move, toKeys: [asKey('x'), asKey('y')], mayReplace: false },
    { ...move, ...freshIds(), key: asKey('x'), toKeys: [asKey('z')], mayReplace: true },
  ]);
  const [item] = index.listKeyJobItems({ bucket, id, before: 2, limit: 1 });
  step(2, [
    {
      ...unmove,
      movedId: item?.versionId ?? ('' as VersionId),
      leftMarkerId: item?.markerId ?? null,
    },
  ]);
  const ends = { markerId: fresh('version') as VersionId, onlyVersionId: null, movedTo: null };
  step(3, [
    { kind: 'hide', key: asKey('w'), ...ends },
    { kind: 'unhide', key: asKey('w'), onlyMarkerId: null },
    { kind: 'hide', key: asKey('w'), ...ends, markerId: fresh('version') as VersionId },
    { kind: 'purge', key: asKey('w') },
  ]);
  const copy = { kind: 'copy', ...freshIds(), mayReplace: false } as const;
  const copied = index.stepKeyJob({
    bucket,
    id,
    revision: 4,
    actions: [
      { ...copy, key: asKey('z'), toKeys: [asKey('z2')] },
      { ...copy, key: asKey('none'), toKeys: [asKey('z3')] },
      { ...copy, kind: 'record', key: asKey('z'), toKey: asKey('z4'), sizeBytes: 1 },
    ],
    next: { after: 'z', at: 0 },
    elsewhere: {},
    refused: [{ key: asKey('z'), reason: 'conflict' }],
    isLast: false,
    nowMs: START_MS,
  });
  if (copied === null) throw new Error('refused');
  index.listKeyJobFailures({ bucket, id });
  const [, made] = index.listKeyJobItems({ bucket, id, before: 1000, limit: 2 });
  step(5, [{ kind: 'uncopy', key: asKey('z2'), copyId: made?.versionId ?? ('' as VersionId) }]);
  const [edited] = index.getObjects({ bucket, keys: [asKey('z')] });
  if (!edited) throw new Error('not there');
  const { headers, userMetadata, storageClass } = edited;
  const edit = { kind: 'edit', key: asKey('z'), onlyTags: null } as const;
  const attributes = { headers, userMetadata, storageClass, tags: { a: 'b' } };
  const { versionId } = freshIds();
  step(6, [
    { ...edit, onlyVersionId: edited.versionId, versionId, attributes },
    {
      ...{ ...edit, onlyVersionId: edited.versionId, versionId },
      attributes: { ...attributes, userMetadata: { a: 'b' } },
    },
    { kind: 'erase', key: asKey('z') },
  ]);
  index.getKeyJob({ bucket, id });
  index.listKeyJobs({ bucket });
  index.listHidden({ bucket, prefix: 'x', after: '', limit: 10 });
  index.endKeyJob({ bucket, id, failure: null, nowMs: START_MS });
  for (const prefix of ['w', 'x', 'y', 'z']) {
    const page = {
      bucket,
      prefix,
      delimiter: '',
      afterKey: '',
      afterVersionId: '',
      maxKeys: 100,
    } as const;
    for (const version of index.listVersions(page).versions) {
      index.deleteObjects({ bucket, ...versionDeletionOf(prefix, version.versionId) });
    }
  }
}

/** Objects that totals count late: some, too many, one that goes, and what is left at the end. */
function useLateObjects(index: IndexApi, bucket: BucketRef): void {
  for (let at = 0; at < 60; at++) index.commitObject(latePutOf(bucket, `late${at}`));
  index.deleteObjects({ bucket, ...deletionOf(['late59']) });
  index.commitObject(latePutOf(bucket, 'late60'));
  index.getStorageTotals({ bucket });
  const keys = Array.from({ length: 61 }, (_, at) => `late${at}`);
  index.deleteObjects({ bucket, ...deletionOf(keys) });
}

/** Parts in the rows of their blobs: replaced by each format, completed, aborted, counted late. */
function useJoinedParts(index: IndexApi, bucket: BucketRef): void {
  for (const ends of ['complete', 'abort', 'hour'] as const) {
    const upload = uploadOf('joined', {}, 'joined');
    const { key, uploadId } = upload;
    index.createUpload({ bucket, upload, isLate: true });
    const blobs = [blobIn(bucket), partBlobIn(bucket, upload, 1), partBlobIn(bucket, upload, 1)];
    const parts = blobs.map((blobId) => partOf(1, [wholeOf(blobId)]));
    for (const part of parts) {
      const newReferences = part.segments.map(({ blobId }) => newReferenceOf(blobId));
      index.commitPart({ bucket, key, uploadId, part, newReferences });
    }
    const listed = completionOf(upload, parts.slice(2));
    if (ends === 'complete') index.completeUpload({ bucket, ...listed });
    if (ends === 'abort') index.abortUpload({ bucket, key, uploadId, nowMs: START_MS });
  }
  const late = uploadOf('joined', {}, 'joined');
  index.createUpload({ bucket, upload: late, isLate: true });
  index.getStorageTotals({ bucket });
}
