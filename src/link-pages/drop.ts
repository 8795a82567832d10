// The script of drop pages: sends the page's own form by tus, file by file, with
// progress, and goes on after a broken connection, a reload, or on another device
// with the code. All that it does is also done without it, but for that.
import { isPassing, RETRY_MS, Refusal, withRetries } from './retries.ts';
import { hasDigest } from './same-file.ts';
import { readCode, storeCode } from './stored-code.ts';

type Texts = Readonly<Record<string, string>>;
/** A file that has come, or is coming, as the receipt has it. */
type Known = {
  readonly name: string;
  readonly size: number;
  readonly received: number;
  readonly isComplete: boolean;
  readonly sha256: string | null;
  readonly href: string;
};
/** A file that was begun: how far it is, and how much one request brings of it. */
type Upload = { readonly href: string; readonly offset: number; readonly pieceBytes: number };
/** A file to send, and its progress. */
type Item = {
  readonly file: File;
  readonly path: string;
  readonly bar: HTMLProgressElement;
  readonly state: HTMLElement;
};

const TUS = { 'tus-resumable': '1.0.0' };
/** Bytes of one request, but for the largest files: few are lost with a connection. */
const PIECE_BYTES = 16 * 1024 * 1024;
const FILES_AT_ONCE = 3;
/** After so long without another one, all files of a drop have come. */
const SETTLED_MS = 300;

function enhance(form: HTMLFormElement): void {
  const base = form.dataset.drop ?? '';
  const texts = JSON.parse(form.dataset.texts ?? '{}') as Texts;
  const picker = form.elements.namedItem('files') as HTMLInputElement;
  const chosen = new Map<string, File>();
  const ofReceipt = form.querySelector<HTMLInputElement>('input[name=code]');
  let code = ofReceipt?.value ?? readCode(base);

  addFolderPicker(form, picker, texts);
  addDropTarget(form, (path, file) => chosen.set(path, file));
  const list = element('ul', 'drop-files');
  const sum = element('p', 'drop-sum');
  sum.setAttribute('role', 'status');
  form.after(sum, list);
  document.querySelector('form.drop-code')?.addEventListener('submit', (event) => {
    const typed = new FormData(event.target as HTMLFormElement).get('code');
    if (typeof typed === 'string') storeCode(base, typed);
  });
  if (code !== null) {
    // Who has a code has said who it is.
    for (const said of form.querySelectorAll<HTMLInputElement>('.input')) said.required = false;
    if (ofReceipt === null) sum.after(receiptForm(base, code, texts));
    void showUnfinished(base, code, texts, sum);
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    for (const input of form.querySelectorAll<HTMLInputElement>('input[type=file]'))
      for (const file of input.files ?? []) chosen.set(file.webkitRelativePath || file.name, file);
    void run();
  });

  async function run(): Promise<void> {
    const button = form.querySelector('button');
    if (button !== null) button.disabled = true;
    try {
      const mine = code === null ? null : await readMine(base, code, texts, sum);
      const known = mine ?? [];
      if (code === null || mine === null)
        code = await withRetries(
          () => becomeSender(base, form),
          () => (sum.textContent = texts.retrying ?? ''),
        );
      storeCode(base, code);
      const items = [...chosen].map(([path, file]) => addRow(list, path, file, texts));
      chosen.clear();
      await sendAll(items, (item) => sendFile(base, code ?? '', item, known, texts), sum, texts);
      showCode(sum, base, code, texts);
    } catch (error) {
      sum.textContent = error instanceof Error ? error.message : String(error);
      sum.setAttribute('role', 'alert');
    } finally {
      if (button !== null) button.disabled = false;
    }
  }
}

/** Sends some at once; one that is refused does not hold up the others. */
async function sendAll(
  items: readonly Item[],
  send: (item: Item) => Promise<void>,
  sum: HTMLElement,
  texts: Texts,
): Promise<void> {
  const all = items.reduce((bytes, { file }) => bytes + file.size, 0);
  const timer = setInterval(() => {
    const sent = items.reduce((bytes, { bar }) => bytes + bar.value, 0);
    sum.textContent = `${texts.total}: ${percent(sent, all)}`;
  }, 500);
  const waiting = [...items];
  const work = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      try {
        await send(item);
        item.state.textContent = texts.complete ?? '';
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        item.state.textContent = `${texts.refused}: ${why}`;
        item.state.className = 'warning';
      }
    }
  };
  await Promise.all(Array.from({ length: FILES_AT_ONCE }, work));
  clearInterval(timer);
}

