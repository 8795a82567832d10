export { BucketObject } from '../../src/adapters/cloudflare/bucket-object.ts';
export { DirectoryObject } from '../../src/adapters/cloudflare/directory-object.ts';
export default { fetch: () => new Response('stand-in') };
