// Who may call which route of the JSON API, said once more and by hand: the document's own word for
// it would be no check. rights.test.ts sends every request as everybody;
// test/wire/api/route-matrix.test.ts some of them to real servers.

import type { RateCard } from '../../src/core/billing/prices/rate-card.ts';
import { rateCardJson } from '../../src/core/billing/prices/rate-card-json.ts';
import { RATE_CARDS } from '../../src/core/billing/prices/rate-cards.ts';

/**
 * A line is a route. `needs`: the one scope that lets a token in; `signed-in`: any; `session`: no
 * token; `everybody`. `roles`: O(wner), A(dmin), M(ember), B(illing), R(eader). Marks: `operator`:
 * nobody else; `proof`: a session must be proved lately; `more`: a token with that scope alone is
 * refused, since what it makes could do more than it; `bytes`: not the operator either, in buckets
 * of others; `person`: whoever signed in with an access key has none.
 */
const TABLE = `
  route                     needs           roles  marks
  signIn                    everybody
  beginPasskeySignIn        everybody
  getSignInOptions          everybody
  lookUpInvitation          everybody
  beginInvitedPasskey       everybody
  acceptInvitation          everybody
  getMe                     signed-in       OAMBR
  getPreferences            signed-in       OAMBR
  putPreferences            session         OAMBR
  getServer                 signed-in       OAMBR
  listPasskeys              signed-in       OAMBR  person
  listRateCards             signed-in       OAMBR
  getRateCard               signed-in       OAMBR
  proveSession              session         OAMBR
  beginPasskeyRegistration  session         OAMBR  proof person
  createPasskey             session         OAMBR  proof person
  deletePasskey             session         OAMBR  proof person
  changePassword            session         OAMBR  proof
  listSessions              sessions:read   OAMBR
  signOut                   sessions:write  OAMBR
  signOutEverywhere         sessions:write  OAMBR
  createToken               tokens:write    OAMBR  proof
  listTokens                tokens:read     OAMBR
  deleteToken               tokens:write    OAMBR
  createAccount             account:write   O      operator
  listAccounts              account:read    OAMBR  operator
  getAccount                account:read    OAMBR
  updateAccount             account:write   O
  deleteAccount             account:write   O      operator
  getAccountQuota           account:read    OAMBR
  putAccountQuota           account:write   O      operator
  createMember              members:write   O      proof more
  createInvitation          members:write   O      proof more
  listInvitations           members:read    OA
  deleteInvitation          members:write   O
  listMembers               members:read    OA
  getMember                 members:read    OA
  updateMember              members:write   O
  deleteMember              members:write   O
  createAccessKey           keys:write      OA     proof more
  listAccessKeys            keys:read       OA
  getAccessKey              keys:read       OA
  updateAccessKey           keys:write      OA
  deleteAccessKey           keys:write      OA
  rotateAccessKey           keys:write      OA     proof more
  listEncryptionKeys        keys:read       OA     operator
  putEncryptionKey          keys:write      OA     operator
  listAudit                 audit:read      OA
  getOverview               buckets:read    OAMBR
  listBuckets               buckets:read    OAMBR
  createBucket              buckets:write   OAM
  getBucket                 buckets:read    OAMBR
  updateBucket              buckets:write   OAM
  deleteBucket              buckets:write   OAM
  getBucketTotals           buckets:read    OAMBR
  listBucketDomains         buckets:read    OAMBR
  checkBucketDomain         buckets:write   OAM
  checkAccess               objects:read    OAMR
  testAccess                objects:read    OAMR
  previewPublicAccess       objects:read    OAMR
  openPrefix                buckets:write   OAM
  closePrefix               buckets:write   OAM
  purgeCaches               buckets:write   OAM
  getTrashSettings          buckets:read    OAMBR
  putTrashSettings          buckets:write   OAM
  previewLifecycle          objects:read    OAMR
  listFolder                objects:read    OAMR
  searchObjects             objects:read    OAMR
  measurePrefixes           objects:read    OAMR
  waitForChange             objects:read    OAMR
  getObject                 objects:read    OAMR
  updateObject              objects:write   OAM
  deleteObject              objects:write   OAM
  restoreVersion            objects:write   OAM
  listVersions              objects:read    OAMR
  presignUrls               objects:read    OAMR   bytes
  getContent                objects:read    OAMR   bytes
  getThumbnail              objects:read    OAMR   bytes
  createZip                 objects:read    OAMR   bytes
  createUpload              objects:write   OAM
  listUploads               objects:read    OAMR
  listParts                 objects:read    OAMR
  completeUpload            objects:write   OAM
  abortUpload               objects:write   OAM
  startJob                  objects:write   OAM
  listJobs                  objects:read    OAMR
  listAccountJobs           objects:read    OAMR
  getJob                    objects:read    OAMR
  listJobFailures           objects:read    OAMR
  previewRename             objects:read    OAMR
  cancelJob                 objects:write   OAM
  undoJob                   objects:write   OAM
  previewDeletion           objects:read    OAMR
  listTrash                 objects:read    OAMR
  createShareLink           links:write     OAM    more
  revokeShareLinks          links:write     OAM
  listShareLinks            links:read      OAMR
  listLinks                 links:read      OAMR
  getShareLink              links:read      OAMR
  changeShareLink           links:write     OAM
  deleteShareLink           links:write     OAM
  listShareLinkHistory      links:read      OAMR
  getShareLinkStatistics    links:read      OAMR
  listShareLinkLabels       links:read      OAMR
  addShareLinkLabel         links:write     OAM
  changeShareLinkLabel      links:write     OAM
  createDropLink            links:write     OAM    more
  listDropLinks             links:read      OAMR
  getDropLink               links:read      OAMR
  listDropSenders           links:read      OAMR
  listDropFiles             links:read      OAMR
  listDropLinkHistory       links:read      OAMR
  changeDropLink            links:write     OAM    more
  deleteDropLink            links:write     OAM
  revokeDropLinks           links:write     OAM
  releaseDropFiles          links:write     OAM    more
  getUsage                  usage:read      OAMBR
  listInvoices              billing:read    OAB
  getInvoice                billing:read    OAB
  getInvoiceFile            billing:read    OAB
  getForecast               billing:read    OAB
  simulateInvoice           billing:read    OAB
  getReceiptStatement       billing:read    OAB
  getBilling                billing:read    OAB
  listCreditNotes           billing:read    OAB
  getCreditNote             billing:read    OAB
  getCreditNoteFile         billing:read    OAB
  createCreditNote          billing:write   OAB    operator
  voidInvoice               billing:write   OAB    operator
  getIssuer                 billing:read    OAB    operator
  putIssuer                 billing:write   OAB    operator
  getBuyer                  billing:read    OAB
  putBuyer                  billing:write   OAB
  setAccountTax             billing:write   OAB    operator
  putRateCard               billing:write   OAB    operator
  setRateCard               billing:write   OAB    operator
  getClock                  billing:read    OAB    operator
  confirmClock              billing:write   OAB    operator
  addCredit                 billing:write   OAB    operator
  setStripeCustomer         billing:write   OAB    operator
  listCaps                  caps:read       OAMBR
  getCap                    caps:read       OAMBR
  putCap                    caps:write      OAB
  deleteCap                 caps:write      OAB
  createWebhook             webhooks:write  OA
  listWebhooks              webhooks:read   OA
  getWebhook                webhooks:read   OA
  updateWebhook             webhooks:write  OA
  deleteWebhook             webhooks:write  OA
  rotateWebhookSecret       webhooks:write  OA
  testWebhook               webhooks:write  OA
  listDeliveries            webhooks:read   OA
  replayDeliveries          webhooks:write  OA
`;