/** Sends one file from where it stands; connections that break are waited for. */
async function sendFile(
  base: string,
  code: string,
  item: Item,
  known: readonly Known[],
  texts: Texts,
): Promise<void> {
  const { file, path, bar, state } = item;
  const isNamed = ({ name, size }: Known) => name === path.normalize('NFC') && size === file.size;
  let [begun, tries]: [Known | undefined, number] = [undefined, 0];
  const upload = await withRetries(
    async () => {
      // What broke off may have begun the file all the same, or brought all of it.
      const mine = (tries++ > 0 ? await readReceipt(base, code) : known).filter(isNamed);
      begun = mine.find(({ isComplete }) => !isComplete);
      for (const { sha256 } of mine) if (await hasDigest(file, sha256)) return null;
      if (begun === undefined) return create(base, code, item);
      // A file without a byte is sent below.
      return file.size === 0 ? uploadOf(begun.href, new Headers()) : look(begun.href, code);
    },
    () => (state.textContent = texts.retrying ?? ''),
  );
  if (upload === null) {
    bar.value = file.size;
    return;
  }
  let { offset } = upload;
  let failures = 0;
  state.textContent = texts.sending ?? '';
  while (offset < file.size || (file.size === 0 && begun !== undefined)) {
    bar.value = offset;
    try {
      offset = await sendPiece(upload, code, file, offset, (sent) => (bar.value = offset + sent));
      failures = 0;
      state.textContent = texts.sending ?? '';
    } catch (error) {
      const waitMs = RETRY_MS[failures++];
      if (!isPassing(error) || waitMs === undefined) throw error;
      state.textContent = texts.retrying ?? '';
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      offset = (await look(upload.href, code).catch(() => ({ offset }))).offset;
    }
    if (file.size === 0) break;
  }
  bar.value = file.size;
}

/** What the sender has sent; null: nobody has that code. A code outlives a broken connection. */
async function readMine(
  base: string,
  code: string,
  texts: Texts,
  sum: HTMLElement,
): Promise<readonly Known[] | null> {
  try {
    return await withRetries(
      () => readReceipt(base, code),
      () => (sum.textContent = texts.retrying ?? ''),
    );
  } catch (error) {
    if (error instanceof Refusal && error.status === 403) return null;
    throw error;
  }
}

/** XMLHttpRequest, because fetch does not say how much has left. */
function sendPiece(
  { href, pieceBytes }: Upload,
  code: string,
  file: File,
  offset: number,
  onSent: (bytes: number) => void,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('PATCH', href);
    const headers = {
      ...headersOf(code),
      'upload-offset': `${offset}`,
      'content-type': 'application/offset+octet-stream',
    };
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => onSent(loaded);
    request.onerror = () => reject(new Refusal(0, ''));
    request.onload = () => {
      const next = Number(request.getResponseHeader('upload-offset') ?? Number.NaN);
      if (request.status === 204 && next >= offset) resolve(next);
      else reject(new Refusal(request.status, messageOf(request.responseText)));
    };
    request.send(file.slice(offset, offset + pieceBytes));
  });
}

async function create(base: string, code: string, { file, path }: Item): Promise<Upload> {
  const metadata = [`relativePath ${base64(path)}`, `filename ${base64(file.name)}`];
  if (file.type !== '') metadata.push(`filetype ${base64(file.type)}`);
  const reply = await fetch(`${base}/files`, {
    method: 'POST',
    headers: {
      ...headersOf(code),
      'upload-length': `${file.size}`,
      'upload-metadata': metadata.join(','),
    },
  });
  const href = reply.headers.get('location');
  if (reply.status === 201 && href !== null) return uploadOf(href, reply.headers);
  throw new Refusal(reply.status, messageOf(await reply.text()));
}

/** Asks how far a file has come. */
async function look(href: string, code: string): Promise<Upload> {
  const reply = await fetch(href, { method: 'HEAD', headers: headersOf(code) });
  if (!reply.ok) throw new Refusal(reply.status, '');
  return uploadOf(href, reply.headers);
}

const uploadOf = (href: string, headers: Headers): Upload => ({
  href,
  offset: Number(headers.get('upload-offset') ?? 0),
  pieceBytes: Math.max(PIECE_BYTES, Number(headers.get('x-quayside-drop-least-piece') ?? 0)),
});

