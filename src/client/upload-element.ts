// <quayside-upload>: a drop zone and the list of an upload queue, for pages without
// a framework. Its own entry, `quayside/upload-element`. The page makes the queue
// and gives it: the element only shows it, and hands on what people do.

import type { Dropped } from './queue/dropped-files.ts';
import type { QueueItem } from './queue/queue-item.ts';
import type { UploadQueue } from './queue/upload-queue.ts';

type Verb = 'pause' | 'resume' | 'retry' | 'cancel';

/** What it says; set `texts` for another language. */
export const ENGLISH = {
  choose: 'Choose files',
  drop: 'or drop files and folders here',
  pause: 'Pause',
  resume: 'Resume',
  retry: 'Try again',
  cancel: 'Cancel',
  waiting: 'waiting',
  sending: 'sending',
  paused: 'paused',
  done: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
  'needs-file': 'choose this file again to go on',
  summary: (done: number, files: number, percent: number) =>
    `${done} of ${files} files, ${percent} %`,
  more: (count: number) => `and ${count} more`,
};
export type UploadTexts = typeof ENGLISH;

/** Rows shown at once; a page with more of them is slow, and nobody reads them. */
const ROWS_MAX = 200;

const VERBS: Readonly<Record<QueueItem['state'], readonly Verb[]>> = {
  waiting: ['pause', 'cancel'],
  sending: ['pause', 'cancel'],
  paused: ['resume', 'cancel'],
  failed: ['retry', 'cancel'],
  'needs-file': ['cancel'],
  done: [],
  cancelled: [],
};

const PAGE = `<style>
:host{display:block;font:inherit;border:2px dashed #8888;border-radius:8px;padding:1rem}
:host([over]){border-color:currentColor}
ul{list-style:none;margin:.5rem 0 0;padding:0}
li{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;padding:.25rem 0}
li span{flex:1 1 12rem;overflow-wrap:anywhere}
button{font:inherit;min-height:2rem}
</style><button part="choose"></button> <span part="drop"></span><input type="file" multiple hidden>
<p part="summary" role="status"></p><ul part="list"></ul><p part="more"></p>`;

/** Pages that are rendered on a server have no elements. */
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

export class QuaysideUpload extends Base {
  #queue: UploadQueue | null = null;
  #stop: () => void = () => {};
  #rows = new Map<string, Row>();
  texts: UploadTexts = ENGLISH;
  /**
   * Set by the page: reads a drop, `droppedFiles` of quayside/client. Without it:
   * files alone.
   */
  readDrop: ((dropped: Dropped) => Promise<Parameters<UploadQueue['add']>[0]>) | null = null;

  get queue(): UploadQueue | null {
    return this.#queue;
  }

  set queue(queue: UploadQueue | null) {
    this.#stop();
    this.#queue = queue;
    this.#stop = queue?.subscribe(() => this.#show()) ?? (() => {});
    this.#show();
  }

  connectedCallback(): void {
    if (this.shadowRoot === null) this.#build(this.attachShadow({ mode: 'open' }));
    this.#show();
  }

  #build(root: ShadowRoot): void {
    root.innerHTML = PAGE;
    const input = root.querySelector('input');
    const button = root.querySelector('button');
    if (input === null || button === null) return;
    button.onclick = () => input.click();
    input.onchange = () => {
      this.#queue?.add(input.files ?? []);
      input.value = '';
    };
    input.webkitdirectory = this.hasAttribute('folder');
    this.ondragover = (event) => {
      event.preventDefault();
      this.toggleAttribute('over', true);
    };
    this.ondragleave = () => this.toggleAttribute('over', false);
    this.ondrop = async (event) => {
      event.preventDefault();
      this.toggleAttribute('over', false);
      const { dataTransfer } = event;
      if (dataTransfer === null) return;
      const files = this.readDrop?.(dataTransfer) ?? [...dataTransfer.files];
      this.#queue?.add(await files);
    };
  }

  #show(): void {
    const { shadowRoot: root, texts } = this;
    if (root === null) return;
    const { items, totals } = this.#queue?.getSnapshot() ?? { items: [], totals: null };
    const say = (part: string, text: string) => {
      const place = root.querySelector(`[part=${part}]`);
      if (place !== null && place.textContent !== text) place.textContent = text;
    };
    const { sizeBytes = 0, sentBytes = 0 } = totals ?? {};
    const percent = sizeBytes === 0 ? 100 : Math.floor((100 * sentBytes) / sizeBytes);
    say('choose', texts.choose);
    say('drop', texts.drop);
    say('summary', totals?.files ? texts.summary(totals.states.done, totals.files, percent) : '');
    say('more', items.length > ROWS_MAX ? texts.more(items.length - ROWS_MAX) : '');
    const shown = items.slice(0, ROWS_MAX);
    const ids = new Set(shown.map(({ id }) => id));
    for (const [id, row] of this.#rows) {
      if (ids.has(id)) continue;
      row.element.remove();
      this.#rows.delete(id);
    }
    for (const item of shown) {
      const row = this.#rows.get(item.id) ?? this.#addRow(root, item);
      row.show(item, texts);
    }
  }

  #addRow(root: ShadowRoot, { id }: QueueItem): Row {
    const row = makeRow((verb) => void this.#queue?.[verb]([id]));
    this.#rows.set(id, row);
    root.querySelector('ul')?.append(row.element);
    return row;
  }
}

type Row = { readonly element: HTMLElement; show(item: QueueItem, texts: UploadTexts): void };

function makeRow(act: (verb: Verb) => void): Row {
  const element = document.createElement('li');
  const name = document.createElement('span');
  const bar = document.createElement('progress');
  const buttons = document.createElement('div');
  element.append(name, bar, buttons);
  let shown: QueueItem | null = null;
  return {
    element,
    show(item, texts) {
      if (item === shown) return;
      const isNew = item.state !== shown?.state;
      shown = item;
      bar.max = Math.max(1, item.sizeBytes);
      bar.value = item.state === 'done' ? bar.max : item.sentBytes;
      if (!isNew) return;
      const why = item.error === null ? '' : `: ${item.error.message} ${item.error.hint}`;
      name.textContent = `${item.path} – ${texts[item.state]}${why}`;
      bar.setAttribute('aria-label', item.path);
      buttons.replaceChildren(
        ...VERBS[item.state].map((verb) => {
          const button = document.createElement('button');
          button.textContent = texts[verb];
          button.setAttribute('aria-label', `${texts[verb]} ${item.path}`);
          button.onclick = () => act(verb);
          return button;
        }),
      );
    },
  };
}

if (globalThis.customElements?.get('quayside-upload') === undefined) {
  globalThis.customElements?.define('quayside-upload', QuaysideUpload);
}