export type RouteRights = {
  readonly needs: string;
  /** By their first letters. */
  readonly roles: string;
  readonly marks: ReadonlySet<string>;
};

/** The table, by the operationIds of the document. */
export const ROUTE_RIGHTS: ReadonlyMap<string, RouteRights> = new Map(
  TABLE.trim()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [route = '', needs = '', roles = '', ...marks] = line.trim().split(/ +/);
      return [route, { needs, roles, marks: new Set(marks) }];
    }),
);

/**
 * Bodies that are right, as some things are decided only behind them; but a password is not hashed
 * for nothing.
 */
const BODIES: Readonly<Record<string, object>> = {
  signIn: { accessKeyId: 'nobody', secretAccessKey: 'nothing' },
  proveSession: { accessKeyId: 'nobody', secretAccessKey: 'nothing' },
  createPasskey: {
    name: 'x',
    passkey: {
      id: 'x',
      rawId: 'x',
      type: 'public-key',
      response: { clientDataJSON: 'x', attestationObject: 'x' },
    },
  },
  changePassword: { currentPassword: 'not the password', newPassword: 'short' },
  createToken: { name: 'x' },
  checkAccess: { prefix: '' },
  previewPublicAccess: {},
  openPrefix: {},
  testAccess: { as: 'stranger', action: 'read', prefix: '' },
  createAccount: { displayName: 'x' },
  updateAccount: { displayName: 'x' },
  putAccountQuota: { bytes: null, objects: null },
  createMember: { login: 'login-of-somebody', displayName: 'x', role: 'reader' },
  createInvitation: { displayName: 'x', role: 'reader' },
  putPreferences: {},
  lookUpInvitation: { secret: 'x' },
  beginInvitedPasskey: { secret: 'x' },
  acceptInvitation: { secret: 'x', password: 'ten characters' },
  updateMember: { displayName: 'x' },
  createAccessKey: { name: 'x' },
  updateAccessKey: { name: 'x' },
  rotateAccessKey: {},
  putEncryptionKey: { id: 'x' },
  createBucket: { name: 'rights-of-a' },
  updateBucket: { tags: { a: 'b' } },
  checkBucketDomain: { host: 'files.example.org' },
  purgeCaches: { keys: ['x'] },
  putTrashSettings: { days: null },
  updateObject: { tags: { a: 'b' } },
  restoreVersion: { key: 'note.txt', versionId: 'null' },
  presignUrls: { requests: [{ operation: 'get', key: 'x' }] },
  createZip: { prefixes: [''] },
  createUpload: { key: 'x' },
  completeUpload: { key: 'x', parts: [{ partNumber: 1, etag: 'x' }] },
  startJob: { kind: 'delete', prefix: 'no-such/' },
  createShareLink: { target: { kind: 'folder', prefix: 'no-such/' } },
  revokeShareLinks: { prefix: 'no-such/' },
  changeShareLink: { note: 'x' },
  addShareLinkLabel: { name: 'x' },
  changeShareLinkLabel: { name: 'x' },
  createDropLink: { prefix: 'in/' },
  changeDropLink: { note: 'x' },
  revokeDropLinks: { prefix: 'no-such/' },
  previewRename: { prefix: 'no-such/', pattern: { prefix: 'x' } },
  simulateInvoice: { period: '2026-10' },
  putRateCard: rateCardJson(RATE_CARDS[0] as RateCard),
  setRateCard: { rateCardId: null },
  confirmClock: { now: '2026-11-01T00:00:00Z' },
  addCredit: { label: 'x', currency: 'USD', amountMicro: '1' },
  setStripeCustomer: { customerId: null },
  createCreditNote: { reason: 'x' },
  voidInvoice: { reason: 'x' },
  putIssuer: { name: 'x' },
  putBuyer: { name: 'x' },
  setAccountTax: {},
  putCap: { unit: 'bytes', limit: '1000000' },
  createWebhook: { url: 'https://hooks.example.org/', isEnabled: false },
  updateWebhook: { isEnabled: false },
  replayDeliveries: {},
};

