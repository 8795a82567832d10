// The operations of the S3 surface, one entry each (operation.ts), in families.
// authorize-call.ts decides by it and runs the handlers; docs/s3-compatibility.md
// is made of it. A missing operation does not compile.
import type { OperationName } from '../../call/detect.ts';
import { ACCESS_OPERATIONS } from './access-operations.ts';
import { BUCKET_OPERATIONS } from './bucket-operations.ts';
import { OBJECT_OPERATIONS } from './object-operations.ts';
import type { Operation } from './operation.ts';
import { SETTING_OPERATIONS } from './setting-operations.ts';
import { UPLOAD_OPERATIONS } from './upload-operations.ts';

/** The whole table. A new operation goes into the family that it belongs to. */
export const OPERATIONS = {
  ...BUCKET_OPERATIONS,
  ...ACCESS_OPERATIONS,
  ...SETTING_OPERATIONS,
  ...OBJECT_OPERATIONS,
  ...UPLOAD_OPERATIONS,
} satisfies Record<OperationName, Operation>;
