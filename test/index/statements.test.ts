// What every statement of the index and the directory costs: seeks in an index, never a scan of a table or a sort.
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { HOSTING_DEFAULTS } from '../../src/core/hosting/read-hosting.ts';
import { createBucketIndex } from '../../src/index/bucket-index.ts';
import { createDirectoryIndex } from '../../src/index/directory-index.ts';
import { DIRECTORY_CALLS, INDEX_CALLS } from '../../src/index/index-names.ts';
import { DIRECTORY_SCHEMA, INDEX_SCHEMA, migrate, type Schema } from '../../src/index/schema.ts';
import type { DirectoryApi } from '../../src/ports/directory.ts';
import type {
  AccessKeyId,
  BucketAddress,
  BucketId,
  BucketName,
  BucketRef,
  VersionId,
  VersionName,
} from '../../src/ports/domain.ts';
import { LIFECYCLE_PHASES } from '../../src/ports/lifecycle.ts';
import type { IndexApi } from '../../src/ports/metadata-index.ts';
import type { NameAction } from '../../src/ports/name-jobs.ts';
import type { OutboxApi } from '../../src/ports/outbox.ts';
import type { Sql } from '../../src/ports/sql.ts';
import {
  addressOf,
  arrivalOf,
  asKey,
  blobIn,
  bucketRecord,
  completionOf,
  deletionOf,
  fresh,
  nameJobOf,
  OWNER,
  objectOf,
  partOf,
  refOf,
  START_MS,
  segmentsObjectOf,
  uploadOf,
  versionDeletionOf,
  wholeOf,
} from '../contract/index-samples.ts';
import { openMigrated } from './open-migrated.ts';

/** Scans that end after a fixed number of rows, or that go over what the caller gave. */
const HARMLESS = [
  /^SCAN json_each/,
  /^SCAN CONSTANT ROW/,
  // The oldest ten rows in the order of the table itself.
  /^SCAN finished_uploads$/,
  // What a limit inside let through.
  /^SCAN \(subquery-\d+\)$/,
  // By the search index itself, in the order of its rows.
  /^SCAN search_trigrams VIRTUAL TABLE INDEX/,
  // Endpoints that have messages waiting, each found by a seek.
  /^SCAN found$/,
];

/** A database that remembers the statements it ran. */
function openRecording(schema: Schema) {
  const sql = openMigrated(schema);
  const texts = new Set<string>();
  const recording: Sql = {
    all(text, ...values) {
      texts.add(text);
      return sql.all<never>(text, ...values);
    },
    transaction: sql.transaction,
  };
  const plansOf = (text: string) => {
    const parameters = new Set(text.match(/\?\d*/g)?.map((mark, at) => (mark === '?' ? `#${at}` : mark))).size;
    return sql
      .all<{ detail: string }>(`EXPLAIN QUERY PLAN ${text}`, ...Array.from({ length: parameters }, () => null))
      .map((row) => row.detail);
  };
  return { recording, texts, plansOf };
}

/** A database without transactions that tells how often SQLite has planned statements anew, and which. */
function openPlanning(schema: Schema) {
  const db = new DatabaseSync(':memory:');
  const statements = new Map<string, StatementSync>();
  const sql: Sql = {
    all(text, ...values) {
      const statement = statements.get(text) ?? db.prepare(text);
      statements.set(text, statement);
      return statement.all(...values) as never[];
    },
    transaction: (work) => work(),
  };
  migrate(sql, schema);
  statements.clear();
  const plannedAnew = () =>
    [...statements].filter(([, statement]) => {
      // The types of Node 26.6 lack this method of Node 26.10.
      const { stat } = statement as unknown as { stat(counter: 'reprepare'): number };
      return stat.call(statement, 'reprepare') > 0;
    });
  return { sql, plannedAnew: () => plannedAnew().map(([text]) => text) };
}

/** The same calls, noting the names of those that were called. */
function noting<Api extends object>(api: Api, called: Set<string>): Api {
  return new Proxy(api, {
    get(target, name) {
      called.add(String(name));
      return Reflect.get(target, name);
    },
  });
}

