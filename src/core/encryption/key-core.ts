// The part of the core that unwrapping keys needs. Callers without a whole platform
// have it too, such as the check of a data folder.
import type { Ports } from '../../ports/index.ts';
import type { CoreSettings } from '../core.ts';

/** The ports and settings that keys are wrapped and unwrapped with. */
export type KeyCore = {
  readonly ports: Pick<Ports, 'directory' | 'clock'>;
  readonly settings: Pick<CoreSettings, 'masterKeys' | 'seededKmsKeys'>;
};
