// The pages of a drop link: the form, the receipt, and what is the matter. Each is
// whole without a script; the script sends the same form by tus, with progress.
import type { StorageError } from '../../../domain/errors.ts';
import { type DropFile, type DropState, dropStateOf } from '../../../domain/links/drop-link.ts';
import {
  DROP_CODE_TYPED_MAX_LENGTH,
  DROP_FIELD_MAX_LENGTHS,
} from '../../../domain/links/link-limits.ts';
import { nameOfType } from '../../../domain/links/media-types.ts';
import { type PageLanguage, preferredLanguage } from '../../semantics/accept-html.ts';
import { ERROR_STATUS } from '../../semantics/error-status.ts';
import { failureHeaders } from '../../semantics/failure-headers.ts';
import { parseQuery } from '../../semantics/raw-path.ts';
import { type Child, type Element, h } from '../page/element.ts';
import { createFormat, type Format } from '../page/format.ts';
import type { LinkFiles } from '../page/link-files.ts';
import { factList, messageContent } from '../page/message.ts';
import { sendPage } from '../page/send-page.ts';
import { visibleText } from '../page/shown-name.ts';
import type { FormAnswer } from './drop-form.ts';
import type { DropCall } from './drop-request.ts';
import { DROP_TEXTS, type DropTexts } from './drop-texts.ts';
import { serviceOrigin } from './page-origin.ts';

export type DropPages = {
  /** The form, or why there is none. */
  start(call: DropCall): Promise<Response>;
  /** What has come of a sender, after a form. */
  receipt(call: DropCall, answer: FormAnswer): Promise<Response>;
  failure(call: DropCall, error: StorageError): Promise<Response>;
};

type Said = { readonly texts: DropTexts; readonly format: Format; readonly language: PageLanguage };

/** Texts that the script shows. */
const SCRIPT_TEXTS = [
  'waiting',
  'sending',
  'retrying',
  'complete',
  'refused',
  'total',
  'stop',
  'yourCode',
  'keepCode',
  'chooseAgain',
  'showReceipt',
  'folder',
] as const satisfies readonly Exclude<keyof DropTexts, 'typeWords'>[];

export function createDropPages(files: LinkFiles): DropPages {
  async function send(
    call: DropCall,
    { language, texts }: Said,
    sent: { status: number; title: string; content: Child; isSecret: boolean; retryAfter?: string },
  ): Promise<Response> {
    const { request, opened } = call;
    const { page } = opened.link;
    const wait = Number(sent.retryAfter ?? Number.NaN);
    return sendPage(
      request,
      {
        status: sent.status,
        page: {
          language,
          title: sent.title,
          description: texts.description,
          otherLanguageHref: `?lang=${language === 'zh' ? 'en' : 'zh'}`,
          files: await files.filesOf('drop'),
          origin: serviceOrigin(request),
          pictureHref: null,
          brand: { name: null, logoHref: null, colour: page.colour },
          content: sent.content,
          footer: [],
          width: 'narrow',
        },
        needs: ['requests'],
        isSecret: sent.isSecret,
        retryAfterSeconds: Number.isNaN(wait) ? null : wait,
      },
      call.requestId,
    );
  }

  return {
    start(call) {
      const said = saidTo(call);
      const { link, usage } = call.opened;
      const state = dropStateOf(link, usage, call.core.ports.clock.nowMs());
      if (state === 'revoked' || state === 'expired') {
        const title = said.texts[state];
        const content = closedContent(call, said, state);
        return send(call, said, { status: 410, title, content, isSecret: false });
      }
      const title = titleOf(call, said);
      const content = formContent(call, said, state);
      return send(call, said, { status: 200, title, content, isSecret: false });
    },

    receipt(call, answer) {
      const said = saidTo(call);
      const { receipt } = said.texts;
      const content = receiptContent(call, said, answer);
      const status = answer.isComplete ? 200 : 400;
      return send(call, said, { status, title: receipt, content, isSecret: true });
    },

    failure(call, error) {
      const said = saidTo(call);
      const reason = error.fields.Reason;
      const isClosed = reason === 'revoked' || reason === 'expired';
      const title = isClosed ? said.texts[reason] : said.texts.problem;
      const content = messageContent(
        {
          title,
          advice: [
            isClosed ? said.texts.closedAdvice : error.message,
            ' ',
            isClosed ? null : h('a', { href: call.basePath }, said.texts.back),
          ],
          facts: [],
          requestId: call.requestId,
        },
        said.language,
      );
      return send(call, said, {
        status: isClosed ? 410 : ERROR_STATUS[error.code],
        title,
        content,
        isSecret: false,
        ...retryAfterOf(error),
      });
    },
  };
}

