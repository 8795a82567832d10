// A Response that only keeps what it is given. The runtime's own copies a whole body to make one,
// which would be most of the simulator's time; delivery needs no more than the constructor.

export class LightResponse {
  readonly body: unknown;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    body: unknown,
    init: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
  ) {
    this.body = body;
    this.status = init.status;
    this.headers = init.headers;
  }
}

/** Runs `work` with LightResponse in the place of the global Response. */
export async function withLightResponse<Result>(work: () => Promise<Result>): Promise<Result> {
  const original = globalThis.Response;
  globalThis.Response = LightResponse as unknown as typeof Response;
  try {
    return await work();
  } finally {
    globalThis.Response = original;
  }
}

/** The etag of an answer of delivery, as it stands in the header. */
export function etagOf(response: Response): string {
  return (response as unknown as LightResponse).headers.etag ?? '';
}

/** Reads a body that is a stream to its end, as a client does. */
export async function drain(response: Response): Promise<void> {
  const { body } = response as unknown as LightResponse;
  if (!(body instanceof ReadableStream)) return;
  const reader = body.getReader();
  while (!(await reader.read()).done);
}
