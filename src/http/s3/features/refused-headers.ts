// Headers that request something that the operation does not do: NotImplemented by
// name, so that no request is half understood. The operation table says which those
// are.
import { StorageError } from '../../../domain/errors.ts';
import { OPERATION_NAMES } from '../call/detect.ts';
import type { Operation } from '../operations/table/operation.ts';
import { OPERATIONS } from '../operations/table/operations.ts';
import type { Feature } from './feature.ts';

export const REFUSED_HEADERS: Feature = {
  operations: new Set(
    OPERATION_NAMES.filter((name) => (OPERATIONS[name] satisfies Operation).rejects.length > 0),
  ),

  screen(call) {
    const { rejects }: Operation = OPERATIONS[call.operation];
    for (const name of rejects) {
      if (call.header(name) === null) continue;
      throw new StorageError('NotImplemented', {
        detail: `The header ${name} implies functionality that is not implemented.`,
        fields: { Header: name },
      });
    }
  },
};
