// Which calls read and which change, for the adapters that carry them: commands go
// to the one writer, queries may go to a read-only connection. A call that a port
// gains and this list lacks does not compile.
import type { DirectoryApi } from '../ports/directory.ts';
import type { LedgerApi } from '../ports/ledger.ts';
import type { IndexApi, IndexCommands, IndexQueries } from '../ports/metadata-index.ts';
import type { OutboxCommands, OutboxQueries } from '../ports/outbox.ts';

export type CallKind = 'query' | 'command';

/** The calls of the outbox, which the index and the directory both have. */
const OUTBOX_CALLS = {
  listDeliveries: 'query',
  countDeliveries: 'query',
  nextDeliveryAt: 'query',
  enqueueDeliveries: 'command',
  claimDeliveries: 'command',
  settleDeliveries: 'command',
  replayDeliveries: 'command',
} as const satisfies Record<keyof OutboxQueries, 'query'> & Record<keyof OutboxCommands, 'command'>;

export const INDEX_CALLS = {
  ...OUTBOX_CALLS,
  getBucket: 'query',
  getVersion: 'query',
  getObjects: 'query',
  listAcls: 'query',
  listVersions: 'query',
  resolve: 'query',
  resolveAll: 'query',
  listObjects: 'query',
  getUpload: 'query',
  listParts: 'query',
  listUploads: 'query',
  findUnknownBlobs: 'query',
  findReferencedBlobs: 'query',
  listIncarnations: 'query',
  getLifecycleRun: 'query',
  getStorageTotals: 'query',
  scanLifecycle: 'query',
  getCompressionRun: 'query',
  scanForCompression: 'query',
  getKeyJob: 'query',
  listKeyJobs: 'query',
  listKeyJobItems: 'query',
  listKeyJobKeys: 'query',
  listKeyJobFailures: 'query',
  listHidden: 'query',
  measurePrefixes: 'query',
  searchKeys: 'query',
  listLevel: 'query',
  sortLevel: 'query',
  requireRoom: 'query',
  getSelection: 'query',
  getShareLink: 'query',
  listShareLinks: 'query',
  listShareHistory: 'query',
  listShareDays: 'query',
  createBucket: 'command',
  setBucketAccess: 'command',
  setBucketSettings: 'command',
  purgeBucket: 'command',
  deleteBucket: 'command',
  commitObject: 'command',
  deleteObjects: 'command',
  updateVersion: 'command',
  applyLifecycle: 'command',
  setCompressionRun: 'command',
  exchangeBody: 'command',
  countAllKeys: 'command',
  indexKeys: 'command',
  forgetKeyIndex: 'command',
  countLevel: 'command',
  forgetLevels: 'command',
  commitCopies: 'command',
  createKeyJob: 'command',
  stepKeyJob: 'command',
  endKeyJob: 'command',
  createUpload: 'command',
  commitPart: 'command',
  completeUpload: 'command',
  abortUpload: 'command',
  abortStaleUploads: 'command',
  takeUrlUse: 'command',
  releaseUrlUse: 'command',
  dropUploadsOfIncarnation: 'command',
  dropOrphanRows: 'command',
  addRemoteReferences: 'command',
  releaseRemoteReferences: 'command',
  condemnBlobs: 'command',
  forgetBlobs: 'command',
  closeStorageHours: 'command',
  forgetStorageHours: 'command',
  setStorageGrant: 'command',
  settleStorageGrant: 'command',
  addSelection: 'command',
  dropSelections: 'command',
  addShareLink: 'command',
  changeShareLink: 'command',
  deleteShareLink: 'command',
  putShareLabel: 'command',
  beginShareDownload: 'command',
  renewShareDownloads: 'command',
  settleShareDownload: 'command',
  addShareCounts: 'command',
  setSweptUpTo: 'command',
  forgetIncarnation: 'command',
} as const satisfies Record<keyof (IndexQueries & OutboxQueries), 'query'> &
  Record<keyof (IndexCommands & OutboxCommands), 'command'>;

