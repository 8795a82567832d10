import { describe, expect, it } from 'vitest';
import type { BucketLocation } from '../../../../../src/domain/locations/bucket-locations.ts';
import type { BucketName } from '../../../../../src/domain/nouns.ts';
import { all, codeOf, one } from '../../kit/responses.ts';
import { createTestSurface, OWNER, type Sent } from '../../kit/surface.ts';

const { send } = createTestSurface();

describe('CreateBucket', () => {
  const make = (name: string, sent: Partial<Sent> = {}) =>
    send({ method: 'PUT', path: `/${name}`, ...sent });
  const located = (region: string) =>
    `<CreateBucketConfiguration><LocationConstraint>${region}</LocationConstraint>` +
    '</CreateBucketConfiguration>';

  it('answers with the place, and 200 to the owner again', async () => {
    const reply = await make('made');
    expect([reply.status, reply.headers.location, reply.text]).toEqual([200, '/made', '']);
    await send({ method: 'PUT', path: '/made/k', body: 'x' });
    expect((await make('made', { headers: { 'x-amz-acl': 'private' } })).status).toBe(200);
    expect(codeOf(await make('made', { headers: { 'x-amz-acl': 'public-read' } }))).toEqual([
      409,
      'BucketAlreadyExists',
    ]);
    const other = { headers: { 'x-amz-object-ownership': 'BucketOwnerEnforced' } };
    expect(codeOf(await make('made', other))).toEqual([409, 'BucketAlreadyExists']);
    expect((await send({ path: '/made/k' })).text).toBe('x');
    // What is there stays as it is.
    expect(all((await send({ path: '/made', query: { acl: '' } })).text, 'Permission')).toEqual([
      'FULL_CONTROL',
    ]);
  });

  it('keeps names for those who have them', async () => {
    expect(codeOf(await make('made', { as: 'stranger' }))).toEqual([409, 'BucketAlreadyExists']);
    expect(codeOf(await make('nobodys', { as: 'nobody' }))).toEqual([403, 'AccessDenied']);
    expect(codeOf(await make('Bad_Name'))).toEqual([400, 'InvalidBucketName']);
  });

  it('gives the ACL that it is asked for, or none', async () => {
    await make('public', { headers: { 'x-amz-acl': 'public-read' } });
    expect(all((await send({ path: '/public', query: { acl: '' } })).text, 'Permission')).toEqual([
      'READ',
      'FULL_CONTROL',
    ]);
    expect(codeOf(await make('open', { headers: { 'x-amz-acl': 'x' } }))).toEqual([
      400,
      'InvalidArgument',
    ]);
    expect((await send({ method: 'HEAD', path: '/open' })).status).toBe(404);
  });

  it.each(['eu-west-1', 'us-east-1', 'auto', 'EU', ''])(
    'takes the location %j where it is everywhere',
    async (region) => {
      expect((await make('located', { body: located(region) })).status).toBe(200);
    },
  );

  describe('on a platform with locations', () => {
    const notedOf = async (
      constraint: string | null,
      bucketLocation: BucketLocation | 'near',
      name = 'bucket',
    ) => {
      const surface = createTestSurface({ settings: { bucketLocation } });
      const body = constraint === null ? '' : located(constraint);
      const reply = await surface.send({ method: 'PUT', path: `/${name}`, body });
      expect(reply.status).toBe(200);
      const { directory } = surface.core.ports;
      return (await directory.call('getBucketName', { name: name as BucketName }))?.location;
    };

    it.each([
      ['weur', 'weur'],
      ['WEUR', 'weur'],
      ['eu', 'eu'],
      ['eu-central-1', 'weur'],
      ['us-west-2', 'wnam'],
      ['ap-southeast-2', 'oc'],
      ['auto', null],
      ['my-own', null],
      [null, null],
    ])('%j lives in %j', async (constraint, location) => {
      expect(await notedOf(constraint, 'near')).toBe(location);
    });

    it('lives where the settings say when nobody chose', async () => {
      expect(await notedOf(null, 'us')).toBe('us');
      expect(await notedOf('apac', 'us')).toBe('apac');
    });

    it('is refused a jurisdiction while its name is in another one', async () => {
      const surface = createTestSurface({ settings: { bucketLocation: 'near' } });
      const put = (body: string) => surface.send({ method: 'PUT', path: '/bucket', body });
      expect((await put(located('weur'))).status).toBe(200);
      await surface.send({ method: 'DELETE', path: '/bucket' });
      expect(codeOf(await put(located('eu')))).toEqual([400, 'IllegalLocationConstraintException']);
      expect((await put(located('oc'))).status).toBe(200);
    });
  });

  it('refuses documents and locations that are none', async () => {
    expect(codeOf(await make('x-bucket', { body: '<CreateBucketConfiguration>' }))).toEqual([
      400,
      'MalformedXML',
    ]);
    expect(codeOf(await make('x-bucket', { body: located('not a region') }))).toEqual([
      400,
      'InvalidLocationConstraint',
    ]);
    const body = located('auto');
    expect(
      codeOf(
        await make('x-bucket', { body, headers: { 'content-md5': '1B2M2Y8AsgTpgAmY7PhCfg==' } }),
      ),
    ).toEqual([400, 'BadDigest']);
    expect((await send({ method: 'HEAD', path: '/x-bucket' })).status).toBe(404);
  });

  it('takes its own location only where it has one', async () => {
    const surface = createTestSurface({ region: 'eu-central-1' });
    const at = (region: string) =>
      surface.send({ method: 'PUT', path: '/homely', body: located(region) });
    expect(codeOf(await at('eu-west-1'))).toEqual([400, 'IllegalLocationConstraintException']);
    for (const region of ['eu-central-1', 'us-east-1', 'auto'])
      expect((await at(region)).status).toBe(200);
  });
});