function retryAfterOf(error: StorageError): { retryAfter?: string } {
  const retryAfter = failureHeaders(error)['retry-after'];
  return retryAfter === undefined ? {} : { retryAfter };
}

/** The language of `?lang=`, else what the browser likes. */
function saidTo({ request }: DropCall): Said {
  const asked = parseQuery(request.rawQuery).get('lang');
  const preferred = preferredLanguage(request.header('accept-language'));
  const language = asked === 'zh' || asked === 'en' ? asked : preferred;
  return { language, texts: DROP_TEXTS[language], format: createFormat(language) };
}

const titleOf = ({ opened: { link } }: DropCall, { texts }: Said): string =>
  link.page.title ?? texts.title;

function closedContent(call: DropCall, { texts, language }: Said, state: DropState): Element {
  const title = state === 'expired' ? texts.expired : texts.revoked;
  const { requestId } = call;
  return messageContent({ title, advice: texts.closedAdvice, facts: [], requestId }, language);
}

function formContent(call: DropCall, said: Said, state: DropState): Child {
  const { texts } = said;
  const { page, limits } = call.opened.link;
  return [
    h('h1', null, visibleText(titleOf(call, said))),
    ...paragraphs(page.text),
    h('p', { class: 'faint' }, texts.blind),
    factList(limitFacts(call, said)),
    state === 'full'
      ? h('p', { class: 'lead' }, texts.full)
      : h(
          'form',
          dropForm(call, said),
          field(said, 'name', page.name, { autocomplete: 'name' }),
          field(said, 'mail', page.mail, { type: 'email', autocomplete: 'email' }),
          field(said, 'note', page.note, {}),
          filePicker(texts.files, limits.types),
          h('button', { type: 'submit', class: 'button primary' }, texts.send),
        ),
    codeForm(call, said),
  ];
}

/** Attributes of a form that sends files; the script sends it by tus. */
function dropForm({ basePath }: DropCall, { texts, language }: Said) {
  const scriptTexts = Object.fromEntries(SCRIPT_TEXTS.map((name) => [name, texts[name]]));
  return {
    method: 'post',
    enctype: 'multipart/form-data',
    action: basePath,
    class: 'drop',
    'data-drop': basePath,
    'data-texts': JSON.stringify(scriptTexts),
    'data-language': language,
  };
}

/** Lines of the owner's text, as plain text. */
function paragraphs(text: string | null): readonly Element[] {
  const lines = (text ?? '').split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => h('p', null, visibleText(line)));
}

function field(
  { texts }: Said,
  name: 'name' | 'mail' | 'note',
  use: 'required' | 'optional' | 'none',
  attributes: Readonly<Record<string, string>>,
): Child {
  if (use === 'none') return null;
  const maxlength = DROP_FIELD_MAX_LENGTHS[name];
  const required = use === 'required';
  const shared = { class: 'input', id: name, name, required, maxlength, ...attributes };
  return h(
    'div',
    { class: 'field' },
    h(
      'label',
      { class: 'label', for: name },
      texts[name],
      use === 'optional' ? h('span', { class: 'faint' }, ` (${texts.optional})`) : null,
    ),
    name === 'note'
      ? h('textarea', { ...shared, rows: 3 })
      : h('input', { type: 'text', ...shared }),
  );
}

