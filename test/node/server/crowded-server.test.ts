// Connections beyond a limit: 64 of them at once, and one that has ended makes room.
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { expect, it } from 'vitest';
import { createCrowdedServer } from '../../../src/adapters/node/server/crowded-server.ts';

/** A connection on which nothing comes. */
const connection = () =>
  new Duplex({ read: () => {}, write: (_chunk, _coding, done) => done() }) as Socket;
const ended = (socket: Socket) => new Promise((resolve) => socket.destroy().once('close', resolve));

it('connections that have ended make room for as many others', async () => {
  const crowded = createCrowdedServer(createServer());
  const first = Array.from({ length: 64 }, connection);
  for (const socket of first) crowded.take(socket, 'server');
  await Promise.all(first.map(ended));

  const second = Array.from({ length: 64 }, connection);
  for (const socket of second) crowded.take(socket, 'server');
  expect(second.filter(({ destroyed }) => destroyed)).toEqual([]);

  crowded.take(connection(), 'server');
  expect(second.map(({ destroyed }) => destroyed).indexOf(true)).toBe(0);
  for (const socket of second) socket.destroy();
});

it('a connection of a crowded address ends before those that came to a full server', () => {
  const crowded = createCrowdedServer(createServer());
  const all = Array.from({ length: 64 }, connection);
  for (const [at, socket] of all.entries())
    crowded.take(socket, at === 40 || at === 50 ? 'address' : 'server');
  const isCut = () => [...all.keys()].filter((at) => all[at]?.destroyed);
  const more = [connection(), connection(), connection()];
  crowded.take(more[0] as Socket, 'server');
  expect(isCut()).toEqual([40]);
  for (const socket of [...all, ...more]) socket.destroy();
});
