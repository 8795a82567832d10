// Objects of gigabytes that cost the disk a few pieces: the pieces are stored once, and an object
// is made of them by copies of parts, which repeat what is pointed at and no byte.
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  PutObjectCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { createClient } from '../../wire/kit/clients/client.ts';
import type { WireTarget } from '../../wire/kit/clients/target.ts';

/** What is repeated: at least 5 MiB, but for the last of all. */
export type Piece = { readonly body: Uint8Array; readonly times: number };

type Place = { readonly bucket: string; readonly key: string; readonly contentType: string };

/** Copies of parts that are asked for at once. */
const AT_ONCE = 8;

/** Stores an object of pieces, each as often as it says; its size in bytes. */
export async function putOfPieces(
  target: WireTarget,
  { bucket, key, contentType }: Place,
  pieces: readonly Piece[],
): Promise<number> {
  const s3 = createClient(target).sdk();
  const sources: string[] = [];
  for (const [index, { body, times }] of pieces.entries()) {
    const name = `${key}.piece-${index}`;
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key: name, Body: body }));
    sources.push(...Array.from({ length: times }, () => name));
  }
  const place = { Bucket: bucket, Key: key };
  const begun = new CreateMultipartUploadCommand({ ...place, ContentType: contentType });
  const { UploadId } = await s3.send(begun);
  const etags: (string | undefined)[] = [];
  let next = 0;
  const copyParts = async () => {
    while (next < sources.length) {
      const index = next++;
      const CopySource = `${bucket}/${sources[index]}`;
      const part = { ...place, UploadId, PartNumber: index + 1, CopySource };
      const { CopyPartResult } = await s3.send(new UploadPartCopyCommand(part));
      etags[index] = CopyPartResult?.ETag;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, copyParts));
  const Parts = etags.map((ETag, index) => ({ ETag, PartNumber: index + 1 }));
  const list = { ...place, UploadId, MultipartUpload: { Parts } };
  await s3.send(new CompleteMultipartUploadCommand(list));
  for (const Key of new Set(sources)) {
    await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key }));
  }
  return pieces.reduce((sum, { body, times }) => sum + body.length * times, 0);
}
