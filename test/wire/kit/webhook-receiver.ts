// A webhook's other end: takes what is POSTed to it, proves its signature as Standard Webhooks
// says, and answers as told.
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Received = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  // Tests look into messages whose shape is what they examine.
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what a test asserts
  readonly json: any;
};

export type Receiver = {
  readonly url: string;
  readonly received: Received[];
  /** What the next requests to a path are answered with; 200 after them. */
  answerNext(path: string, ...statuses: readonly number[]): void;
  /** Resolves with the messages as soon as there are so many. */
  until(count: number, of?: (message: Received) => boolean): Promise<Received[]>;
  close(): Promise<void>;
};

const WAIT_MS = 20_000;

/** Listens on a free port of the loopback address. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const statuses = new Map<string, number[]>();
  let wake = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => {
      const status = statuses.get(request.url ?? '')?.shift() ?? 200;
      received.push({
        path: request.url ?? '',
        headers: request.headers,
        text,
        json: JSON.parse(text),
      });
      response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end('fine');
      wake.resolve();
      wake = Promise.withResolvers();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    answerNext: (path, ...next) => void statuses.set(`/hook${path}`, [...next]),
    async until(count, of = () => true) {
      const endMs = Date.now() + WAIT_MS;
      for (;;) {
        const found = received.filter(of);
        if (found.length >= count) return found;
        const leftMs = endMs - Date.now();
        if (leftMs <= 0)
          throw new Error(
            `${found.length} of ${count} messages came: ` +
              `${received.map(({ text }) => text).join('\n')}`,
          );
        let timer: NodeJS.Timeout | undefined;
        const late = new Promise((resolve) => {
          timer = setTimeout(resolve, leftMs);
        });
        await Promise.race([wake.promise, late]);
        clearTimeout(timer);
      }
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Whether one of a message's signatures is of this secret (`whsec_…`). */
export function isSignedBy(secret: string, { headers, text }: Received): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`;
  const wanted = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  return `${headers['webhook-signature']}`.split(' ').includes(wanted);
}
