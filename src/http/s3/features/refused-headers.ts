// Headers that request something that the operation does not do: NotImplemented by name, so that no
// request is half understood. The operation table says which those are.
import { StorageError } from '../../../domain/errors.ts';
import type { Operation } from '../operations/table/operation.ts';
import { OPERATIONS } from '../operations/table/operations.ts';
import type { Feature } from './feature.ts';

export const REFUSED_HEADERS: Feature = {
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
