// Markdown as HTML, in bounded time: a worker parses it, and is ended when it takes
// too long. Whoever stores a text can make one that is quadratic to parse.
import { scriptUrl } from '../../../app/script-url.ts';
import workerUrl from './markdown-worker.ts?worker&url';

/** How long a text may take, milliseconds. Measured: 512 KB of prose take 100. */
const PARSE_MAX_MS = 3000;
/** Tags that are shown: 40,000 took 0.9 s to clean and lay out, measured in Chromium. */
const TAGS_MAX = 40_000;

/** The HTML; null: it takes too long, or there is too much of it. */
export function parseMarkdown(text: string, signal: AbortSignal): Promise<string | null> {
  return new Promise((resolve) => {
    const worker = new Worker(scriptUrl(workerUrl), { type: 'module' });
    const end = (html: string | null) => {
      clearTimeout(timer);
      worker.terminate();
      resolve(html);
    };
    const timer = setTimeout(() => end(null), PARSE_MAX_MS);
    worker.addEventListener('message', ({ data }: MessageEvent<string>) => {
      end(hasManyTags(data) ? null : data);
    });
    // Brackets in brackets end the stack of the parser.
    worker.addEventListener('error', () => end(null));
    signal.addEventListener('abort', () => end(null));
    worker.postMessage(text);
  });
}

function hasManyTags(html: string): boolean {
  let tags = 0;
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at + 1)) tags++;
  return tags > TAGS_MAX;
}
