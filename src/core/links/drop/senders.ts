// Senders of a drop link: somebody who said what the owner asks for, and got a code
// to come back with, from any device. The code itself is stored nowhere.
import { sha256Hex } from '../../../crypto/hash.ts';
import { randomText } from '../../../crypto/random-text.ts';
import { StorageError } from '../../../domain/errors.ts';
import { networkOf } from '../../../domain/ip-range.ts';
import type { DropFields, DropPage, DropSender } from '../../../domain/links/drop-link.ts';
import { isFieldText } from '../../../domain/links/drop-names.ts';
import type { LinkId } from '../../../domain/links/link-ids.ts';
import {
  DROP_CODE_LENGTH,
  DROP_CODE_TYPED_MAX_LENGTH,
  DROP_FIELD_MAX_LENGTHS,
} from '../../../domain/links/link-limits.ts';
import type { Core } from '../../core.ts';
import type { OpenedDropLink } from './open-drop-link.ts';

/** Letters of one group of a code, as it is shown. */
const GROUP_LENGTH = 4;
const CODE = /^[0-9a-z]+$/;
/** Hex digits of a sender's id: 128 bits. */
const ID_LENGTH = 32;
/** Hex digits of a digested source: enough to count by. */
const SOURCE_LENGTH = 16;
/** The form of a mail address: HTML's own check, but shorter. */
const MAIL = /^[^\s@<>"',;:]{1,64}@[^\s@<>"',;:]{1,189}$/;

/** The code with dashes: `k7fm-2q9x-…`. */
function showCode(code: string): string {
  const groups: string[] = [];
  for (let at = 0; at < code.length; at += GROUP_LENGTH)
    groups.push(code.slice(at, at + GROUP_LENGTH));
  return groups.join('-');
}

/** The code as it was drawn, whatever case and dashes somebody typed; null: it is none. */
function readCode(text: string): string | null {
  if (text.length > DROP_CODE_TYPED_MAX_LENGTH) return null;
  const plain = text.toLowerCase().replaceAll(/[\s-]/g, '');
  const code = plain.replaceAll('o', '0').replaceAll(/[il]/g, '1');
  return code.length === DROP_CODE_LENGTH && CODE.test(code) ? code : null;
}

const idOf = (linkId: LinkId, code: string): string =>
  sha256Hex(`drop sender ${linkId} ${code}`).slice(0, ID_LENGTH);

/**
 * Makes a sender and gives the code, this once. InvalidArgument (a field), and those
 * of `addDropSender`. Cost: one commit.
 */
export async function addSender(
  core: Core,
  { bucket, link }: OpenedDropLink,
  fields: DropFields,
  remoteAddress: string | null,
): Promise<{ readonly code: string; readonly sender: DropSender }> {
  checkFields(link.page, fields);
  const code = randomText(DROP_CODE_LENGTH);
  const id = idOf(link.id, code);
  const nowMs = core.ports.clock.nowMs();
  const source = sha256Hex(`drop source ${link.id} ${networkOf(remoteAddress)}`);
  await bucket.call('addDropSender', {
    linkId: link.id,
    ...{ id, fields, nowMs },
    source: source.slice(0, SOURCE_LENGTH),
  });
  return { code: showCode(code), sender: { id, fields, createdAtMs: nowMs, files: 0, bytes: 0 } };
}

/** The sender who has a code of this very link; null: nobody has. Cost: one query. */
export async function findSender(
  { bucket, link }: OpenedDropLink,
  codeText: string,
): Promise<DropSender | null> {
  const code = readCode(codeText);
  if (code === null) return null;
  return bucket.call('getDropSender', { linkId: link.id, id: idOf(link.id, code) });
}

/** InvalidArgument with the name of the field. */
function checkFields(page: DropPage, fields: DropFields): void {
  for (const name of ['name', 'mail', 'note'] as const) {
    const text = fields[name];
    const problem =
      text === ''
        ? page[name] === 'required' && 'is required'
        : (page[name] === 'none' && 'is not asked for') ||
          (text.length > DROP_FIELD_MAX_LENGTHS[name] && 'is too long') ||
          (!isFieldText(text) && 'has characters that no text has') ||
          (name !== 'note' && text.includes('\n') && 'has a line break') ||
          (name === 'mail' && !MAIL.test(text) && 'is no mail address');
    if (problem === false) continue;
    throw new StorageError('InvalidArgument', {
      detail: `The field ${name} ${problem}.`,
      fields: { ArgumentName: name },
    });
  }
}
