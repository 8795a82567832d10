// The webhooks of accounts: created, listed, changed, rotated and deleted. Called
// by every surface that manages them. The messages to them are deliveries.ts's, and
// their delivery the dispatcher's.

import { hasCode, StorageError } from '../../domain/errors.ts';
import type { AccountId } from '../../domain/nouns.ts';
import { mayBePublicHost } from '../../domain/public-address.ts';
import { DAY_MS } from '../../domain/time.ts';
import type { WebhookEndpoint } from '../../domain/webhooks.ts';
import type { Core } from '../core.ts';
import { makeSecret } from './secrets.ts';

/** Webhooks of one account. Our own limit. */
export const WEBHOOKS_MAX = 50;
/** Longest URL, characters. */
const URL_MAX_LENGTH = 2048;
/** Longest description, UTF-16 units. */
const DESCRIPTION_MAX_LENGTH = 256;
/** Types that one webhook can subscribe to. */
const TYPES_MAX = 50;
/**
 * The form of a subscription: a type of event, or all with a prefix: `usage.*`,
 * `*`.
 */
const TYPE_FORM = /^(?:\*|[a-z][a-z0-9_-]{0,62}(?:\.[a-z0-9_-]{1,63}){0,4}(?:\.\*)?)$/;
/** Time for which a replaced secret still signs, milliseconds. */
const SECRET_OVERLAP_MS = DAY_MS;
/** Attempts of a change that collides with others (optimistic concurrency). */
const CHANGE_ATTEMPTS = 8;
/** Valid secrets of one webhook: each makes a signature. */
const SECRETS_MAX = 3;

/** A webhook without its secrets. */
export type WebhookInfo = Omit<WebhookEndpoint, 'secrets'> & { readonly arn: string };

/**
 * The fields that its owner sets. `types`: of account events; notification rules
 * decide what buckets send.
 */
export type WebhookInput = Pick<WebhookEndpoint, 'url' | 'description' | 'types' | 'isEnabled'>;

/** Makes the ARN of a webhook, by which notification configurations name it. */
function webhookArn(id: string): string {
  return `arn:quayside:webhook:::${id}`;
}

/**
 * Creates a webhook and its secret, which is shown this once. InvalidArgument (the
 * URL), InvalidRequest (too many), ServiceUnavailable (no master key). Cost: one
 * commit of the directory.
 */
export async function createWebhook(
  core: Core,
  accountId: AccountId,
  input: WebhookInput,
): Promise<{ webhook: WebhookInfo; secret: string }> {
  checkInput(core, input);
  const id = `wh_${core.ports.ids.uploadId()}`;
  const { text, stored } = makeSecret(core.settings.masterKeys, id);
  const createdAtMs = core.ports.clock.nowMs();
  const webhook: WebhookEndpoint = { ...input, id, accountId, secrets: [stored], createdAtMs };
  await core.ports.directory.call('putWebhook', { webhook, known: null, max: WEBHOOKS_MAX });
  return { webhook: toInfo(webhook), secret: text };
}

/** Lists the webhooks of an account after an id, in byte order. */
export async function listWebhooks(
  core: Core,
  accountId: AccountId,
  page: { readonly after: string; readonly limit: number },
): Promise<WebhookInfo[]> {
  return (await core.ports.directory.call('listWebhooks', { accountId, ...page })).map(toInfo);
}

/** Finds a webhook of the account. NoSuchWebhook, also for another account's. */
export async function getWebhook(
  core: Core,
  accountId: AccountId,
  id: string,
): Promise<WebhookInfo> {
  return toInfo(await openWebhook(core, accountId, id));
}

/**
 * Replaces fields of a webhook. `check` receives the state before the change, and
 * throws where that is another than expected. NoSuchWebhook, InvalidArgument,
 * ConditionalRequestConflict (many change it at once).
 */
export async function updateWebhook(
  core: Core,
  accountId: AccountId,
  id: string,
  changes: Partial<WebhookInput>,
  check: (current: WebhookInfo) => void = () => undefined,
): Promise<WebhookInfo> {
  const webhook = await changeWebhook(core, accountId, id, (current) => {
    check(toInfo(current));
    const changed = { ...current, ...changes };
    checkInput(core, changed);
    return changed;
  });
  return toInfo(webhook);
}

/**
 * Changes a webhook by compare and swap: where somebody else changes it meanwhile,
 * the change is made again of the new state.
 */