/** Every call of the index, down every branch that has statements of its own. */
function useIndex(index: IndexApi): void {
  const home = index.createBucket({ bucket: bucketRecord() });
  const record = index.createBucket({ bucket: bucketRecord() });
  const { name } = record;
  const opened = index.setBucketAccess({ bucket: refOf(record), access: record.access });
  const purged = index.purgeBucket({ bucket: refOf(opened), scopes: [{ scope: 'bucket' }] });
  const bucket = refOf(
    index.setBucketSettings({ bucket: refOf(purged), settings: { cors: [], hosting: HOSTING_DEFAULTS } }),
  );
  const [foreign, own, first, second] = [blobIn(home), blobIn(record), blobIn(record), blobIn(record)];
  const commit = (
    to: typeof bucket,
    object: ReturnType<typeof objectOf>,
    arrivals = [] as ReturnType<typeof arrivalOf>[],
  ) => index.commitObject({ bucket: to, object, condition: null, arrivals });
  commit(refOf(home), segmentsObjectOf('a', [wholeOf(foreign)]), [arrivalOf(foreign)]);
  const hold = { home: addressOf(home), blobIds: [foreign], holder: addressOf(record), nowMs: START_MS };
  index.holdBlobs(hold);
  commit(bucket, segmentsObjectOf('a', [wholeOf(foreign)]), [arrivalOf(foreign, 1, addressOf(home))]);
  commit(bucket, segmentsObjectOf('b', [wholeOf(own)]), [arrivalOf(own)]);
  commit(bucket, segmentsObjectOf('c', [wholeOf(own)]));
  for (const _ of [1, 2]) commit(bucket, objectOf('i'));
  commit(bucket, segmentsObjectOf('i', [wholeOf(own)]));
  index.resolve({ name, key: asKey('a') });
  index.resolveAll({ name, keys: [asKey('a')] });
  index.getBucket({ name });
  for (const versionId of [null, 'null'] as const) index.getVersion({ bucket, key: asKey('a'), versionId });
  index.getObjects({ bucket, keys: [asKey('a')] });
  for (const delimiter of ['', '/']) {
    index.listObjects({ bucket, prefix: 'a', delimiter, after: '', maxKeys: 10 });
    index.listUploads({ bucket, prefix: '', delimiter, afterKey: '', afterUploadId: '', maxUploads: 10 });
  }

  useNameAids(index, bucket, addressOf(record));
  useVersions(index, bucket);
  useEvents(index, bucket);
  const copy = { object: segmentsObjectOf('', [wholeOf(own)]), toKeys: ['c', 'e'].map(asKey), arrivals: [] };
  for (const mayReplace of [false, false, true]) index.commitCopies({ bucket, copies: [{ ...copy, mayReplace }] });
  const upload = uploadOf('u');
  const address = { bucket, key: upload.key, uploadId: upload.uploadId };
  index.createUpload({ bucket, upload });
  const parts = [partOf(1, [wholeOf(first)]), partOf(2, [wholeOf(second)])];
  index.commitPart({ ...address, part: partOf(1, [wholeOf(own)]), arrivals: [] });
  for (const part of parts)
    index.commitPart({ ...address, part, arrivals: part.segments.map((s) => arrivalOf(s.blobId)) });
  index.getUpload(address);
  index.listParts({ ...address, afterPartNumber: 0, maxParts: 10 });
  for (const _ of [1, 2]) index.completeUpload({ bucket, ...completionOf(upload, parts.slice(0, 1)) });
  const aborted = uploadOf('u');
  index.createUpload({ bucket, upload: aborted });
  index.abortUpload({ bucket, key: aborted.key, uploadId: aborted.uploadId, nowMs: START_MS });
  const resting = [uploadOf('u'), uploadOf('u')];
  for (const one of resting) index.createUpload({ bucket, upload: one });
  const [going] = resting;
  if (going !== undefined) {
    const late = partOf(1, [wholeOf(own)], { lastModifiedMs: START_MS + 2 });
    index.commitPart({ bucket, key: going.key, uploadId: going.uploadId, part: late, arrivals: [] });
  }
  const stale = { bucket, idleSinceMs: START_MS + 1, exceptPrefixes: [], nowMs: START_MS + 1 };
  index.abortStaleUploads({ ...stale, after: null });
  index.abortStaleUploads({ ...stale, after: { activeAtMs: 0, key: '', uploadId: '' } });

  const digest = { sha256Hex: 'x' };
  for (const blobId of [blobIn(record), blobIn(record)]) {
    const arrivals = [{ ...arrivalOf(blobId), digest }];
    const object = segmentsObjectOf('d', [wholeOf(blobId)]);
    for (const _ of [1, 2]) index.commitObject({ bucket, object, condition: null, arrivals });
  }

  index.deleteObjects({ bucket: refOf(home), ...deletionOf(['a']) });
  index.condemnBlobs({ bucket: addressOf(home), olderThanMs: START_MS + 1, limit: 10 });
  const keys = index.listObjects({ bucket, prefix: '', delimiter: '', after: '', maxKeys: 10 }).objects;
  index.deleteObjects({ bucket, ...deletionOf(keys.map((object) => object.key)) });
  const { blobs } = index.condemnBlobs({ bucket: addressOf(record), olderThanMs: START_MS + 1, limit: 10 });
  index.releaseHolds({ ...hold, takenUpToMs: START_MS });
  index.forgetBlobs({ bucket: addressOf(record), blobIds: blobs.map((blob) => blob.blobId) });
  index.findUnknownBlobs({ blobIds: [own, foreign] });
  index.findHeldBlobs({ holder: addressOf(record), blobIds: [foreign] });
  index.getStorageTotals({ bucket });
  const left = uploadOf('u');
  index.createUpload({ bucket, upload: left });
  index.deleteBucket({ bucket, nowMs: START_MS });
  index.dropUploadsOfLife({ bucket: addressOf(record), nowMs: START_MS });
  index.dropRestsOfLife({ bucket: addressOf(record) });
  index.listBucketLives({ name });
  const hours = index.closeStorageHours({ name, nowMs: START_MS + 9_000_000, limit: 10 });
  index.forgetStorageHours({ name, hours });
  index.setSweptUpTo({ bucket: addressOf(record), sweptUpTo: 'x' });
  index.forgetBucketLife({ bucket: addressOf(record) });
}

