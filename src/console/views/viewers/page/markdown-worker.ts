// Makes HTML of Markdown beside the page: some texts keep the parser busy for
// minutes, and whoever asked then ends this worker.
import { marked } from 'marked';

addEventListener('message', ({ data }: MessageEvent<string>) => {
  postMessage(marked.parse(data, { async: false, gfm: true }));
});
