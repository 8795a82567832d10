// Does the fast path, or the fast path behind node:http, ever answer otherwise than the app? More
// than a hundred thousand generated conversations (valid, odd and broken requests, glued together
// or cut), and plain requests cut at every byte, to a server with the lane, to one with the door
// alone and to one without either, over the same objects; part of them over TCP. Exits with 1, and
// shows them, when two answers differ.

import { createStockedCore, openTestServers } from '../test/node/fast-path/both-paths.ts';
import {
  compareServers,
  type Difference,
  listen,
  type TcpPorts,
  type TestServers,
} from '../test/node/fast-path/compare-paths.ts';
import {
  type Conversation,
  makeConversation,
  makePlainRequest,
} from '../test/node/fast-path/fuzz-requests.ts';
import {
  makeSignedConversation,
  SIGNERS,
  signedWarmUp,
} from '../test/node/fast-path/signed-requests.ts';
import { warmUp, warmUpWith } from '../test/node/fast-path/warm-up.ts';
import { printTable } from './lib/table.ts';

const CONVERSATIONS = 100_000;
const TCP_CONVERSATIONS = 10_000;
const SIGNED_CONVERSATIONS = 20_000;
const CUT_REQUESTS = 200;
const TCP_CUT_REQUESTS = 20;
/** Another run, other requests: `FAST_PATH_FUZZ_SEED=7 npm run bench -- fast-path-fuzz`. */
const SEED = Number(process.env.FAST_PATH_FUZZ_SEED ?? 1) * 1_000_000;

const core = await createStockedCore();
const doors = openTestServers(core, SIGNERS);
const behind = { withLane: doors.behind, without: doors.without };
const etags = await warmUp(doors.without);
await warmUpWith(signedWarmUp(), [doors.without, doors.withLane, behind.withLane]);
const ports = await listen(doors);

function* generated(count: number): Iterable<Conversation> {
  for (let i = 0; i < count; i++) yield makeConversation(SEED + i, etags);
}

function* signed(count: number): Iterable<Conversation> {
  for (let i = 0; i < count; i++) yield makeSignedConversation(SEED + i, etags);
}

/** In two pieces behind a request that is the lane's, and before another. */
function* cut(count: number): Iterable<Conversation> {
  for (let i = 0; i < count; i++) {
    const request = makePlainRequest(SEED + i, etags);
    for (let at = 1; at < request.length; at++) {
      yield [request, request.subarray(0, at), request.subarray(at), request];
    }
  }
}

const rows: (string | number)[][] = [
  ['requests', 'conversations', 'answered by the fast path', 'differences'],
];
const differences: Difference[] = [];
async function run(
  name: string,
  conversations: Iterable<Conversation>,
  compared: TestServers,
  options: { ports?: TcpPorts } = {},
) {
  const { withLane } = compared;
  const answers = () => withLane.fastPathResponses() + withLane.signedAnswers();
  const before = answers();
  let count = 0;
  const counted = (function* () {
    for (const conversation of conversations) {
      count += 1;
      yield conversation;
    }
  })();
  const found = await compareServers(counted, compared, options);
  differences.push(...found);
  rows.push([name, count, answers() - before, found.length]);
}

await run('generated', generated(CONVERSATIONS), doors);
await run('generated, over TCP', generated(TCP_CONVERSATIONS), doors, { ports });
await run('plain, cut at every byte', cut(CUT_REQUESTS), doors);
await run('plain, cut at every byte, over TCP', cut(TCP_CUT_REQUESTS), doors, { ports });
await run('generated, behind node:http', generated(CONVERSATIONS), behind);
await run('signed', signed(SIGNED_CONVERSATIONS), doors);
await run('signed, behind node:http', signed(SIGNED_CONVERSATIONS), behind);
printTable(rows);
for (const difference of differences.slice(0, 5))
  process.stdout.write(`${JSON.stringify(difference, null, 1)}\n`);
process.exit(differences.length === 0 ? 0 : 1);