/** Changes of a bucket that tells of them, and what becomes of the messages. */
function useEvents(index: IndexApi, bucket: BucketRef): void {
  const rule = { id: 'r', kind: 'queue', arn: 'a', endpointId: 'e', prefix: '', suffix: '' } as const;
  const notify = { ownerId: OWNER, rules: [{ ...rule, events: ['s3:ObjectCreated:*'] }], origin: null };
  const telling = { ...bucket, notify };
  for (const _ of [1, 2]) {
    index.commitObject({ bucket: telling, object: objectOf('told'), condition: null, arrivals: [] });
  }
  useOutbox(index, bucket.id);
}

function useOutbox(outbox: OutboxApi, place: string): void {
  const to = {
    place,
    accountId: OWNER,
    endpointId: 'e',
    lane: 'k',
    kind: 'plain',
    type: 't',
    messageId: null,
  } as const;
  const delivery = { ...to, payload: '{}' };
  const nowMs = START_MS;
  outbox.enqueueDeliveries({ deliveries: [delivery, delivery, { ...delivery, lane: '' }], nowMs });
  const claim = () =>
    outbox.claimDeliveries({ nowMs, leaseMs: 1, limit: 10, perEndpoint: 10, limits: {}, after: '' }).deliveries;
  const result = { dueAtMs: nowMs, status: null, error: null };
  for (const outcome of ['retry', 'dead', 'delivered'] as const) {
    const results = claim().map(({ id, attempts }) => ({ ...result, id, claim: attempts, outcome }));
    outbox.settleDeliveries({ results, nowMs });
  }
  const of = { place, endpointId: 'e' };
  const { deliveries } = outbox.listDeliveries({ ...of, state: 'dead', before: null, limit: 10 });
  outbox.replayDeliveries({ ...of, ids: deliveries.slice(0, 1).map(({ id }) => id), limit: 10, nowMs });
  outbox.replayDeliveries({ ...of, ids: null, limit: 10, nowMs });
  outbox.countDeliveries({ place });
  outbox.nextDeliveryAt({});
}

