// When the object of a bucket reports that its room gets less: once for each level, again only
// after it had fallen well below, and once more where nobody knows whether the report came through.
import { expect, it } from 'vitest';
import { createObjectAlarm } from '../../../src/adapters/cloudflare/durable-objects/object-alarm.ts';
import { createRoomAlarm } from '../../../src/adapters/cloudflare/durable-objects/room-alarm.ts';

function createWorld() {
  const stored = { level: 0, alarmAtMs: null as number | null };
  const reported: number[] = [];
  const world = {
    usedBytes: 0,
    nowMs: 1_000_000,
    fails: null as 'report' | 'store' | null,
    errors: 0,
    stored,
    reported,
    /** A life of the object. */
    begin() {
      const alarm = createObjectAlarm(
        {
          setAlarm: async (atMs) => {
            stored.alarmAtMs = atMs;
          },
          deleteAlarm: async () => {
            stored.alarmAtMs = null;
          },
        },
        stored.alarmAtMs,
      );
      const room = createRoomAlarm({
        bucket: 'photos',
        slot: alarm.slot(),
        room: () => ({ usedBytes: world.usedBytes, maxBytes: 1000 }),
        level: stored.level,
        async storeLevel(level) {
          if (world.fails === 'store') throw new Error('expected by the test');
          stored.level = level;
        },
        async report({ percent, usedPercent, usedBytes, maxBytes }) {
          if (world.fails === 'report') throw new Error('expected by the test');
          expect([usedPercent, usedBytes, maxBytes]).toEqual([
            world.usedBytes / 10,
            world.usedBytes,
            1000,
          ]);
          reported.push(percent);
        },
        nowMs: () => world.nowMs,
        log: {
          info: () => undefined,
          error: () => {
            world.errors += 1;
          },
        },
      });
      return {
        /** A command that leaves so much in use, and the alarm if it is due. */
        async fill(usedBytes: number) {
          world.usedBytes = usedBytes;
          room.look();
          if (stored.alarmAtMs === null || stored.alarmAtMs > world.nowMs) return;
          stored.alarmAtMs = null;
          alarm.wentOff();
          await room.run();
        },
      };
    },
  };
  return world;
}

it('the alarm reports each level once, over several lives of the object', async () => {
  const world = createWorld();
  for (const usedBytes of [10, 699, 700, 701, 840]) await world.begin().fill(usedBytes);
  expect(world.reported).toEqual([70]);
  const object = world.begin();
  for (const usedBytes of [850, 949, 849, 850, 960, 999]) await object.fill(usedBytes);
  expect(world.reported).toEqual([70, 85, 95]);
  expect(world.errors).toBe(0);
});

it('an object sets no alarm where no level is passed', async () => {
  const world = createWorld();
  const object = world.begin();
  for (const usedBytes of [0, 500, 699]) await object.fill(usedBytes);
  expect(world.stored).toEqual({ level: 0, alarmAtMs: null });
});

it('the alarm skips what is passed at once, and reports again what was left', async () => {
  const world = createWorld();
  const object = world.begin();
  await object.fill(970);
  expect(world.reported).toEqual([95]);
  await object.fill(931);
  await object.fill(950);
  expect(world.reported).toEqual([95]);
  await object.fill(100);
  expect(world.stored.level).toBe(0);
  await world.begin().fill(720);
  expect(world.reported).toEqual([95, 70]);
});

it.each(['report', 'store'] as const)('the alarm tries again after a failing %s', async (step) => {
  const world = createWorld();
  const object = world.begin();
  world.fails = step;
  await object.fill(720);
  expect(world.errors).toBe(1);
  world.fails = null;
  await object.fill(721);
  expect(world.stored.level).toBe(0);
  world.nowMs += 60_000;
  await object.fill(722);
  await object.fill(723);
  expect(world.reported).toEqual(step === 'report' ? [70] : [70, 70]);
  expect(world.stored).toEqual({ level: 70, alarmAtMs: null });
});
