// Every call of the directory, down every branch that has statements of its own, as use-index.ts
// has those of the index.

import type { Invitation } from '../../../src/domain/invitations.ts';
import { summarizeKeyJob } from '../../../src/domain/keys/key-jobs.ts';
import type { LinkEntry, LinkId } from '../../../src/domain/links/link-ids.ts';
import type { AccessKeyId, BucketId, BucketName } from '../../../src/domain/nouns.ts';
import type { DirectoryApi } from '../../../src/ports/directory.ts';
import { keyJobOf, OWNER, START_MS } from '../../contract/index/samples.ts';
import { useOutbox } from './use-index.ts';

/** Uses all of it. */
export function useDirectory(directory: DirectoryApi): void {
  const [id, name] = ['K' as AccessKeyId, 'bucket' as BucketName];
  directory.putAccount({ account: { id: OWNER, displayName: 'o' }, keys: [{ id, secret: 's' }] });
  directory.getAccessKey({ id });
  directory.getAccounts({ ids: [OWNER] });
  directory.addBucket({ ownerId: OWNER, name, createdAtMs: START_MS, location: 'weur' });
  directory.getBucketName({ name });
  directory.listBuckets({ ownerId: OWNER, prefix: '', after: '', limit: 10 });
  directory.listBucketNames({ after: '', limit: 10 });
  directory.removeBucket({ ownerId: OWNER, name, createdAtMs: START_MS });
  directory.forgetBucketName({ name, addedBeforeMs: START_MS });
  directory.setSweepCursor({ startedAtMs: START_MS, after: name });
  directory.getSweepCursor({});
  const bucket = { id: 'bucket~1' as BucketId, name };
  directory.bindHosts({ bucket, domains: [{ host: 'a.example', prefix: '' }], mayTake: [] });
  directory.getHost({ host: 'a.example' });
  directory.addKmsKey({
    key: { id: 'k', wrappedKey: 'w', isEnabled: true, accountIds: null, createdAtMs: START_MS },
  });
  directory.getKmsKey({ id: 'k' });
  directory.listKmsKeys({ after: '', limit: 10 });
  directory.changeKmsKey({ id: 'k', change: { isEnabled: false } });
  useSignIn(directory);
  const webhook = {
    id: 'e',
    accountId: OWNER,
    url: 'u',
    description: '',
    types: [],
    secrets: [],
    isEnabled: true,
  };
  directory.putWebhook({ webhook: { ...webhook, createdAtMs: START_MS }, known: null, max: 1 });
  useOutbox(directory, `account ${OWNER}`);
  directory.getWebhook({ id: 'e' });
  directory.listWebhooks({ accountId: OWNER, after: '', limit: 10 });
  directory.endWebhooks({ accountId: OWNER });
  directory.deleteWebhook({ id: 'e', accountId: OWNER });
  useAccounts(directory);
  useLinkIds(directory);
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
    encryptedSecret: 's',
  });
  directory.listAccessKeys({ accountId, after: '', limit: 10 });
  directory.findAccessKeyRecord({ accountId, id });
  directory.encryptAccessKey({ id, plain: 's', encrypted: 't' });
  directory.noteKeyUsed({ id, atMs: START_MS });
  directory.updateAccessKey({
    accountId,
    id,
    revision: 1,
    name: 'm',
    scope: null,
    expiresAtMs: 1,
    isEnabled: false,
  });
  directory.removeAccessKey({ accountId, id });
  useMembers(directory);
  useAudit(directory);
  useJobNotes(directory);
  directory.removeAccount({ id: accountId });
}