describe('the region', () => {
  it.each([
    ['auto', 'auto'],
    ['eu-central-1', 'eu-central-1'],
    ['us-east-1', ''],
  ])('%s is %j for GetBucketLocation, and its name for HeadBucket', async (region, shown) => {
    const surface = createTestSurface({ region });
    await surface.send({ method: 'PUT', path: '/homely' });
    const location = await surface.send({ path: '/homely', query: { location: '' } });
    expect(location.text).toContain(`>${shown}</LocationConstraint>`);
    expect(
      (await surface.send({ method: 'HEAD', path: '/homely' })).headers['x-amz-bucket-region'],
    ).toBe(region);
  });
});

describe('HeadBucket and DeleteBucket', () => {
  it('know what is there and who asks', async () => {
    await send({ method: 'PUT', path: '/short-lived' });
    const as = async (
      who: 'owner' | 'stranger' | 'nobody',
      method: string,
      path = '/short-lived',
    ) => (await send({ method, path, as: who })).status;
    expect([
      await as('owner', 'HEAD'),
      await as('stranger', 'HEAD'),
      await as('nobody', 'HEAD'),
    ]).toEqual([200, 403, 403]);
    expect([await as('stranger', 'DELETE'), await as('nobody', 'DELETE')]).toEqual([403, 403]);
    await send({ method: 'PUT', path: '/short-lived/k', body: 'x' });
    expect(codeOf(await send({ method: 'DELETE', path: '/short-lived' }))).toEqual([
      409,
      'BucketNotEmpty',
    ]);
    await send({ method: 'DELETE', path: '/short-lived/k' });
    expect(await as('owner', 'DELETE')).toBe(204);
    expect([
      await as('owner', 'HEAD'),
      await as('nobody', 'HEAD'),
      await as('owner', 'DELETE'),
    ]).toEqual([404, 404, 404]);
  });

  it('expect the owner that their header names', async () => {
    await send({ method: 'PUT', path: '/expected' });
    const head = (owner: string) =>
      send({
        method: 'HEAD',
        path: '/expected',
        headers: { 'x-amz-expected-bucket-owner': owner },
      });
    expect([(await head(OWNER.id)).status, (await head('other')).status]).toEqual([200, 403]);
  });
});

describe('ListBuckets', () => {
  const page = (query: Record<string, string> = {}, as: 'owner' | 'stranger' = 'stranger') =>
    send({ path: '/', query, as });

  it('pages in order, by prefix, with a token of its own', async () => {
    for (const name of ['s-c', 's-a', 's-b', 't-a'])
      await send({ method: 'PUT', path: `/${name}`, as: 'stranger' });
    expect(all((await page()).text, 'Name')).toEqual(['s-a', 's-b', 's-c', 't-a']);
    const first = await page({ prefix: 's-', 'max-buckets': '2' });
    expect([all(first.text, 'Name'), one(first.text, 'Prefix')]).toEqual([['s-a', 's-b'], 's-']);
    const token = one(first.text, 'ContinuationToken') ?? '';
    const rest = await page({ prefix: 's-', 'max-buckets': '2', 'continuation-token': token });
    expect([all(rest.text, 'Name'), one(rest.text, 'ContinuationToken')]).toEqual([
      ['s-c'],
      undefined,
    ]);
    expect(all((await page({ 'continuation-token': '' })).text, 'Name')).toHaveLength(4);
    const full = await page({ prefix: 's-', 'max-buckets': '3' });
    expect([all(full.text, 'Name').length, one(full.text, 'ContinuationToken')]).toEqual([
      3,
      undefined,
    ]);
  });

  it('shows the region when it is asked anything, and filters by it', async () => {
    expect(all((await page()).text, 'BucketRegion')).toEqual([]);
    expect(all((await page({ prefix: 't' })).text, 'BucketRegion')).toEqual(['auto']);
    expect(all((await page({ 'bucket-region': 'auto' })).text, 'Name')).toHaveLength(4);
    expect(all((await page({ 'bucket-region': 'eu-west-1' })).text, 'Name')).toEqual([]);
  });

  it('refuses what it can not read', async () => {
    for (const query of [
      { 'max-buckets': '0' },
      { 'max-buckets': '10001' },
      { 'max-buckets': 'x' },
      { 'continuation-token': 'x' },
    ]) {
      expect(codeOf(await page(query as Record<string, string>))).toEqual([400, 'InvalidArgument']);
    }
    expect(codeOf(await send({ path: '/', as: 'nobody' }))).toEqual([403, 'AccessDenied']);
  });
});
