// What a project writes against the package's types; the package test hands it to tsc.
import { type Client, createClient, createUploadQueue, QuaysideError } from 'quayside/client';
import { ENGLISH, type QuaysideUpload } from 'quayside/upload-element';

const client: Client = createClient({ endpoint: 'http://127.0.0.1:9000', token: 'qst_1' });

export async function use(element: QuaysideUpload): Promise<string> {
  await client.buckets.create({ body: { name: 'photos' } });
  // @ts-expect-error A bucket needs a name.
  await client.buckets.create({ body: {} });
  // @ts-expect-error There is no such route.
  await client.request('GET /nothing');

  const bucket = await client.request('GET /buckets/{bucket}', { path: { bucket: 'photos' } });
  const created: string = bucket.createdAt;
  element.queue = createUploadQueue({ client, bucket: 'photos', storage: localStorage });
  try {
    const download = await client.download('photos', 'hello.txt');
    return `${created} ${await download.text()}`;
  } catch (error) {
    if (error instanceof QuaysideError) return `${error.code} ${error.status} ${error.hint}`;
    return ENGLISH.failed;
  }
}