function useMembers(directory: DirectoryApi): void {
  const accountId = OWNER;
  const times = { createdAtMs: START_MS, expiresAtMs: null, lastUsedMs: null };
  const member = {
    isEnabled: true,
    revision: 1,
    displayName: 'n',
    ...times,
    id: 'm',
    accountId,
    login: 'l',
    role: 'member',
    hasPassword: false,
  } as const;
  directory.addMember({ member, passwordHash: null });
  directory.getMember({ accountId, id: 'm' });
  directory.listMembers({ accountId, after: '', limit: 10 });
  directory.findLogin({ login: 'l' });
  directory.setPassword({ accountId, id: 'm', passwordHash: 'h', exceptId: null, endTokens: true });
  const passkey = {
    id: 'p',
    accountId,
    memberId: 'm',
    name: 'n',
    publicKey: 'k',
    counter: 0,
    transports: [],
  };
  directory.addPasskey({ passkey: { ...passkey, createdAtMs: START_MS, lastUsedMs: null } });
  directory.findPasskey({ id: 'p' });
  directory.listPasskeys({ accountId, memberId: 'm' });
  directory.notePasskeyUsed({ id: 'p', counter: 1, atMs: START_MS });
  const bound = { credentialDigest: 'c', exceptId: 's' };
  directory.removePasskey({ accountId, memberId: 'm', id: 'p', ...bound });
  const invitation: Invitation = {
    id: 'm2',
    accountId,
    login: null,
    displayName: 'n',
    role: 'member',
    createdAtMs: START_MS,
    expiresAtMs: START_MS + 1,
    acceptedAtMs: null,
  };
  const maker = { memberId: 'm', accessKeyId: 'k', role: 'owner' } as const;
  const forget = { forgetBeforeMs: START_MS, max: 10 };
  directory.addInvitation({ digest: 'i', invitation, maker, ...forget });
  directory.listInvitations({ accountId, after: '', limit: 10 });
  directory.findInvitation({ digest: 'i', nowMs: START_MS });
  directory.acceptInvitation({
    digest: 'i',
    attemptId: 'a',
    member: { ...member, id: 'm2', login: 'l2' },
    passwordHash: null,
    passkey: null,
    nowMs: START_MS,
  });
  directory.removeInvitation({ accountId, id: 'm2' });
  const preferences = { accountId, holder: 'member m' };
  directory.putPreferences({ ...preferences, json: '{}', revision: 0 });
  directory.getPreferences(preferences);
  directory.noteSessionUsed({ accountId, id: 's', atMs: START_MS });
  directory.addChallenge({ digest: 'd', subject: 's', nowMs: 0, expiresAtMs: 1 });
  directory.takeChallenge({ digest: 'd', subject: 's', nowMs: 0 });
  directory.updateMember({
    ...member,
    revision: 2,
    isEnabled: false,
    passwordHash: 'i',
    endTokens: true,
  });
  directory.removeMember({ accountId, id: 'm' });
}

function useAudit(directory: DirectoryApi): void {
  const accountId = OWNER;
  const who = {
    memberId: null,
    accessKeyId: null,
    credential: '',
    source: '',
    requestId: '',
    status: null,
  };
  const entry = { ...who, id: 'e', accountId, atMs: START_MS, action: '', target: '', detail: '' };
  directory.addAudit({ entry, keepFromMs: 0, keepMax: 1 });
  directory.addAudit({ entry: { ...entry, id: 'f' }, keepFromMs: 0, keepMax: 1 });
  directory.addAudit({ entry: { ...entry, id: 'e' }, keepFromMs: START_MS + 1, keepMax: 1 });
  directory.endAudit({ id: 'e', accountId, status: 200 });
  const filter = { action: null, memberId: null, accessKeyId: null, fromMs: null, toMs: null };
  directory.listAudit({ accountId, before: '', limit: 10, filter });
  directory.endAudit({ id: 'e', accountId, status: null });
}

function useJobNotes(directory: DirectoryApi): void {
  const accountId = OWNER;
  const job = summarizeKeyJob(keyJobOf('j'));
  const bucket = { name: 'b' as BucketName, id: 'b~1' as BucketId };
  for (const state of ['running', 'done'] as const)
    directory.noteJob({ accountId, bucket, job: { ...job, state } });
  for (const state of [null, 'done'] as const)
    directory.listJobs({ accountId, before: '', limit: 10, state });
  directory.forgetJob({ accountId, id: 'j' });
}

function useLinkIds(directory: DirectoryApi): void {
  const [id, accountId] = ['A'.repeat(22) as LinkId, OWNER];
  const bucket = { name: 'b' as BucketName, id: 'b~1' as BucketId };
  const entry: LinkEntry = { id, kind: 'share', bucket, accountId, createdAtMs: START_MS };
  directory.addLinkId({ entry });
  directory.getLinkId({ id });
  for (const kind of [null, 'drop'] as const)
    directory.listLinkIds({ accountId, kind, before: null, limit: 10 });
  directory.removeLinkId({ id, bucketId: bucket.id });
  directory.removeLinkIds({ bucketId: bucket.id });
}

