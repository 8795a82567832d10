// With the lane, with the fast path behind node:http, and without either, every request must get
// the same answer, byte for byte but for date and id. A few thousand conversations here; `npm run
// bench -- fast-path-fuzz` runs more than a hundred thousand.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  CAPPED_TARGETS,
  connectTo,
  createStockedCore,
  GONE_TARGETS,
  HOSTED_HOSTS,
  openTestServers,
  RULED_TARGETS,
  settle,
} from './both-paths.ts';
import { compareServers, listen, type TcpPorts, type TestServers } from './compare-paths.ts';
import {
  type Conversation,
  makeConversation,
  makePlainRequest,
  type TagsByKey,
} from './fuzz-requests.ts';
import { HOSTED_TARGETS } from './fuzz-vocabulary.ts';
import { makeSignedConversation, SIGNERS, signedWarmUp } from './signed-requests.ts';
import { warmUp, warmUpWith } from './warm-up.ts';

/** Conversations of one run. */
const CONVERSATIONS = 1200;
/** Conversations of signed reads. */
const SIGNED_CONVERSATIONS = 500;
/**
 * Conversations that also go over real sockets, which node:http reads past JavaScript once it has
 * them.
 */
const TCP_CONVERSATIONS = 250;
/** Plain requests that are cut at every byte. */
const CUT_REQUESTS = 5;

// Some seconds alone, more where everything else runs too.
vi.setConfig({ testTimeout: 60_000 });

let doors: TestServers;
/** The fast path without the lane, in the lane's place. */
let behind: TestServers;
let ports: TcpPorts;
let etags: TagsByKey;
beforeAll(async () => {
  const core = await createStockedCore();
  const opened = openTestServers(core, SIGNERS);
  doors = opened;
  behind = { withLane: opened.behind, without: opened.without };
  etags = await warmUp(doors.without);
  await warmUpWith(signedWarmUp(), [doors.without, doors.withLane, behind.withLane]);
  ports = await listen(doors);
});
afterAll(() => {
  for (const { server } of [doors.withLane, behind.withLane, doors.without]) {
    server.close();
    server.closeAllConnections();
  }
});

/** Every path at every host, as browsers, programs and other sites ask for it. */
function hostedVisits(): Conversation[] {
  const visitors = [
    '',
    'Sec-Fetch-Mode: navigate\r\nAccept: text/html\r\n',
    'Sec-Fetch-Mode: no-cors\r\nReferer: http://friend.test/\r\n',
    'Referer: http://evil.test/\r\nAccept: image/png\r\n',
    'Origin: http://h\r\n',
  ];
  return HOSTED_HOSTS.flatMap((host) =>
    HOSTED_TARGETS.flatMap((target) =>
      ['GET', 'HEAD'].flatMap((method) =>
        visitors.map((headers) => [
          Buffer.from(`${method} ${target} HTTP/1.1\r\nHost: ${host}\r\n${headers}\r\n`),
        ]),
      ),
    ),
  );
}

