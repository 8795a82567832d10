// Takes a password out of the address's fragment, `#password=…`, which browsers send to
// nobody: out of the address bar at once, into the form, and sent.
import { find } from './find.ts';

const PREFIX = '#password=';

/** Does nothing on a page that asks for no password, but take it away. */
export function passwordOfFragment(): void {
  const { hash, pathname, search } = location;
  if (!hash.startsWith(PREFIX)) return;
  history.replaceState(history.state, '', pathname + search);
  const form = find<HTMLFormElement>('[data-password-form=true]');
  const field = form?.elements.namedItem('password');
  if (form === null || !(field instanceof HTMLInputElement)) return;
  field.value = decode(hash.slice(PREFIX.length));
  form.requestSubmit();
}

/** What is not percent-encoded as it should be is taken as it stands. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