function useSignIn(directory: DirectoryApi): void {
  const nobody = { memberId: null, accessKeyId: null };
  const holder = { ...nobody, accountId: OWNER, role: 'owner', credentialDigest: null } as const;
  const times = { createdAtMs: START_MS, expiresAtMs: START_MS + 1 };
  directory.addToken({
    digest: 'd',
    token: { ...holder, ...times, id: 't', name: 'n', scopes: null },
  });
  directory.addSession({
    digest: 'd',
    session: {
      ...holder,
      ...times,
      id: 's',
      label: '',
      source: '',
      lastUsedMs: 0,
      provenAtMs: START_MS,
    },
  });
  directory.getToken({ digest: 'd', nowMs: START_MS });
  directory.getSession({ digest: 'd', nowMs: START_MS });
  directory.listTokens({ accountId: OWNER, holder: null, before: '', limit: 10 });
  directory.listSessions({
    accountId: OWNER,
    holder: null,
    before: '',
    limit: 10,
    nowMs: START_MS,
  });
  directory.removeToken({ accountId: OWNER, holder: null, id: 't' });
  directory.removeSession({ accountId: OWNER, holder: null, id: 's' });
  directory.removeSessions({ holder, exceptId: null });
  directory.noteProof({ accountId: OWNER, id: 's', atMs: START_MS });
  const subjects = { name: 'n', source: 's', pair: 'p' };
  directory.beginSignIn({ ...subjects, isGuessable: true, nowMs: START_MS });
  directory.endSignIn({ ...subjects, nowMs: START_MS });
  const whose = { ...nobody, accountId: OWNER, credential: 'c', source: 's', requestId: 'r' };
  for (const source of ['s', 's', 't', 't']) {
    const failure = { ...whose, source, id: `f${source}`, atMs: START_MS };
    directory.noteFailedSignIn({ failure, perDay: 1, keepFromMs: 0 });
  }
  directory.countAttempt({ subject: 's', free: 1, nowMs: START_MS });
  directory.uncountAttempt({ subject: 's' });
  const request = { caller: 'c', key: 'k' };
  directory.beginIdempotent({ ...request, fingerprint: 'f', attemptId: 'a', nowMs: START_MS });
  directory.endIdempotent({
    ...request,
    record: { status: 200, headers: '{}', encryptedBody: '' },
  });
  directory.endIdempotent({ ...request, record: null });
  useBilling(directory);
}

function useBilling(directory: DirectoryApi): void {
  const accountId = OWNER;
  directory.putRateCard({ id: 'own', validFrom: '2026-11', json: '{}', known: null });
  directory.getRateCard({ id: 'own', period: '2026-11' });
  directory.listRateCards({ after: '', limit: 10, period: '2026-11' });
  const choice = { validFrom: '2026-11', cardId: 'own' };
  const known = directory.setAccountCard({ accountId, choice, known: [] });
  directory.setAccountCard({ accountId, choice: { validFrom: '2026-12', cardId: null }, known });
  for (const value of ['own', 'other'])
    directory.notePrices({ period: '2026-11', prices: [{ name: 'd', value }] });
  directory.getNotedPrice({ name: 'd', period: '2026-11' });
  directory.setSeenTime({ atMs: START_MS, steady: null });
  directory.getSeenTime({});
  const amount = { currency: 'USD', amountMicro: '5' };
  directory.addCredit({
    accountId,
    credit: { id: 'c', label: 'c', ...amount, grantedAtMs: 1, expiresAtMs: null },
  });
  const { invoiceCount } = directory.getAccountBilling({ accountId });
  const head = { period: '2026-11', currency: 'USD', totalMicro: '7', closedAtMs: START_MS };
  const uses = [{ creditId: 'c', amountMicro: '5' }];
  const bill = { head, json: '{}', prefix: 'INV-' };
  directory.keepInvoice({ accountId, ...bill, uses, invoiceCount });
  directory.readInvoices({ accountId, from: '2026-01', to: '2027-01' });
  const taken = { currency: 'USD', netMicro: '7', taxMicro: '0', issuedAtMs: START_MS, json: '{}' };
  const note = { id: 'n', period: '2026-11', issue: 0, isVoid: true, ...taken };
  directory.keepCreditNote({ accountId, note, prefix: 'CN-', noteCount: 0, reissue: bill });
  const second = { ...note, id: 'm', issue: 1 };
  directory.keepCreditNote({ accountId, note: second, prefix: 'CN-', noteCount: 0, reissue: null });
  directory.listNotesOf({ accountId, period: '2026-11', issue: 0 });
  directory.listCreditNotes({ accountId, before: null, limit: 10 });
  directory.getCreditNote({ accountId, number: 'CN-000001' });
  directory.setParty({ id: 'issuer', json: '{}', known: null });
  directory.setParty({ id: 'issuer', json: null, known: '{}' });
  directory.getParties({ accountId });
  directory.getInvoice({ accountId, period: '2026-11' });
  directory.listInvoices({ accountId, before: '', limit: 10 });
  directory.listBilledAccounts({ after: '', limit: 10 });
  directory.setClosing({ period: '2026-11', after: '' });
  directory.getClosing({});
  directory.setUsageReported({ dayMs: START_MS, after: '' });
  directory.getUsageReported({});
  directory.setBillingProgress({ accountId, closedBefore: '2026-11', reportedBeforeMs: START_MS });
  directory.getBillingDuties({ accountId });
  directory.listUnclosedAccounts({ period: '2026-11', accountIds: [accountId] });
  directory.listWebhookAccounts({ after: '', limit: 10 });
  directory.setPushTarget({ accountId, customerId: 'cus_1', dayMs: START_MS });
  directory.getPushTarget({ accountId });
  directory.listPushTargets({ after: '', limit: 10 });
  directory.notePush({
    accountId,
    dayMs: START_MS,
    reportedMeter: '',
    attemptedMeter: '',
    attemptedAtMs: 0,
  });
  directory.setPushTarget({ accountId, customerId: null, dayMs: START_MS });
}
