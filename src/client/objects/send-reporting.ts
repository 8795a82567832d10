// Sends a body by XMLHttpRequest, which alone tells a browser how much of it has
// left.

/** What is used of XMLHttpRequest, which not every platform has. */
type Xhr = {
  responseType: string;
  readonly status: number;
  readonly response: ArrayBuffer | null;
  readonly upload: { onprogress: ((event: { loaded: number }) => void) | null };
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getAllResponseHeaders(): string;
  send(body: Uint8Array<ArrayBuffer> | Blob): void;
  abort(): void;
};

const platform = globalThis as { XMLHttpRequest?: new () => Xhr };

export const canReport = (): boolean => platform.XMLHttpRequest !== undefined;

export type Reported = {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer> | Blob;
  readonly signal?: AbortSignal | undefined;
  readonly onSent: (bytes: number) => void;
};

/**
 * Behaves as fetch, where `canReport()` says so: rejects with a TypeError without a
 * response, with the signal's reason when aborted.
 */
export function sendReporting({ method, url, headers, body, signal, onSent }: Reported) {
  return new Promise<Response>((resolve, reject) => {
    const xhr = new (platform.XMLHttpRequest as new () => Xhr)();
    const stop = () => xhr.abort();
    xhr.open(method, url);
    xhr.responseType = 'arraybuffer';
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
    xhr.upload.onprogress = ({ loaded }) => onSent(loaded);
    xhr.onload = () => {
      signal?.removeEventListener('abort', stop);
      // A 204 must have no body at all.
      const body = xhr.response?.byteLength ? xhr.response : null;
      resolve(new Response(body, { status: xhr.status, headers: headersOf(xhr) }));
    };
    xhr.onerror = () => reject(new TypeError('The request got no response.'));
    xhr.onabort = () => reject(signal?.reason);
    signal?.addEventListener('abort', stop, { once: true });
    xhr.send(body);
  });
}

/**
 * Headers of lines like `name: value`.
 * Source: https://xhr.spec.whatwg.org/#the-getallresponseheaders()-method
 */
const headersOf = (xhr: Xhr): [string, string][] =>
  xhr
    .getAllResponseHeaders()
    .split('\r\n')
    .filter((line) => line !== '')
    .map((line) => line.split(/: (.*)/, 2) as [string, string]);
