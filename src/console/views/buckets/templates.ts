// What a new bucket is made for: each template sets what its words in i18n/…/buckets
// say, and nothing else.
import { client } from '../../api/client.ts';

export const TEMPLATES = ['private', 'assets', 'website', 'backups'] as const;
export type Template = (typeof TEMPLATES)[number];

export const opens = (template: Template): boolean =>
  template === 'assets' || template === 'website';

/** How long browsers remember that other sites may load files, seconds. */
const CORS_SECONDS = 86_400;
/** Days that the history of backups is kept, and unfinished uploads stay. */
export const HISTORY_DAYS = 30;
export const UPLOAD_DAYS = 7;
/** Objects and versions that a bucket of backups takes at most. */
export const BACKUP_OBJECTS_MAX = 1_000_000;

/** Sets a bucket up that was just made. It may be repeated. */
export async function applyTemplate(bucket: string, template: Template): Promise<void> {
  if (opens(template)) {
    await client.request('PUT /buckets/{bucket}/public-access', {
      path: { bucket: bucket },
      body: { prefix: '', what: 'read' },
      ifMatch: '*',
    });
  }
  if (template === 'assets') {
    const rule = {
      allowedMethods: ['GET' as const, 'HEAD' as const],
      allowedOrigins: ['*'],
      maxAgeSeconds: CORS_SECONDS,
    };
    await client.buckets.update(bucket, { body: { cors: [rule] }, ifMatch: '*' });
  }
  if (template === 'website') {
    const hosting = { indexDocument: 'index.html', errorDocument: '404.html' };
    await client.buckets.update(bucket, { body: { hosting }, ifMatch: '*' });
  }
  if (template === 'backups') {
    const rule = {
      id: 'keep-history',
      noncurrentExpiration: { noncurrentDays: HISTORY_DAYS },
      abortUploadsAfterDays: UPLOAD_DAYS,
    };
    const quota = { objects: BACKUP_OBJECTS_MAX };
    const body = { versioning: 'enabled' as const, lifecycle: [rule], quota };
    await client.buckets.update(bucket, { body, ifMatch: '*' });
  }
}
