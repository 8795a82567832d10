// Reports to the webhooks of a link's owner: a file has come, a limit is near.
import { sha256Hex } from '../../../crypto/hash.ts';
import type { DropFile } from '../../../domain/links/drop-link.ts';
import type { BucketRecord } from '../../../domain/nouns.ts';
import type { DropLinkState } from '../../../ports/index-calls/drop-link-calls.ts';
import type { NewDelivery } from '../../../ports/outbox.ts';
import type { Core } from '../../core.ts';
import { listSubscribers, plainDelivery } from '../../outbox/deliveries.ts';

/** Hex digits of a message id: 128 bits. */
const MESSAGE_ID_LENGTH = 32;
const messageIdOf = (...identity: readonly string[]): string =>
  sha256Hex(JSON.stringify(identity)).slice(0, MESSAGE_ID_LENGTH);

/**
 * Reads who hears of files that are complete, and gives the messages about one, for the
 * commit that ends it. Cost: one query of the directory.
 */
export async function uploadedReport(
  core: Core,
  { id: queueId, name: bucket, ownerId: accountId }: BucketRecord,
): Promise<(file: DropFile) => readonly NewDelivery[]> {
  const type = 'drop.uploaded';
  const webhookIds = await listSubscribers(core, accountId, type);
  return ({ id, linkId: link, senderId: sender, path, key, lengthBytes, sha256 }) => {
    const data = { bucket, link, file: id, sender, path, key, sha256, size: `${lengthBytes}` };
    const message = { type, data, id: messageIdOf('drop', link, id) };
    return webhookIds.map((webhookId) => ({
      ...plainDelivery(core, accountId, webhookId, message),
      queueId,
    }));
  };
}

/**
 * Reads who hears that a link has little room left, and gives the messages, for the
 * commit that brings it there. Cost: one query of the directory.
 */
export async function nearLimitReport(
  core: Core,
  { id: queueId, name: bucket, ownerId: accountId }: BucketRecord,
  { link, usage }: DropLinkState,
): Promise<readonly NewDelivery[]> {
  const type = 'drop.limit-near';
  const webhookIds = await listSubscribers(core, accountId, type);
  const { files, totalBytes } = link.limits;
  const data = {
    ...{ bucket, link: link.id, files: usage.files, bytes: `${usage.bytes}` },
    limits: { files, totalBytes: totalBytes === null ? null : `${totalBytes}` },
  };
  const id = messageIdOf('drop near', link.id, JSON.stringify(data.limits));
  return webhookIds.map((webhookId) => ({
    ...plainDelivery(core, accountId, webhookId, { type, data, id }),
    queueId,
  }));
}
