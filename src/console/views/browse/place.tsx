// A folder or an object, as its address says: a slash at the end, or `?prefix=`, means
// a folder.
import { readAhead } from '../../api/query.ts';
import { lazy } from '../../app/lazy.tsx';
import { query, readObjectPath } from '../../app/router.ts';
import { TopBar } from '../../app/top-bar.tsx';
import { Folder } from './folder.tsx';
import { PathField } from './path/path-field.tsx';
import { firstPageOf } from './use-folder.ts';

const ObjectPage = lazy(() => import('../object/object.tsx'));

function readPlace() {
  const { bucket, key } = readObjectPath();
  const isObject = query.value.get('key') !== null || !(key === '' || key.endsWith('/'));
  return { bucket, key, isObject };
}

export function begin(): void {
  const { bucket, key, isObject } = readPlace();
  if (!isObject) readAhead(...firstPageOf(bucket, key));
}

export default function Place() {
  const { bucket, key, isObject } = readPlace();
  if (isObject) return <ObjectPage />;
  return (
    <>
      <TopBar>
        <PathField bucket={bucket} path={key} />
      </TopBar>
      <Folder key={`${bucket}/${key}`} bucket={bucket} prefix={key} />
    </>
  );
}
