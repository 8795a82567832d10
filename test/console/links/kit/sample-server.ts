// A server of sample pages: `/{sample}` is the page of a view, with the headers and the files that
// the service sends. Pictures that the pages show are drawn here; forms are answered with what they
// brought.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';
import { createConsoleFolder } from '../../../../src/adapters/node/services/console-folder.ts';
import { createLinkFiles } from '../../../../src/http/links/page/link-files.ts';
import { pageVisit } from '../../../../src/http/links/page/page-visit.ts';
import { sendPage } from '../../../../src/http/links/page/send-page.ts';
import { sharePage } from '../../../../src/http/links/page/share/share-page.ts';
import type { HttpRequest } from '../../../../src/http/request.ts';
import { makeRequest } from '../../../http/s3/kit/make-request.ts';
import { regattaFiles } from '../../kit/demo-files.ts';
import { SHARE_SAMPLES } from './share-samples.ts';

export type SampleServer = {
  readonly url: string;
  /** `GET /-/s/… ` and `POST /-/s/… pick=a` of what was asked for beside pages and their files. */
  readonly asked: readonly string[];
  stop(): Promise<void>;
};

const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" ' +
  'rx="16" fill="#14384a"/><path d="M8 22 16 6l8 16z" fill="#fff"/></svg>';

export async function startSampleServer(): Promise<SampleServer> {
  const files = createLinkFiles(createConsoleFolder());
  const regatta = new Map((await regattaFiles()).map(({ key, bytes }) => [key, bytes]));
  const grey = await sharp({
    create: { width: 600, height: 400, channels: 3, background: '#8898a0' },
  })
    .jpeg()
    .toBuffer();
  const asked: string[] = [];

  async function answer(request: HttpRequest): Promise<Response> {
    const { rawPath } = request;
    if (request.method === 'POST')
      return new Response('Received', { headers: { 'content-type': 'text/plain' } });
    if (rawPath === '/logo.svg')
      return new Response(LOGO, { headers: { 'content-type': 'image/svg+xml' } });
    if (rawPath.startsWith('/-/link-files/'))
      return files.answer(request, rawPath.slice('/-/link-files/'.length), 'request-1');
    const view = SHARE_SAMPLES[rawPath.slice(1)];
    if (view === undefined) {
      if (!rawPath.startsWith('/-/s/')) return new Response(null, { status: 404 });
      const name = decodeURIComponent(rawPath.slice(rawPath.lastIndexOf('/') + 1));
      const bytes = regatta.get(name) ?? (name.endsWith('.jpg') ? grey : new Uint8Array());
      const type = name.endsWith('.jpg') ? 'image/jpeg' : 'application/octet-stream';
      return new Response(bytes, { headers: { 'content-type': type } });
    }
    const visit = pageVisit(request, await files.filesOf('share'), '7f3c91ab20de');
    return sendPage(request, sharePage(view, visit), visit.requestId);
  }

  const server = createServer(async (incoming, outgoing) => {
    const { method = 'GET', url: target = '/' } = incoming;
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    if (target.startsWith('/-/s/') || method === 'POST')
      asked.push(`${method} ${target} ${body}`.trimEnd());
    const headers = Object.fromEntries(
      Object.entries(incoming.headers).map(([name, value]) => [name, `${value}`]),
    );
    try {
      const response = await answer(makeRequest({ method, target, headers }));
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      outgoing.end(Buffer.from(await response.arrayBuffer()));
    } catch (error) {
      outgoing.writeHead(500).end(String(error));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