function filePicker(label: string, types: readonly string[] | null): Element {
  return h(
    'div',
    { class: 'field' },
    h('label', { class: 'label', for: 'files' }, label),
    h('input', {
      class: 'files-input',
      id: 'files',
      name: 'files',
      type: 'file',
      multiple: true,
      required: true,
      accept: types?.join(','),
    }),
  );
}

function codeForm({ basePath }: DropCall, { texts }: Said): Element {
  return h(
    'details',
    null,
    h('summary', null, texts.haveCode),
    h(
      'form',
      { method: 'post', enctype: 'multipart/form-data', action: basePath, class: 'drop-code' },
      h('p', { class: 'faint' }, texts.codeHint),
      h(
        'div',
        { class: 'field' },
        h('label', { class: 'label', for: 'code' }, texts.code),
        h('input', {
          class: 'input',
          id: 'code',
          name: 'code',
          type: 'text',
          required: true,
          maxlength: DROP_CODE_TYPED_MAX_LENGTH,
          autocomplete: 'off',
          spellcheck: 'false',
        }),
      ),
      h('button', { type: 'submit', class: 'button secondary' }, texts.goOn),
    ),
  );
}

function limitFacts(
  { opened: { link } }: DropCall,
  { texts, format }: Said,
): readonly (readonly [string, Child])[] {
  const { limits, expiresAtMs } = link;
  const facts: (readonly [string, Child])[] = [];
  if (limits.fileBytes !== null) facts.push([texts.largestFile, format.bytes(limits.fileBytes)]);
  if (limits.senderFiles !== null) facts.push([texts.mostFiles, format.count(limits.senderFiles)]);
  if (limits.senderBytes !== null) facts.push([texts.mostBytes, format.bytes(limits.senderBytes)]);
  if (limits.types !== null) {
    const names = limits.types.map((type) => nameOfType(type, texts.typeWords));
    facts.push([texts.types, names.join(', ')]);
  }
  if (expiresAtMs !== null) facts.push([texts.end, format.moment(expiresAtMs)]);
  return facts;
}

function receiptContent(call: DropCall, said: Said, answer: FormAnswer): Child {
  const { texts } = said;
  const { files } = answer.receipt;
  return [
    h('h1', null, texts.receipt),
    h('p', { class: 'lead' }, `${texts.yourCode}: `, h('code', null, answer.code)),
    h('p', { class: 'faint' }, texts.keepCode),
    ...answer.refused.map(({ name, message }) =>
      h(
        'p',
        { class: 'warning', role: 'alert' },
        `${texts.refused}: `,
        h('bdi', null, visibleText(name)),
        ` – ${message}`,
      ),
    ),
    files.length === 0 ? h('p', null, texts.noFiles) : receiptTable(files, said),
    files.length < 2 ? null : h('p', { class: 'faint' }, texts.asBegun),
    h(
      'form',
      dropForm(call, said),
      h('input', { type: 'hidden', name: 'code', value: answer.code }),
      filePicker(texts.more, call.opened.link.limits.types),
      h('button', { type: 'submit', class: 'button primary' }, texts.send),
    ),
  ];
}

function receiptTable(files: readonly DropFile[], { texts, format }: Said): Element {
  const row = (file: DropFile) =>
    h(
      'tr',
      null,
      h('td', null, h('bdi', null, visibleText(file.path))),
      h('td', null, format.bytes(file.lengthBytes)),
      h(
        'td',
        null,
        file.sha256 === null
          ? texts.unfinished
          : [texts.complete, h('br'), h('code', { class: 'digest' }, `SHA-256 ${file.sha256}`)],
      ),
    );
  return h(
    'table',
    { class: 'receipt' },
    h(
      'thead',
      null,
      h(
        'tr',
        null,
        h('th', null, texts.file),
        h('th', null, texts.size),
        h('th', null, texts.state),
      ),
    ),
    h('tbody', null, ...files.map(row)),
  );
}