/** The same with versions on, and off again as far as that goes. */
function useVersions(index: IndexApi, bucket: BucketRef): void {
  const [on, suspended] = (['enabled', 'suspended'] as const).map((versioning) => ({ ...bucket, versioning }));
  for (const to of [bucket, on, on, suspended, on]) {
    if (to === undefined) continue;
    index.commitObject({ bucket: to, object: objectOf('v'), condition: null, arrivals: [] });
    index.deleteObjects({ bucket: to, ...deletionOf(to === bucket ? [] : ['v']) });
  }
  const list = (afterKey: string, afterVersionId: VersionName | '') =>
    index.listVersions({ bucket, prefix: 'v', delimiter: '', afterKey, afterVersionId, maxKeys: 100 }).versions;
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
    index.deleteObjects({ bucket, ...versionDeletionOf('v', version.isNull ? 'null' : version.versionId) });
  }
}

/** Scans from the start and from a place, and an action of each kind. */
function useLifecycle(index: IndexApi, bucket: BucketRef, versionId: VersionId): void {
  const upTo = START_MS + 1;
  const bounds = { endUpToMs: upTo, moveUpToMs: upTo, moveMinBytes: 0, moveUnlessIn: [], markersUpToMs: upTo };
  for (const phase of LIFECYCLE_PHASES) {
    const start = { phase, prefix: '', afterKey: '', afterId: '', newerVersions: 0 };
    for (const place of [start, { ...start, afterKey: 'v', afterId: versionId }]) {
      index.scanLifecycle({ bucket, place, bounds });
    }
  }
  index.getLifecycleRun({ bucket });
  usePacking(index, bucket, versionId);
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
function usePacking(index: IndexApi, bucket: BucketRef, otherId: VersionId): void {
  const bounds = { writtenAfterMs: 0, writtenUpToMs: START_MS + 1e9, minBytes: 0, maxBytes: 1e9 };
  const run = { setAtMs: 1, startedAtMs: 1, doneUpToMs: 0, upToMs: 1, failedFromMs: null, retries: 0, place: null };
  index.setPackingRun({ bucket, run });
  index.getPackingRun({ bucket });
  const [plain, packed] = [blobIn(bucket), blobIn(bucket)];
  const { key, versionId } = segmentsObjectOf('packing', [wholeOf(plain)]);
  const object = { ...segmentsObjectOf('packing', [wholeOf(plain)]), versionId };
  index.commitObject({ bucket, object, condition: null, arrivals: [arrivalOf(plain)] });
  for (const phase of ['objects', 'versions'] as const) {
    const place = { phase, prefix: '', afterKey: '', afterId: '', newerVersions: 0 } as const;
    index.scanPacking({ bucket, place, bounds });
  }
  const to = { ...wholeOf(packed), packing: { frameBytes: 100, plainBytes: 100, storedBytes: 40 } };
  const exchange = { bucket, key, from: [wholeOf(plain)], to, arrival: arrivalOf(packed, 40), nowMs: START_MS };
  for (const id of [versionId, otherId]) index.exchangeBody({ ...exchange, versionId: id });
}

/** Sums and search before they are made, while they are, and with changes that are not taken in. */
function useNameAids(index: IndexApi, bucket: BucketRef, address: BucketAddress): void {
  const search = { bucket, prefix: 'a', limit: 10 };
  for (const _ of [1, 2, 3]) {
    index.measurePrefixes({ bucket, prefixes: ['', 'a'] });
    index.countNames({ bucket });
    for (const needle of ['a', 'abc']) index.searchNames({ ...search, needle, after: null });
    index.searchNames({ ...search, needle: 'a', after: 'a' });
    index.indexNames({ bucket, nowMs: START_MS });
    index.commitObject({ bucket, object: objectOf('a-noted'), condition: null, arrivals: [] });
    index.deleteObjects({ bucket, ...deletionOf(['a-noted', 'b']) });
  }
  for (const what of ['search', 'all'] as const) index.forgetNames({ bucket: address, what });
}

/** A job, and each of its actions with and without something to do. */
function useNameJobs(index: IndexApi, bucket: BucketRef): void {
  const id = fresh('job');
  index.createNameJob({ bucket, job: nameJobOf(id) });
  for (const name of ['w', 'x', 'z']) {
    index.commitObject({ bucket, object: objectOf(name), condition: null, arrivals: [] });
  }
  const freshIds = () => ({ versionId: fresh('version') as VersionId, markerId: fresh('version') as VersionId });
  const move = { kind: 'move', key: asKey('w'), ...freshIds() } as const;
  const unmove = { kind: 'unmove', key: asKey('w'), toKey: asKey('y'), ...freshIds() } as const;
  const step = (revision: number, actions: readonly NameAction[], isLast = false) =>
    index.stepNameJob({
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
  const [item] = index.listNameJobItems({ bucket, id, before: 2, limit: 1 });
  step(2, [{ ...unmove, movedId: item?.versionId ?? ('' as VersionId), leftMarkerId: item?.markerId ?? null }]);
  const ends = { markerId: fresh('version') as VersionId, onlyVersionId: null, movedTo: null };
  step(3, [
    { kind: 'hide', key: asKey('w'), ...ends },
    { kind: 'unhide', key: asKey('w'), onlyMarkerId: null },
    { kind: 'hide', key: asKey('w'), ...ends, markerId: fresh('version') as VersionId },
    { kind: 'purge', key: asKey('w') },
  ]);
  index.getNameJob({ bucket, id });
  index.listNameJobs({ bucket });
  index.listHidden({ bucket, prefix: 'x', after: '', limit: 10 });
  index.endNameJob({ bucket, id, failure: null, nowMs: START_MS });
  for (const prefix of ['w', 'x', 'y', 'z']) {
    const page = { bucket, prefix, delimiter: '', afterKey: '', afterVersionId: '', maxKeys: 100 } as const;
    for (const version of index.listVersions(page).versions) {
      index.deleteObjects({ bucket, ...versionDeletionOf(prefix, version.versionId) });
    }
  }
}

function useDirectory(directory: DirectoryApi): void {
  const [id, name] = ['K' as AccessKeyId, 'bucket' as BucketName];
  directory.putAccount({ account: { id: OWNER, displayName: 'o' }, keys: [{ id, secret: 's' }] });
  directory.getAccessKey({ id });
  directory.getAccounts({ ids: [OWNER] });
  directory.addBucket({ ownerId: OWNER, name, createdAtMs: START_MS });
  directory.listBuckets({ ownerId: OWNER, prefix: '', after: '', limit: 10 });
  directory.listBucketNames({ after: '', limit: 10 });
  directory.removeBucket({ ownerId: OWNER, name, createdAtMs: START_MS });
  directory.forgetBucketName({ name, addedBeforeMs: START_MS });
  directory.setSweepTurn({ startedAtMs: START_MS, after: name });
  directory.getSweepTurn({});
  const bucket = { id: 'bucket~1' as BucketId, name };
  directory.bindHosts({ bucket, domains: [{ host: 'a.example', prefix: '' }], mayTake: [] });
  directory.getHost({ host: 'a.example' });
  directory.addNamedKey({
    key: { id: 'k', wrappedKey: 'w', isEnabled: true, accountIds: null, createdAtMs: START_MS },
  });
  directory.getNamedKey({ id: 'k' });
  directory.listNamedKeys({ after: '', limit: 10 });
  directory.changeNamedKey({ id: 'k', change: { isEnabled: false } });
  useSignIn(directory);
  useOutbox(directory, 'account a');
  const webhook = { id: 'w', accountId: OWNER, url: 'u', description: '', types: [], secrets: [], isEnabled: true };
  directory.putWebhook({ webhook: { ...webhook, createdAtMs: START_MS }, known: null, max: 1 });
  directory.getWebhook({ id: 'w' });
  directory.listWebhooks({ accountId: OWNER, after: '', limit: 10 });
  directory.deleteWebhook({ id: 'w', accountId: OWNER });
  useAccounts(directory);
}

function useAccounts(directory: DirectoryApi): void {
  const [id, accountId] = ['K' as AccessKeyId, OWNER];
  const times = { createdAtMs: START_MS, expiresAtMs: null, lastUsedMs: null };
  const shared = { isEnabled: true, revision: 1, displayName: 'n' };
  directory.addAccount({ account: { ...shared, ...times, id: accountId } });
  directory.getAccount({ id: accountId });
  directory.listAccounts({ after: '', limit: 10 });
  directory.updateAccount({ ...shared, id: accountId, isEnabled: false });
  directory.addAccessKey({
    key: { ...shared, ...times, id, accountId, name: 'n', scope: null, role: null },
    sealedSecret: 's',
  });
  directory.listAccessKeys({ accountId, after: '', limit: 10 });
  directory.findAccessKeyRecord({ accountId, id });
  directory.sealAccessKey({ id, plain: 's', sealed: 't' });
  directory.noteKeyUsed({ id, atMs: START_MS });
  directory.updateAccessKey({ accountId, id, revision: 1, name: 'm', scope: null, expiresAtMs: 1, isEnabled: false });
  directory.removeAccessKey({ accountId, id });
  const member = { ...shared, ...times, id: 'm', accountId, login: 'l', role: 'member', hasPassword: false } as const;
  directory.addMember({ member, passwordHash: null });
  directory.getMember({ accountId, id: 'm' });
  directory.listMembers({ accountId, after: '', limit: 10 });
  directory.findLogin({ login: 'l' });
  directory.setPassword({ accountId, id: 'm', passwordHash: 'h', exceptId: null });
  const passkey = { id: 'p', accountId, memberId: 'm', name: 'n', publicKey: 'k', counter: 0, transports: [] };
  directory.addPasskey({ passkey: { ...passkey, createdAtMs: START_MS, lastUsedMs: null } });
  directory.findPasskey({ id: 'p' });
  directory.listPasskeys({ accountId, memberId: 'm' });
  directory.notePasskeyUsed({ id: 'p', counter: 1, atMs: START_MS });
  directory.removePasskey({ accountId, memberId: 'm', id: 'p' });
  directory.addChallenge({ digest: 'd', subject: 's', nowMs: 0, expiresAtMs: 1 });
  directory.takeChallenge({ digest: 'd', subject: 's', nowMs: 0 });
  directory.updateMember({ ...member, isEnabled: false });
  directory.removeMember({ accountId, id: 'm' });
  const who = { memberId: null, accessKeyId: null, credential: '', source: '', requestId: '', status: null };
  const entry = { ...who, id: 'e', accountId, atMs: START_MS, action: '', target: '', detail: '' };
  directory.addAudit({ entry, keepFromMs: 0, keepMax: 1 });
  directory.addAudit({ entry: { ...entry, id: 'f' }, keepFromMs: 0, keepMax: 1 });
  directory.addAudit({ entry: { ...entry, id: 'e' }, keepFromMs: START_MS + 1, keepMax: 1 });
  directory.endAudit({ id: 'e', accountId, status: 200 });
  const filter = { action: null, memberId: null, accessKeyId: null, fromMs: null, toMs: null };
  directory.listAudit({ accountId, before: '', limit: 10, filter });
  directory.endAudit({ id: 'e', accountId, status: null });
  directory.removeAccount({ id: accountId });
}

function useSignIn(directory: DirectoryApi): void {
  const holder = { accountId: OWNER, role: 'owner', memberId: null, accessKeyId: null } as const;
  const times = { createdAtMs: START_MS, expiresAtMs: START_MS + 1 };
  directory.addToken({ digest: 'd', token: { ...holder, ...times, id: 't', name: 'n', scopes: null } });
  directory.addSession({ digest: 'd', session: { ...holder, ...times, id: 's', label: '' } });
  directory.getToken({ digest: 'd', nowMs: START_MS });
  directory.getSession({ digest: 'd', nowMs: START_MS });
  directory.listTokens({ accountId: OWNER, holder: null, before: '', limit: 10 });
  directory.listSessions({ accountId: OWNER, holder: null, before: '', limit: 10, nowMs: START_MS });
  directory.removeToken({ accountId: OWNER, holder: null, id: 't' });
  directory.removeSession({ accountId: OWNER, holder: null, id: 's' });
  directory.removeSessions({ holder, exceptId: null });
  directory.beginSignIn({ subjects: ['name', 'source'], nowMs: START_MS });
  directory.endSignIn({ subjects: ['name', 'source'] });
  const request = { caller: 'c', key: 'k' };
  directory.beginIdempotent({ ...request, fingerprint: 'f', attemptId: 'a', nowMs: START_MS });
  directory.endIdempotent({ ...request, answer: { status: 200, headers: '{}', sealed: '' } });
  directory.endIdempotent({ ...request, answer: null });
  useBilling(directory);
}

function useBilling(directory: DirectoryApi): void {
  const accountId = OWNER;
  directory.putRateCard({ id: 'own', json: '{}' });
  directory.getRateCard({ id: 'own' });
  directory.listRateCards({ after: '', limit: 10 });
  directory.setAccountCard({ accountId, cardId: 'own' });
  directory.setAccountCard({ accountId, cardId: null });
  const amount = { currency: 'USD', amountMicro: '5' };
  directory.addCredit({ accountId, credit: { id: 'c', label: 'c', ...amount, grantedAtMs: 1, expiresAtMs: null } });
  const { invoiceCount } = directory.getAccountBilling({ accountId });
  const head = { period: '2026-11', number: 'n', currency: 'USD', totalMicro: '7', closedAtMs: START_MS };
  const uses = [{ creditId: 'c', amountMicro: '5' }];
  directory.keepInvoice({ accountId, head, json: '{}', uses, invoiceCount });
  directory.getInvoice({ accountId, period: '2026-11' });
  directory.listInvoices({ accountId, before: '', limit: 10 });
  directory.listBilledAccounts({ after: '', limit: 10 });
  directory.setClosing({ period: '2026-11', after: '' });
  directory.getClosing({});
  directory.setUsageTold({ dayMs: START_MS, after: '' });
  directory.getUsageTold({});
  directory.listWebhookAccounts({ after: '', limit: 10 });
  directory.setPushTarget({ accountId, customerId: 'cus_1', dayMs: START_MS });
  directory.getPushTarget({ accountId });
  directory.listPushTargets({ after: '', limit: 10 });
  directory.notePush({ accountId, dayMs: START_MS, told: '', tried: '', triedAtMs: 0 });
  directory.setPushTarget({ accountId, customerId: null, dayMs: START_MS });
}

function expectSeeks(texts: ReadonlySet<string>, plansOf: (text: string) => string[]): void {
  for (const text of texts) {
    const costly = plansOf(text).filter(
      (step) => /SCAN|TEMP B-TREE|AUTOMATIC/.test(step) && !HARMLESS.some((pattern) => pattern.test(step)),
    );
    expect({ text, costly }).toEqual({ text, costly: [] });
  }
}

describe('statements', () => {
  it('of the index seek', () => {
    const { recording, texts, plansOf } = openRecording(INDEX_SCHEMA);
    const called = new Set<string>();
    useIndex(noting(createBucketIndex(recording), called));
    expect([...called].toSorted()).toEqual(Object.keys(INDEX_CALLS).toSorted());
    expect(texts.size).toBeGreaterThan(40);
    expectSeeks(texts, plansOf);
  });

  it('of the directory seek', () => {
    const { recording, texts, plansOf } = openRecording(DIRECTORY_SCHEMA);
    const called = new Set<string>();
    useDirectory(noting(createDirectoryIndex(recording), called));
    expect([...called].toSorted()).toEqual(Object.keys(DIRECTORY_CALLS).toSorted());
    expectSeeks(texts, plansOf);
  });

  it('are planned once, whatever values they get', () => {
    const { sql, plannedAnew } = openPlanning(INDEX_SCHEMA);
    for (const _ of [1, 2, 3]) useIndex(createBucketIndex(sql));
    expect(plannedAnew()).toEqual([]);
    const other = openPlanning(DIRECTORY_SCHEMA);
    for (const _ of [1, 2, 3]) useDirectory(createDirectoryIndex(other.sql));
    expect(other.plannedAnew()).toEqual([]);
    const bare = openPlanning({ name: 'probe', migrations: [['CREATE TABLE t (x INTEGER)']] });
    for (const limit of [1, 2]) bare.sql.all('SELECT x FROM t LIMIT ?', limit);
    expect(bare.plannedAnew()).toHaveLength(1);
  });

  it('bind every value: the texts never change, and are few', () => {
    const { recording, texts } = openRecording(INDEX_SCHEMA);
    const index = createBucketIndex(recording);
    useIndex(index);
    const count = texts.size;
    for (let round = 0; round < 5; round++) useIndex(index);
    expect(texts.size).toBe(count);
    expect(Math.max(...[...texts].map((text) => text.match(/\?/g)?.length ?? 0))).toBeLessThanOrEqual(100);
  });
});
