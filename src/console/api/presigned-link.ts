// A link to a private object that works for whoever has it, until it ends.
import { client } from './client.ts';

/** How long it works, seconds: S3's longest, 7 days. */
const LINK_SECONDS = 604_800;

export async function presignedLink(
  bucket: string,
  key: string,
): Promise<{ readonly url: string; readonly endsAt: string }> {
  const { items, expiresAt } = await client.objects.presign(bucket, {
    body: { requests: [{ operation: 'get', key }], expiresSeconds: LINK_SECONDS },
  });
  return { url: items[0]?.url ?? '', endsAt: expiresAt };
}
