// What a share page offers beside its files: its address to copy, as a QR code, and as
// a command for a terminal. The two that open do so without a script.
import { type Child, type Element, h } from '../element.ts';
import { icon } from '../icons.ts';
import { qrPicture } from '../qr/qr-picture.ts';
import type { ShareContext } from './share-texts.ts';

/** The buttons, after those of the files. */
export function toolButtons({ view, texts }: ShareContext): readonly Child[] {
  const opener = (id: string, name: 'qr' | 'terminal', text: string): Element =>
    h('button', { class: 'button', type: 'button', popovertarget: id }, icon(name), text);
  return [
    // Only a script can copy; it shows the button.
    h(
      'button',
      {
        class: 'button',
        type: 'button',
        hidden: true,
        'data-copy': view.link.url,
        'data-done': texts.linkCopied,
        'data-failed': texts.linkNotCopied,
      },
      icon('copy'),
      h('span', null, texts.copyLink),
    ),
    opener('qr', 'qr', texts.qrCode),
    view.page.mode === 'view' ? null : opener('terminal', 'terminal', texts.terminal),
  ];
}

/** What the buttons open. */
export function toolSheets({ view, texts }: ShareContext): readonly Child[] {
  const { url } = view.link;
  const hint = view.content?.kind === 'folder' ? texts.terminalHintFolder : texts.terminalHint;
  const password = view.link.ticket === null ? '' : ` ${texts.terminalPassword}`;
  return [
    sheet('qr', texts.qrCode, texts.close, [
      qrPicture(url, texts.qrLabel),
      h('p', { class: 'hint mono' }, url),
    ]),
    view.page.mode === 'view'
      ? null
      : sheet('terminal', texts.terminal, texts.close, [
          h(
            'pre',
            { class: 'command', tabindex: 0 },
            h('code', null, command(url, view.link.ticket !== null)),
          ),
          h('p', { class: 'hint' }, hint + password),
        ]),
  ];
}

/** curl asks for the password itself where a name stands without one. */
const command = (url: string, hasPassword: boolean): string =>
  `curl -OJ ${hasPassword ? '-u link ' : ''}'${url.replaceAll("'", '%27')}'`;

function sheet(id: string, title: string, close: string, children: readonly Child[]): Element {
  return h(
    'div',
    { class: 'sheet', id, popover: 'auto', role: 'dialog', 'aria-labelledby': `${id}-title` },
    h('h2', { id: `${id}-title` }, title),
    ...children,
    h(
      'div',
      { class: 'actions' },
      h(
        'button',
        {
          class: 'button secondary',
          type: 'button',
          popovertarget: id,
          popovertargetaction: 'hide',
        },
        close,
      ),
    ),
  );
}
