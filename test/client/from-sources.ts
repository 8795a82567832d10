// Programs of examples/ import the client by its name, as users do. Started with `--import` of this
// file they get its sources, so that no test needs a build.
import { registerHooks } from 'node:module';

const ENTRIES: Readonly<Record<string, string>> = {
  'quayside/client': new URL('../../src/client/index.ts', import.meta.url).href,
  'quayside/upload-element': new URL('../../src/client/upload-element.ts', import.meta.url).href,
};

registerHooks({
  resolve: (specifier, context, next) => next(ENTRIES[specifier] ?? specifier, context),
});
