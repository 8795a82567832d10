// The error for a parameter, header or element whose value is not one of those that
// S3 takes. Readers of documents, headers and queries throw it.
import { StorageError } from '../../../domain/errors.ts';

/** InvalidArgument with S3's elements ArgumentName and ArgumentValue. */
export function invalidArgument(name: string, value: string, detail: string): StorageError {
  return new StorageError('InvalidArgument', {
    detail,
    fields: { ArgumentName: name, ArgumentValue: value },
  });
}
