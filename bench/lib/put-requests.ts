// Signed PUT requests that are made before the clock starts, and sent over plain sockets.
import type { Socket } from 'node:net';
import { AwsV4Signer } from 'aws4fetch';
import { checksumOf } from '../../src/crypto/digest-set.ts';
import { sha256Hex } from '../../src/crypto/hash.ts';
import { ACCESS_KEY, SECRET_KEY } from './servers.ts';

export const KEYS = {
  accessKeyId: ACCESS_KEY,
  secretAccessKey: SECRET_KEY,
  service: 's3',
  region: 'auto',
} as const;

export type Upload = { readonly head: Buffer; readonly body: Buffer };

/** `checksum`: CRC64NVME or CRC32C; any other name is none. */
export async function prepareUpload(
  url: string,
  body: Buffer,
  { checksum, isEncrypted }: { readonly checksum: string; readonly isEncrypted: boolean },
): Promise<Upload> {
  const headers = new Headers({ 'x-amz-content-sha256': sha256Hex(body) });
  if (checksum === 'CRC64NVME' || checksum === 'CRC32C')
    headers.set(`x-amz-checksum-${checksum.toLowerCase()}`, checksumOf(checksum, body));
  if (isEncrypted) headers.set('x-amz-server-side-encryption', 'AES256');
  const signer = new AwsV4Signer({ ...KEYS, url, method: 'PUT', headers });
  const signed = await signer.sign();
  const lines = [`PUT ${signed.url.pathname} HTTP/1.1`, `host: ${signed.url.host}`];
  for (const [name, value] of signed.headers) if (name !== 'host') lines.push(`${name}: ${value}`);
  lines.push(`content-length: ${body.length}`, '', '');
  return { head: Buffer.from(lines.join('\r\n')), body };
}

/** Sends one request and waits for its response, which has no body. Throws unless it is 200. */
export function sendUpload(socket: Socket, { head, body }: Upload): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    const onData = (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (!text.includes('\r\n\r\n')) return;
      socket.off('data', onData).off('error', reject);
      if (text.startsWith('HTTP/1.1 200')) resolve();
      else reject(new Error(text));
    };
    socket.on('data', onData).on('error', reject);
    socket.cork();
    socket.write(head);
    socket.write(body);
    socket.uncork();
  });
}