export const DIRECTORY_CALLS = {
  ...OUTBOX_CALLS,
  getAccessKey: 'query',
  getAccounts: 'query',
  listBuckets: 'query',
  listBucketNames: 'query',
  getSweepCursor: 'query',
  getHost: 'query',
  getKmsKey: 'query',
  listKmsKeys: 'query',
  listAccounts: 'query',
  getAccount: 'query',
  listAccessKeys: 'query',
  findAccessKeyRecord: 'query',
  listMembers: 'query',
  getMember: 'query',
  findLogin: 'query',
  listAudit: 'query',
  listPasskeys: 'query',
  findPasskey: 'query',
  listInvitations: 'query',
  findInvitation: 'query',
  getPreferences: 'query',
  getToken: 'query',
  getSession: 'query',
  listTokens: 'query',
  listSessions: 'query',
  getSeenTime: 'query',
  getRateCard: 'query',
  getNotedPrice: 'query',
  listRateCards: 'query',
  getAccountBilling: 'query',
  getInvoice: 'query',
  listInvoices: 'query',
  readInvoices: 'query',
  listNotesOf: 'query',
  listCreditNotes: 'query',
  getCreditNote: 'query',
  getParties: 'query',
  listBilledAccounts: 'query',
  getClosing: 'query',
  getUsageReported: 'query',
  getBillingDuties: 'query',
  listUnclosedAccounts: 'query',
  listWebhookAccounts: 'query',
  getPushTarget: 'query',
  listPushTargets: 'query',
  getWebhook: 'query',
  listWebhooks: 'query',
  listJobs: 'query',
  getLinkId: 'query',
  listLinkIds: 'query',
  addLinkId: 'command',
  removeLinkId: 'command',
  removeLinkIds: 'command',
  noteJob: 'command',
  forgetJob: 'command',
  putWebhook: 'command',
  deleteWebhook: 'command',
  endWebhooks: 'command',
  putAccount: 'command',
  addBucket: 'command',
  removeBucket: 'command',
  forgetBucketName: 'command',
  setSweepCursor: 'command',
  bindHosts: 'command',
  addKmsKey: 'command',
  changeKmsKey: 'command',
  addAccount: 'command',
  updateAccount: 'command',
  removeAccount: 'command',
  addAccessKey: 'command',
  updateAccessKey: 'command',
  removeAccessKey: 'command',
  encryptAccessKey: 'command',
  noteKeyUsed: 'command',
  addMember: 'command',
  updateMember: 'command',
  setPassword: 'command',
  removeMember: 'command',
  addPasskey: 'command',
  notePasskeyUsed: 'command',
  removePasskey: 'command',
  addInvitation: 'command',
  removeInvitation: 'command',
  acceptInvitation: 'command',
  putPreferences: 'command',
  addChallenge: 'command',
  takeChallenge: 'command',
  addAudit: 'command',
  endAudit: 'command',
  addToken: 'command',
  addSession: 'command',
  removeToken: 'command',
  removeSession: 'command',
  removeSessions: 'command',
  noteProof: 'command',
  noteSessionUsed: 'command',
  beginSignIn: 'command',
  endSignIn: 'command',
  noteFailedSignIn: 'command',
  countAttempt: 'command',
  uncountAttempt: 'command',
  beginIdempotent: 'command',
  endIdempotent: 'command',
  setSeenTime: 'command',
  putRateCard: 'command',
  notePrices: 'command',
  setAccountCard: 'command',
  addCredit: 'command',
  keepInvoice: 'command',
  keepCreditNote: 'command',
  setParty: 'command',
  setClosing: 'command',
  setUsageReported: 'command',
  setBillingProgress: 'command',
  setPushTarget: 'command',
  notePush: 'command',
} as const satisfies Record<keyof DirectoryApi, CallKind>;

export const LEDGER_CALLS = {
  getFirstHour: 'query',
  query: 'query',
  listCaps: 'query',
  readCaps: 'query',
  readReceipts: 'query',
  getQuota: 'query',
  listGrants: 'query',
  record: 'command',
  takeReceipt: 'command',
  putCap: 'command',
  deleteCap: 'command',
  leaseCaps: 'command',
  putQuota: 'command',
  raiseGrant: 'command',
  settleGrant: 'command',
} as const satisfies Record<keyof LedgerApi, CallKind>;

/** Whether the call changes the ledger. */
export function isLedgerCommand(name: keyof LedgerApi): boolean {
  return LEDGER_CALLS[name] === 'command';
}

/** Whether the call changes the index. */
export function isIndexCommand(
  name: keyof IndexApi,
): name is keyof (IndexCommands & OutboxCommands) {
  return INDEX_CALLS[name] === 'command';
}

/**
 * Whether the call adds to what a bucket stores. It is refused while the disk has
 * little room; all other commands give room back, end something, or are what an
 * operator needs to make room.
 */
export function storesMore(name: keyof IndexApi): boolean {
  return STORING.has(name);
}

const STORING: ReadonlySet<keyof IndexApi> = new Set([
  'createBucket',
  'commitObject',
  'commitCopies',
  'createUpload',
  'commitPart',
  'updateVersion',
  'exchangeBody',
  'indexKeys',
  'addRemoteReferences',
  'addSelection',
  'takeUrlUse',
  'addShareLink',
  'putShareLabel',
] as const);

/** Whether the call changes the directory. */
export function isDirectoryCommand(name: keyof DirectoryApi): boolean {
  return DIRECTORY_CALLS[name] === 'command';
}

/**
 * Whether the call can change what `getAccessKey` gives: caches of access keys are
 * cleared then.
 */
export function changesAccessKeys(name: keyof DirectoryApi): boolean {
  return KEY_CHANGES.has(name);
}

const KEY_CHANGES: ReadonlySet<keyof DirectoryApi> = new Set([
  'putAccount',
  'updateAccount',
  'removeAccount',
  'addAccessKey',
  'updateAccessKey',
  'removeAccessKey',
  'encryptAccessKey',
  'updateMember',
  'removeMember',
] as const);
