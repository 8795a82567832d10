// A Worker that keeps what is sent to it and gives it back: nothing is held in memory but a part.
// Cloudflare Workers, Deno (`deno serve`) and Bun run it as it is.
import { createClient, QuaysideError } from 'quayside/client';

export type Env = {
  readonly QUAYSIDE_ENDPOINT: string;
  readonly QUAYSIDE_ACCESS_KEY: string;
  readonly QUAYSIDE_SECRET_KEY: string;
  readonly QUAYSIDE_BUCKET: string;
};

async function answer(request: Request, env: Env): Promise<Response> {
  const client = createClient({
    endpoint: env.QUAYSIDE_ENDPOINT,
    accessKey: { id: env.QUAYSIDE_ACCESS_KEY, secret: env.QUAYSIDE_SECRET_KEY },
  });
  const bucket = env.QUAYSIDE_BUCKET;
  const key = decodeURIComponent(new URL(request.url).pathname.slice(1));
  const { signal } = request;

  if (request.method === 'PUT') {
    const contentType = request.headers.get('content-type') ?? undefined;
    const options = { contentType, ifNoneMatch: '*', signal } as const;
    const { etag } = await client.upload(bucket, key, request.body ?? '', options);
    return new Response(null, { status: 201, headers: { etag: `"${etag}"` } });
  }
  if (request.method === 'GET') {
    const { body, contentType } = await client.download(bucket, key, { signal });
    const headers = { 'content-type': contentType ?? 'application/octet-stream' };
    return new Response(body, { headers });
  }
  return new Response(null, { status: 405, headers: { allow: 'GET, PUT' } });
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    try {
      return await answer(request, env);
    } catch (error) {
      if (!(error instanceof QuaysideError)) throw error;
      const { code, message, hint } = error;
      return Response.json({ code, message, hint }, { status: error.status ?? 502 });
    }
  },
};