describe('the fast path', () => {
  it('answers as node:http does, whatever comes', async () => {
    const conversations = Array.from({ length: CONVERSATIONS }, (_, seed) =>
      makeConversation(seed, etags),
    );
    const before = doors.withLane.fastPathResponses();
    expect((await compareServers(conversations, doors)).slice(0, 3)).toEqual([]);
    // A lane that hands everything over would pass as well.
    expect(doors.withLane.fastPathResponses() - before).toBeGreaterThan(CONVERSATIONS / 10);
  });

  it('answers every page of a hosted site so', async () => {
    const conversations = hostedVisits();
    const before = doors.withLane.fastPathResponses();
    expect((await compareServers(conversations, doors)).slice(0, 3)).toEqual([]);
    expect(doors.withLane.fastPathResponses() - before).toBeGreaterThan(conversations.length / 4);
  });

  it('answers so what some readers may have and others not', async () => {
    const readers = [
      '',
      'Referer: http://friend.test/a\r\n',
      'Referer: http://evil.test/\r\nUser-Agent: Mozilla/5.0\r\n',
    ];
    const conversations = RULED_TARGETS.flatMap((target) =>
      ['GET', 'HEAD'].flatMap((method) =>
        readers.map((headers) => [
          Buffer.from(`${method} ${target} HTTP/1.1\r\nHost: h\r\n${headers}\r\n`),
        ]),
      ),
    );
    const before = doors.withLane.fastPathResponses();
    expect((await compareServers(conversations, doors)).slice(0, 3)).toEqual([]);
    // What is everyone's, by policy or by its own list, or nobody's, six times each.
    expect(doors.withLane.fastPathResponses() - before).toBe(30);
  });

  it('answers so what a cap allows and what it does not', async () => {
    const conversations = CAPPED_TARGETS.flatMap((target) =>
      ['GET', 'HEAD'].flatMap((method) =>
        ['', 'Range: bytes=0-1\r\n', 'Accept-Encoding: br\r\n'].map((header) => [
          Buffer.from(`${method} ${target} HTTP/1.1\r\nHost: h\r\n${header}\r\n`),
        ]),
      ),
    );
    const before = doors.withLane.fastPathResponses();
    expect((await compareServers(conversations, doors)).slice(0, 3)).toEqual([]);
    // At least what is far from its cap, and what has no body.
    expect(doors.withLane.fastPathResponses() - before).toBeGreaterThan(conversations.length / 4);
    const line = connectTo(doors.withLane);
    line.client.write('GET /spent/inline HTTP/1.1\r\nHost: h\r\n\r\n');
    await settle([line]);
    expect(line.received().toString()).toContain('UsageCapReached');
    line.client.destroy();
  });

  it('answers so what is not there, is closed, or is not as it was wanted', async () => {
    const wanted = [
      '',
      'Accept: */*\r\n',
      'Accept: text/html\r\n',
      'Range: bytes=99-\r\n',
      'If-Match: "x"\r\n',
      'If-Unmodified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n',
      'If-Modified-Since: Sun, 06 Nov 2094 08:49:37 GMT\r\n',
    ];
    const conversations = GONE_TARGETS.flatMap((target) =>
      ['GET', 'HEAD'].flatMap((method) =>
        wanted.map((headers) => [
          Buffer.from(`${method} ${target} HTTP/1.1\r\nHost: h\r\n${headers}\r\n`),
        ]),
      ),
    );
    const before = doors.withLane.fastPathResponses();
    expect((await compareServers(conversations, doors)).slice(0, 3)).toEqual([]);
    // All but the pages for people: one GET of each but the object that is there, whose body other
    // conversations may have pushed out of memory.
    const pages = GONE_TARGETS.length - 1;
    const bodies = 3;
    const answered = doors.withLane.fastPathResponses() - before;
    expect(answered).toBeGreaterThanOrEqual(conversations.length - pages - bodies);
  });

  it('answers signed reads so', async () => {
    const conversations = Array.from({ length: SIGNED_CONVERSATIONS }, (_, seed) =>
      makeSignedConversation(seed, etags),
    );
    expect((await compareServers(conversations, doors)).slice(0, 3)).toEqual([]);
    expect(doors.withLane.signedAnswers()).toBeGreaterThan(SIGNED_CONVERSATIONS / 5);
  });

  it('does so over TCP', async () => {
    const conversations = Array.from({ length: TCP_CONVERSATIONS }, (_, seed) =>
      makeConversation(seed, etags),
    );
    expect((await compareServers(conversations, doors, { ports })).slice(0, 3)).toEqual([]);
  });

  it('answers requests that come in two pieces, wherever they are cut', async () => {
    const conversations: Conversation[] = [];
    for (let seed = 0; seed < CUT_REQUESTS; seed++) {
      const request = makePlainRequest(seed, etags);
      // The one in front is the lane's; so it lets go of the connection in the middle.
      for (let at = 1; at < request.length; at++) {
        conversations.push([request, request.subarray(0, at), request.subarray(at), request]);
      }
    }
    expect((await compareServers(conversations, doors)).slice(0, 3)).toEqual([]);
  });
});

describe('the fast path behind node:http', () => {
  it('answers as the app does, whatever comes', async () => {
    const conversations = Array.from({ length: CONVERSATIONS }, (_, seed) =>
      makeConversation(seed, etags),
    );
    expect((await compareServers(conversations, behind)).slice(0, 3)).toEqual([]);
    expect(behind.withLane.fastPathResponses()).toBeGreaterThan(CONVERSATIONS / 10);
  });

  it('answers signed reads so', async () => {
    const conversations = Array.from({ length: SIGNED_CONVERSATIONS }, (_, seed) =>
      makeSignedConversation(seed, etags),
    );
    expect((await compareServers(conversations, behind)).slice(0, 3)).toEqual([]);
    // HEAD is not its.
    expect(behind.withLane.signedAnswers()).toBeGreaterThan(SIGNED_CONVERSATIONS / 8);
  });

  it('answers every page of a hosted site so', async () => {
    const conversations = hostedVisits();
    const before = behind.withLane.fastPathResponses();
    expect((await compareServers(conversations, behind)).slice(0, 3)).toEqual([]);
    // HEAD is not its.
    expect(behind.withLane.fastPathResponses() - before).toBeGreaterThan(conversations.length / 8);
  });
});