async function changeWebhook(
  core: Core,
  accountId: AccountId,
  id: string,
  change: (current: WebhookEndpoint) => WebhookEndpoint,
): Promise<WebhookEndpoint> {
  for (let attempt = 1; ; attempt++) {
    const current = await openWebhook(core, accountId, id);
    const webhook = change(current);
    try {
      await core.ports.directory.call('putWebhook', { webhook, known: current, max: WEBHOOKS_MAX });
      return webhook;
    } catch (error) {
      const isConflict = hasCode(error, 'ConditionalRequestConflict');
      if (!isConflict || attempt === CHANGE_ATTEMPTS) throw error;
    }
  }
}

/**
 * Makes a new secret, shown this once; the old one still signs for a day.
 * NoSuchWebhook, ServiceUnavailable, ConditionalRequestConflict.
 */
export async function rotateSecret(
  core: Core,
  accountId: AccountId,
  id: string,
): Promise<{ webhook: WebhookInfo; secret: string; oldEndsAtMs: number }> {
  const { text, stored } = makeSecret(core.settings.masterKeys, id);
  const nowMs = core.ports.clock.nowMs();
  const oldEndsAtMs = nowMs + SECRET_OVERLAP_MS;
  const changed = await changeWebhook(core, accountId, id, (current) => {
    const old = current.secrets
      .map((secret) => ({
        ...secret,
        endsAtMs: Math.min(secret.endsAtMs ?? oldEndsAtMs, oldEndsAtMs),
      }))
      .filter(({ endsAtMs }) => endsAtMs > nowMs)
      .slice(0, SECRETS_MAX - 1);
    return { ...current, secrets: [stored, ...old] };
  });
  return { webhook: toInfo(changed), secret: text, oldEndsAtMs };
}

/** Deletes a webhook; its waiting messages become dead letters. NoSuchWebhook. */
export async function deleteWebhook(core: Core, accountId: AccountId, id: string): Promise<void> {
  await openWebhook(core, accountId, id);
  await core.ports.directory.call('deleteWebhook', { id, accountId });
}

/**
 * Deletes the webhooks of a closed account, and their waiting messages, at once:
 * only attempts under way still end. Messages of its deleted buckets become dead
 * letters, and are deleted with them. Idempotent. Cost: one commit for 2,000
 * messages.
 */
export async function endWebhooks(core: Core, accountId: AccountId): Promise<void> {
  while (!(await core.ports.directory.call('endWebhooks', { accountId })).isDone);
}

/** Finds a webhook of the account with its secrets. NoSuchWebhook. */
export async function openWebhook(
  core: Core,
  accountId: AccountId,
  id: string,
): Promise<WebhookEndpoint> {
  const webhook = await core.ports.directory.call('getWebhook', { id });
  if (webhook?.accountId !== accountId)
    throw new StorageError('NoSuchWebhook', { fields: { Webhook: id.slice(0, 64) } });
  return webhook;
}

function checkInput(core: Core, { url, description, types }: WebhookInput): void {
  checkUrl(url, core.settings.webhooks.mayBePrivate);
  if (description.length > DESCRIPTION_MAX_LENGTH)
    throw refused(`description has at most ${DESCRIPTION_MAX_LENGTH} characters.`);
  if (types.length > TYPES_MAX || !types.every((type) => TYPE_FORM.test(type))) {
    throw refused(
      `types holds up to ${TYPES_MAX} types of events, such as "invoice.closed", "usage.*" or "*".`,
    );
  }
}

/**
 * Checks a URL. The sender also checks the addresses behind its name, at each
 * attempt. InvalidArgument.
 */
function checkUrl(text: string, mayBePrivate: boolean): void {
  const url = text.length <= URL_MAX_LENGTH && URL.canParse(text) ? new URL(text) : null;
  if (url === null)
    throw refused(`url must be an absolute URL of at most ${URL_MAX_LENGTH} characters.`);
  if (url.username !== '' || url.password !== '' || url.hash !== '') {
    throw refused('url must have no user, password or fragment.');
  }
  if (url.protocol !== 'https:' && !(mayBePrivate && url.protocol === 'http:'))
    throw refused('url must be https.');
  if (!mayBePrivate && !mayBePublicHost(url.hostname))
    throw refused('url must name a host of the public internet.');
}

function refused(detail: string): StorageError {
  return new StorageError('InvalidArgument', { detail });
}

function toInfo({ secrets: _, ...info }: WebhookEndpoint): WebhookInfo {
  return { ...info, arn: webhookArn(info.id) };
}
