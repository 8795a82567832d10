import { createWaitUntilBackground } from '../../src/adapters/cloudflare/requests/waituntil-background.ts';
import { createConsoleLog } from '../../src/adapters/shared/console-log.ts';
import { createIds } from '../../src/adapters/shared/ids.ts';
import { systemClock as clock } from '../../src/adapters/shared/system-clock.ts';
import { createUsageMeter } from '../../src/adapters/shared/usage-meter.ts';
import { systemContract } from '../contract/system.contract.ts';

const log = createConsoleLog(clock, 'info', () => {});
const ids = createIds(clock);
const background = createWaitUntilBackground(log);

systemContract({
  name: 'Workers',
  make: () => ({ clock, ids, log, background, meter: createUsageMeter(clock) }),
});
