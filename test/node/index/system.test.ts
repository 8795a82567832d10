import { createConsoleLog } from '../../../src/adapters/shared/console-log.ts';
import { createIds } from '../../../src/adapters/shared/ids.ts';
import { systemClock } from '../../../src/adapters/shared/system-clock.ts';
import { createTrackedBackground } from '../../../src/adapters/shared/tracked-background.ts';
import { createUsageMeter } from '../../../src/adapters/shared/usage-meter.ts';
import { systemContract } from '../../contract/system.contract.ts';

systemContract({
  name: 'node',
  make() {
    const log = createConsoleLog(systemClock, 'info', () => {});
    const background = createTrackedBackground(log);
    return {
      clock: systemClock,
      ids: createIds(systemClock),
      background,
      log,
      meter: createUsageMeter(systemClock),
    };
  },
});
