// A program of a project that has the package: stores an object with the built client and reads it
// back. The package test runs it: node consumer.js URL ROOT_KEY_FILE.
import { readFileSync } from 'node:fs';
import { createClient } from 'quayside/client';

const [endpoint, keyFile] = process.argv.slice(2);
const { accessKey, secretKey } = JSON.parse(readFileSync(keyFile, 'utf8'));
const client = createClient({ endpoint, accessKey: { id: accessKey, secret: secretKey } });

await client.buckets.create({ body: { name: 'photos' } });
await client.upload('photos', 'hello.txt', 'Hello!', { contentType: 'text/plain' });
const download = await client.download('photos', 'hello.txt');
process.stdout.write(await download.text());