/** What a route must have in its query. */
const QUERIES: Readonly<Record<string, string>> = {
  getObject: 'key=note.txt',
  updateObject: 'key=note.txt',
  deleteObject: 'key=gone.txt',
  listVersions: 'key=note.txt',
  getContent: 'key=note.txt',
  getThumbnail: 'key=note.txt',
  searchObjects: 'text=note',
  measurePrefixes: 'prefix=a/',
  listParts: 'key=upload',
  abortUpload: 'key=upload',
  getUsage: 'from=2026-10-01T00:00:00Z&to=2026-10-02T00:00:00Z',
};

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is JSON of any shape
type Json = any;

export type Route = {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly operation: Json;
};

/** The routes of a document; the one that ends everybody's sessions comes last. */
export function routesOf(document: Json): readonly Route[] {
  const routes = Object.entries(document.paths as Json).flatMap(([path, item]) =>
    Object.entries(item as Json).map(([method, operation]) => ({
      name: (operation as Json).operationId as string,
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
  return routes.toSorted(
    (a, b) => Number(a.name === 'signOutEverywhere') - Number(b.name === 'signOutEverywhere'),
  );
}

/** Names of the server's, not of an account. */
const PUBLIC: Readonly<Record<string, string>> = {
  period: '2026-10',
  file: 'focus.csv',
  noteFile: 'credit-note.html',
  cardId: 'aws-s3-us-east-1',
};

/**
 * Whether a request to the route names an account, or a thing of one: then nobody else may find it.
 */
export function namesAnAccount({ path, operation }: Pick<Route, 'path' | 'operation'>): boolean {
  const inPath = parametersOf({ path }).some((name) => PUBLIC[name] === undefined);
  return inPath || takesAccount(operation);
}

/** Whether the query of a route may name an account. */
export const takesAccount = (operation: Json): boolean =>
  (operation.parameters ?? []).some(
    (each: Json) => each.name === 'accountId' && each.in === 'query',
  );

export type RouteRequest = {
  readonly method: string;
  readonly path: string;
  readonly body: object | null;
};

/** The names of what stands in the path of a route. */
export const parametersOf = ({ path }: Pick<Route, 'path'>): readonly string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');

/** The path of a route with the things of those names in it. */
export function pathOf({ path }: Route, things: ReadonlyMap<string, string>): string {
  return path.replace(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(things.get(name) ?? PUBLIC[name] ?? 'nothing'),
  );
}

/** A request about the account, or the things, of that name. */
export function requestTo(route: Route, things: ReadonlyMap<string, string>): RouteRequest {
  const { name, method, operation } = route;
  const path = pathOf(route, things);
  const query = [
    ...(QUERIES[name] === undefined ? [] : [QUERIES[name]]),
    ...(takesAccount(operation) ? [`accountId=${things.get('accountId')}`] : []),
  ].join('&');
  return { method, path: query === '' ? path : `${path}?${query}`, body: BODIES[name] ?? null };
}

const REFUSALS = /^(?:Unauthenticated|AccessDenied|RecentProofRequired|CrossSiteRequest)$/;

/**
 * Whether a request got past the question who may. `isStranger`: what is not there for it, is
 * refused to it.
 */
export function isLetIn(code: string | undefined, isStranger: boolean): boolean {
  if (code === undefined) return true;
  return !REFUSALS.test(code) && !(isStranger && code.startsWith('NoSuch'));
}

/** Everything that an account can have, made through `send`, by what it is called in paths. */
export async function furnish(
  accountId: string,
  bucket: string,
  send: (method: string, path: string, body: object) => Promise<Json>,
): Promise<Map<string, string>> {
  await send('POST', '/buckets', { name: bucket });
  await send('PUT', '/caps/mine', BODIES.putCap as object);
  const idOf = async (path: string, body: object) => (await send('POST', path, body)).id as string;
  const login = `member-${bucket}`;
  const links = `/buckets/${bucket}/share-links`;
  const linkId = await idOf(links, BODIES.createShareLink as object);
  return new Map([
    ['accountId', accountId],
    ['bucket', bucket],
    ['capId', 'mine'],
    ['invitationId', await idOf('/invitations', { displayName: 'x', role: 'reader' })],
    ['memberId', await idOf('/members', { login, displayName: 'x', role: 'reader' })],
    ['accessKeyId', await idOf('/access-keys', { name: 'x' })],
    ['tokenId', await idOf('/tokens', { name: 'x' })],
    ['webhookId', await idOf('/webhooks', BODIES.createWebhook as object)],
    ['uploadId', await idOf(`/buckets/${bucket}/uploads`, { key: 'upload' })],
    ['dropLinkId', await idOf(`/buckets/${bucket}/drop-links`, BODIES.createDropLink as object)],
    ['jobId', await idOf(`/buckets/${bucket}/jobs`, BODIES.startJob as object)],
    ['linkId', linkId],
    ['labelId', await idOf(`${links}/${linkId}/labels`, BODIES.addShareLinkLabel as object)],
  ]);
}

/** Another id of the same form, that nobody has. */
export const toMissing = (id: string) =>
  id.replace(/[0-9a-z](?=[^0-9a-z]*$)/i, (last) => (last === '0' ? '1' : '0'));
