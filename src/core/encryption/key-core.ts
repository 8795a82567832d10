// What opening keys needs of the core: less than all of it, for who has no whole platform at hand.
import type { Ports } from '../../ports/index.ts';
import type { CoreSettings } from '../core.ts';

export type KeyCore = {
  readonly ports: Pick<Ports, 'directory' | 'clock'>;
  readonly settings: Pick<CoreSettings, 'masterKeys' | 'seededNamedKeys'>;
};