async function becomeSender(base: string, form: HTMLFormElement): Promise<string> {
  const said = new FormData(form);
  const textOf = (name: string) => said.get(name) ?? '';
  const reply = await fetch(`${base}/senders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: textOf('name'), mail: textOf('mail'), note: textOf('note') }),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Refusal(reply.status, messageOf(text));
  return (JSON.parse(text) as { code: string }).code;
}

async function readReceipt(base: string, code: string): Promise<readonly Known[]> {
  const files: Known[] = [];
  for (let after = ''; ; ) {
    const query = after === '' ? '' : `?after=${encodeURIComponent(after)}`;
    const reply = await fetch(`${base}/receipt${query}`, { headers: headersOf(code) });
    const text = await reply.text();
    if (!reply.ok) throw new Refusal(reply.status, messageOf(text));
    const page = JSON.parse(text) as { files: Known[]; next: string | null };
    files.push(...page.files);
    if (page.next === null) return files;
    after = page.next;
  }
}

/** Files of an earlier visit that a browser can only read when they are chosen again. */
async function showUnfinished(
  base: string,
  code: string,
  texts: Texts,
  sum: HTMLElement,
): Promise<void> {
  const known = await readReceipt(base, code).catch(() => []);
  const names = known.filter(({ isComplete }) => !isComplete).map(({ name }) => name);
  if (names.length > 0) sum.textContent = `${texts.chooseAgain} ${names.slice(0, 20).join(', ')}`;
}

function addFolderPicker(form: HTMLFormElement, picker: HTMLInputElement, texts: Texts): void {
  const folder = picker.cloneNode() as HTMLInputElement;
  folder.id = 'folder';
  folder.name = '';
  folder.webkitdirectory = true;
  folder.required = false;
  // Whether one of both is filled is seen when the form is sent.
  picker.required = false;
  const label = element('label', 'label');
  label.setAttribute('for', 'folder');
  label.textContent = texts.folder ?? '';
  const field = element('div', 'field');
  field.append(label, folder);
  picker.parentElement?.after(field);
  form.dataset.script = 'on';
}

function addDropTarget(form: HTMLFormElement, add: (path: string, file: File) => void): void {
  let timer = 0;
  form.addEventListener('dragover', (event) => event.preventDefault());
  form.addEventListener('drop', (event) => {
    event.preventDefault();
    const take = (path: string, file: File) => {
      add(path, file);
      // Files of a folder come one by one: they are sent once no more come.
      clearTimeout(timer);
      timer = window.setTimeout(() => form.requestSubmit(), SETTLED_MS);
    };
    for (const item of event.dataTransfer?.items ?? []) {
      const entry = item.webkitGetAsEntry();
      if (entry !== null) walk(entry, '', take);
    }
  });
}

/** Files of a folder come a hundred at a time, and each by itself. */
function walk(entry: FileSystemEntry, base: string, add: (path: string, file: File) => void): void {
  const path = base + entry.name;
  if (entry.isFile) (entry as FileSystemFileEntry).file((file) => add(path, file));
  if (!entry.isDirectory) return;
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const read = () =>
    reader.readEntries((entries) => {
      for (const each of entries) walk(each, `${path}/`, add);
      if (entries.length > 0) read();
    });
  read();
}

function addRow(list: HTMLElement, path: string, file: File, texts: Texts): Item {
  const row = element('li', '');
  const name = element('bdi', '');
  name.textContent = path;
  const bar = document.createElement('progress');
  bar.max = Math.max(1, file.size);
  bar.value = 0;
  bar.setAttribute('aria-label', path);
  const state = element('span', 'faint');
  state.textContent = texts.waiting ?? '';
  row.append(name, bar, state);
  list.append(row);
  return { file, path, bar, state };
}

/** A button that leads to the receipt: by POST, so that no address has the code. */
function receiptForm(base: string, code: string, texts: Texts): HTMLElement {
  const form = document.createElement('form');
  Object.assign(form, { method: 'post', enctype: 'multipart/form-data', action: base });
  const field = document.createElement('input');
  Object.assign(field, { type: 'hidden', name: 'code', value: code });
  const button = element('button', 'button secondary');
  button.textContent = texts.showReceipt ?? '';
  form.className = 'drop-receipt';
  form.append(field, button);
  return form;
}

function showCode(sum: HTMLElement, base: string, code: string, texts: Texts): void {
  const shown = document.createElement('code');
  shown.textContent = code;
  sum.replaceChildren(`${texts.yourCode}: `, shown, ` ${texts.keepCode}`);
  if (document.querySelector('.drop-receipt') === null) sum.after(receiptForm(base, code, texts));
}

function element(tag: string, className: string): HTMLElement {
  const made = document.createElement(tag);
  if (className !== '') made.className = className;
  return made;
}

const headersOf = (code: string) => ({ ...TUS, 'x-quayside-drop-code': code });
const percent = (part: number, whole: number) =>
  `${whole === 0 ? 100 : Math.floor((100 * part) / whole)} %`;

function base64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

function messageOf(text: string): string {
  try {
    return String((JSON.parse(text) as { message?: unknown }).message ?? text);
  } catch {
    return text.slice(0, 200);
  }
}

// Last, when everything above is there.
const form = document.querySelector<HTMLFormElement>('form[data-drop]');
if (form !== null) enhance(form);
