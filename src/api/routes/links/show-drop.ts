// Drop links, their senders and files as the JSON API shows them to their owner.
import type { z } from '@hono/zod-openapi';
import {
  type DropLink,
  type DropSender,
  dropFileStateOf,
  dropStateOf,
  type ListedDropFile,
} from '../../../domain/links/drop-link.ts';
import { linkPath } from '../../../domain/links/link-ids.ts';
import type { DropLinkState } from '../../../ports/index-calls/drop-link-calls.ts';
import type { SignedInCall } from '../../routing/api-call.ts';
import { serviceOrigin } from '../../routing/service-origin.ts';
import type { dropFileSchema, dropLinkSchema, dropSenderSchema } from '../../schemas/drop-links.ts';
import { isoTime, isoTimeOrNull } from '../../schemas/time.ts';

export function showDrop(
  call: SignedInCall,
  { link, usage }: DropLinkState,
): z.infer<typeof dropLinkSchema> {
  const { id, prefix, quarantine, template, limits, page, note } = link;
  const types = limits.types === null ? null : [...limits.types];
  return {
    id: id as string,
    url: serviceOrigin(call.request) + linkPath('drop', { id, labelId: null }),
    state: dropStateOf(link, usage, call.core.ports.clock.nowMs()),
    createdAt: isoTime(link.createdAtMs),
    ...{ prefix, quarantine, template, page, note },
    limits: { ...limits, types },
    expiresAt: isoTimeOrNull(link.expiresAtMs),
    revokedAt: isoTimeOrNull(link.revokedAtMs),
    usage: { files: usage.files, bytes: `${usage.bytes}`, senders: usage.senders },
  };
}

export function showSender(sender: DropSender): z.infer<typeof dropSenderSchema> {
  const { id, fields, createdAtMs, files, bytes } = sender;
  return { id, ...fields, createdAt: isoTime(createdAtMs), files, bytes: `${bytes}` };
}

export function showFile(link: DropLink, file: ListedDropFile): z.infer<typeof dropFileSchema> {
  const { id, senderId, path, key, contentType, lengthBytes, offsetBytes, sha256 } = file;
  return {
    ...{ id, senderId, path, sha256 },
    key: key as string,
    state: dropFileStateOf(link, file),
    type: contentType,
    size: `${lengthBytes}`,
    received: `${offsetBytes}`,
    createdAt: isoTime(file.createdAtMs),
    finishedAt: isoTimeOrNull(file.finishedAtMs),
  };
}
