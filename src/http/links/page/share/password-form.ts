// The form of a share link that has a password. It is sent by POST, so that no address
// and no log has it; the script takes a password out of the address's fragment, which
// no server sees.
import { LINK_PASSWORD_MAX_LENGTH } from '../../../../domain/links/link-limits.ts';
import { type Child, h } from '../element.ts';
import { withQuery } from '../page-visit.ts';
import type { ShareContext } from './share-texts.ts';

/** The content of the page. */
export function passwordContent({ view, visit, texts, format }: ShareContext): Child {
  const { wasWrong = false, waitSeconds = null } = view.password ?? {};
  const words = texts.password;
  const isWaiting = waitSeconds !== null;
  const error = isWaiting
    ? words.wait(format.duration(waitSeconds))
    : wasWrong
      ? words.wrong
      : null;
  // To the address of this page: a folder below the link opens after it.
  const action = withQuery(visit, {});
  return [
    h('h1', null, words.title),
    h('p', { class: 'lead' }, words.advice),
    h(
      'form',
      { class: 'password', method: 'post', action, 'data-password-form': !isWaiting },
      h(
        'div',
        { class: 'field' },
        h('label', { class: 'label', for: 'password' }, words.label),
        h('input', {
          class: 'input',
          id: 'password',
          name: 'password',
          type: 'password',
          autocomplete: 'current-password',
          maxlength: LINK_PASSWORD_MAX_LENGTH,
          required: true,
          autofocus: true,
          'aria-invalid': error === null ? undefined : 'true',
          'aria-describedby': error === null ? undefined : 'password-error',
        }),
        error === null
          ? null
          : h('p', { class: 'field-error', id: 'password-error', role: 'alert' }, error),
      ),
      h('button', { class: 'button primary', type: 'submit' }, words.button),
    ),
  ];
}
