// A model of the protocol that moves a range of keys between two neighbouring shards
// (ADR 53), and a search through all states that it can reach. Two keys; the shard
// `left` has both at first, key 1 goes to `right` and comes back. Every step of the
// mover, of two writers and of a reader is one transaction of one shard, and all
// orders of these steps are explored. The mover may crash between any two steps, and
// each of its messages may come late, again, or never. In a second scenario the owner
// changes the bucket's record meanwhile, which `left` has as the root.

/** A step of the protocol that is left out, to prove that the model notices. */
export type LeftOut =
  | 'writes wait for the frozen slice'
  | 'rows arrive before they are given up'
  | 'shards refuse callers with an old map'
  | 'old slices are refused'
  | 'only what was given up is adopted'
  | 'a slice is given up under its own epoch'
  | 'a list goes on where its last part ended'
  | 'every shard hears of a new record'
  | 'a record older than a shard knows is read again';

type Slice = { readonly from: number; readonly to: number };
type Values = readonly (number | null)[];
type Incoming = Slice & { readonly epoch: number; readonly values: Values };

/** What a shard has stored. `revision` moves on with each change but that of a value. */
type Shard = Slice & {
  readonly revision: number;
  readonly values: Values;
  readonly frozen: (Slice & { readonly epoch: number }) | null;
  readonly incoming: Incoming | null;
  /** The epoch under which it gave up a slice last, and adopted one last. */
  readonly gave: number;
  readonly adopted: number;
  /** The bucket's record: its number in the root, the last that another has heard of. */
  readonly record: number;
};
type Side = 'left' | 'right';
type Shards = Readonly<Record<Side, Shard>>;

/** What a shard may be told. A freeze names the revision that it was decided on. */
type Command =
  | { readonly do: 'freeze'; readonly revision: number; readonly slice: Slice }
  | { readonly do: 'import'; readonly incoming: Incoming }
  | { readonly do: 'giveUp'; readonly isUpperEnd: boolean; readonly epoch: number }
  | { readonly do: 'adopt' | 'thaw'; readonly epoch: number };
/** A message of the mover. */
type Message = Command & { readonly to: Side };

type Mover = {
  /** Borders that are reached one after the other, and how many are. */
  readonly reached: number;
  readonly exported: { readonly epoch: number; readonly values: Values } | null;
  readonly thawsLeft: number;
  readonly lossesLeft: number;
};

type Call =
  | { readonly do: 'write'; readonly key: number; readonly value: number }
  | { readonly do: 'read'; readonly key: number }
  | { readonly do: 'list'; readonly shown: readonly number[]; readonly cursor: number }
  | { readonly do: 'change record' | 'report record' | 'answer' };
/** A call on keys, which one shard after the other carries out. */
type KeyCall = Extract<Call, { do: 'write' | 'read' | 'list' }>;
/** What a client has read of a shard. */
type View = Omit<Shard, 'values' | 'incoming' | 'adopted'> & { readonly incomingEpoch: number };
/** What a client does by the two shards that it has read, each at a time of its own. */
type Plan =
  | {
      readonly do: 'call';
      readonly side: Side;
      readonly revision: number;
      readonly to: number;
      /** The record that the caller decided on. */
      readonly record: number;
    }
  | { readonly do: 'adopt'; readonly side: Side; readonly epoch: number };
type Client = {
  readonly calls: readonly Call[];
  readonly left: View | null;
  readonly plan: Plan | null;
};

type State = {
  readonly shards: Shards;
  readonly mover: Mover;
  readonly clients: readonly Client[];
  /** Messages that may still come, or come again. */
  readonly late: readonly Message[];
  /** What each key has by the order of the writes, whichever shard took them. */
  readonly truth: Values;
  /** The record whose owner was answered: nobody may act on an older one any more. */
  readonly answered: number;
};

const KEYS = 2;
const BORDERS = [1, 2];
const SIDES = ['left', 'right'] as const;
const other = (side: Side): Side => (side === 'left' ? 'right' : 'left');
const has = ({ from, to }: Slice, key: number): boolean => from <= key && key < to;

class Violation extends Error {}

const EMPTY: Shard = {
  revision: 1,
  from: 2,
  to: 2,
  values: [null, null],
  frozen: null,
  incoming: null,
  gave: 0,
  adopted: 0,
  record: 1,
};
const startOf = (calls: readonly Call[]): Client => ({ calls, left: null, plan: null });
const WRITE: Call = { do: 'write', key: 1, value: 1 };

/** Who does what while the mover moves key 1 over and back. */
const SCENARIOS = {
  keys: [
    startOf([WRITE]),
    startOf([{ ...WRITE, value: 2 }]),
    startOf([
      { do: 'read', key: 1 },
      { do: 'list', shown: [], cursor: 0 },
    ]),
  ],
  record: [
    startOf([WRITE, { ...WRITE, value: 2 }]),
    startOf([{ do: 'change record' }, { do: 'report record' }, { do: 'answer' }]),
  ],
} as const satisfies Record<string, readonly Client[]>;
export type Scenario = keyof typeof SCENARIOS;

const firstOf = (scenario: Scenario): State => ({
  shards: { left: { ...EMPTY, from: 0, values: [0, 0] }, right: EMPTY },
  mover: { reached: 0, exported: null, thawsLeft: 1, lossesLeft: 1 },
  clients: SCENARIOS[scenario],
  late: [],
  truth: [0, 0],
  answered: 1,
});

/** The values of the keys in a slice, null for the others. */
const within = (slice: Slice, values: Values): Values =>
  values.map((value, key) => (has(slice, key) ? value : null));

/** One transaction of a shard; the same shard: it refused, or had done it before. */
function execute(shard: Shard, message: Command, leftOut: LeftOut | null): Shard {
  const { revision, frozen, incoming } = shard;
  switch (message.do) {
    case 'freeze': {
      const epoch = revision + 1;
      return message.revision === revision && frozen === null
        ? { ...shard, revision: epoch, frozen: { ...message.slice, epoch } }
        : shard;
    }
    case 'thaw':
      return frozen?.epoch === message.epoch
        ? { ...shard, revision: revision + 1, frozen: null }
        : shard;
    case 'import': {
      const { epoch } = message.incoming;
      const isOld = epoch <= shard.adopted || epoch <= (incoming?.epoch ?? 0);
      return isOld && leftOut !== 'old slices are refused'
        ? shard
        : { ...shard, revision: revision + 1, incoming: message.incoming };
    }
    case 'giveUp': {
      if (frozen === null) return shard;
      const isOwn = frozen.epoch === message.epoch;
      if (!isOwn && leftOut !== 'a slice is given up under its own epoch') return shard;
      const { isUpperEnd } = message;
      return {
        ...shard,
        revision: revision + 1,
        from: isUpperEnd ? shard.from : frozen.to,
        to: isUpperEnd ? frozen.from : shard.to,
        values: shard.values.map((value, key) => (has(frozen, key) ? null : value)),
        frozen: null,
        gave: message.epoch,
      };
    }
    case 'adopt': {
      if (incoming === null || incoming.epoch !== message.epoch) return shard;
      return {
        ...shard,
        revision: revision + 1,
        from: Math.min(shard.from, incoming.from),
        to: Math.max(shard.to, incoming.to),
        values: shard.values.map((value, key) =>
          has(incoming, key) ? (incoming.values[key] ?? null) : value,
        ),
        incoming: null,
        adopted: incoming.epoch,
      };
    }
  }
}

const views = new WeakMap<Shard, View>();

/** What a client reads of a shard; the same of the same one, so that states are alike soon. */
function view(shard: Shard): View {
  const known = views.get(shard);
  if (known !== undefined) return known;
  const { values: _values, incoming, adopted: _adopted, ...rest } = shard;
  const made = { ...rest, incomingEpoch: incoming?.epoch ?? -1 };
  views.set(shard, made);
  return made;
}

/** The shard that may adopt what its neighbour has given up, by what somebody has read. */
function receiverOf(seen: Readonly<Record<Side, View>>): Side | null {
  if (seen.left.to >= seen.right.from) return null;
  return SIDES.find((side) => seen[side].incomingEpoch === seen[other(side)].gave) ?? null;
}

const viewsOf = ({ left, right }: Shards) => ({ left: view(left), right: view(right) });

/** What the mover does next, by what the shards have stored: it remembers next to nothing. */
function nextOfMover(state: State, leftOut: LeftOut | null): Message | 'export' | 'go on' | null {
  const { shards, mover } = state;
  const goal = BORDERS[mover.reached];
  if (goal === undefined) return null;
  const receiver = receiverOf(viewsOf(shards));
  if (receiver !== null) return { to: receiver, do: 'adopt', epoch: shards[other(receiver)].gave };
  const border = shards.left.to;
  if (border === goal) return 'go on';
  const from: Side = border > goal ? 'left' : 'right';
  const to = other(from);
  const { frozen, revision } = shards[from];
  const slice = { from: Math.min(border, goal), to: Math.max(border, goal) };
  if (frozen === null) return { to: from, do: 'freeze', revision, slice };
  if (mover.exported?.epoch !== frozen.epoch) return 'export';
  const { epoch } = frozen;
  const incoming = { ...slice, ...mover.exported };
  if (shards[to].incoming?.epoch !== epoch && leftOut !== 'rows arrive before they are given up')
    return { to, do: 'import', incoming };
  const isAdopted = leftOut === 'only what was given up is adopted';
  const isUpperEnd = from === 'left';
  return isAdopted ? { to, do: 'adopt', epoch } : { to: from, do: 'giveUp', isUpperEnd, epoch };
}

function withShard(state: State, side: Side, shard: Shard): State {
  return shard === state.shards[side]
    ? state
    : { ...state, shards: { ...state.shards, [side]: shard } };
}

function withLate(state: State, message: Message): State {
  const text = JSON.stringify(message);
  const isKnown = state.late.some(
    (one) => one.do === message.do && one.to === message.to && JSON.stringify(one) === text,
  );
  return isKnown ? state : { ...state, late: [...state.late, message] };
}

function stepsOfMover(state: State, leftOut: LeftOut | null): State[] {
  const { shards, mover } = state;
  const steps = state.late.map((message) =>
    withShard(state, message.to, execute(shards[message.to], message, leftOut)),
  );
  if (mover.exported !== null) steps.push({ ...state, mover: { ...mover, exported: null } });
  const next = nextOfMover(state, leftOut);
  if (next === null) return steps;
  if (next === 'go on') {
    const reached = mover.reached + 1;
    return [...steps, { ...state, mover: { ...mover, reached, exported: null } }];
  }
  const source = SIDES.find((side) => shards[side].frozen !== null);
  const frozen = source === undefined ? null : shards[source].frozen;
  if (next === 'export') {
    if (source === undefined || frozen === null) return steps;
    const exported = { epoch: frozen.epoch, values: within(frozen, shards[source].values) };
    return [...steps, { ...state, mover: { ...mover, exported } }];
  }
  const sent = withLate(state, next);
  steps.push(withShard(sent, next.to, execute(shards[next.to], next, leftOut)));
  if (mover.lossesLeft > 0) {
    const lossesLeft = mover.lossesLeft - 1;
    steps.push({ ...sent, mover: { ...mover, exported: null, lossesLeft } });
  }
  if (source !== undefined && frozen !== null && mover.thawsLeft > 0) {
    const thaw: Message = { to: source, do: 'thaw', epoch: frozen.epoch };
    const thawed = withShard(withLate(state, thaw), source, execute(shards[source], thaw, leftOut));
    steps.push({ ...thawed, mover: { ...mover, thawsLeft: mover.thawsLeft - 1 } });
  }
  return steps;
}

/** What a client does next, once it has read both shards; null: it reads them again. */
function planOf(call: KeyCall, seen: Record<Side, View>, leftOut: LeftOut | null): Plan | null {
  const key = call.do === 'list' ? call.cursor : call.key;
  const isFixed = call.do === 'list' && leftOut === 'a list goes on where its last part ended';
  const bySide = key === 0 ? 'left' : 'right';
  const side = isFixed ? bySide : SIDES.find((one) => has(seen[one], key));
  if (side === undefined) {
    const receiver = receiverOf(seen);
    return receiver && { do: 'adopt', side: receiver, epoch: seen[other(receiver)].gave };
  }
  const { frozen, revision, to } = seen[side];
  const { record } = seen.left;
  const isOlder = record < seen[side].record;
  if (isOlder && leftOut !== 'a record older than a shard knows is read again') return null;
  const isFrozen = call.do === 'write' && frozen !== null && has(frozen, key);
  if (isFrozen && leftOut !== 'writes wait for the frozen slice') return null;
  return { do: 'call', side, revision, to, record };
}

/** The call after a shard has carried it out; null: it is over. */
function carryOut(
  call: KeyCall,
  planned: { to: number; record: number },
  { truth, answered }: State,
  shard: Shard,
): Call | null {
  if (planned.record < answered) throw new Violation('a caller acted on an older record');
  if (call.do === 'write') return null;
  if (call.do === 'read') {
    if (shard.values[call.key] !== truth[call.key]) throw new Violation('a read saw the past');
    return null;
  }
  const slice = { from: call.cursor, to: planned.to };
  const part = shard.values.flatMap((value, key) =>
    value !== null && has(slice, key) ? [key] : [],
  );
  const shown = [...call.shown, ...part];
  if (planned.to < KEYS) return { ...call, shown, cursor: planned.to };
  if (shown.join() !== '0,1') throw new Violation(`a list showed the keys ${shown.join()}`);
  return null;
}

function restOf([, ...others]: readonly Call[], after: Call | null): readonly Call[] {
  return after === null ? others : [after, ...others];
}

/** The owner of the bucket changes its record, which is the root's, and no other's. */
function changeRecord(state: State, what: Call['do'], leftOut: LeftOut | null): State {
  const { left, right } = state.shards;
  if (what === 'answer') return { ...state, answered: left.record };
  const side: Side = what === 'change record' ? 'left' : 'right';
  if (side === 'right' && leftOut === 'every shard hears of a new record') return state;
  const { revision } = state.shards[side];
  const record = side === 'left' ? left.record + 1 : left.record;
  const isNews = side === 'left' || record > right.record;
  const shard = { ...state.shards[side], revision: revision + 1, record };
  return isNews ? withShard(state, side, shard) : state;
}

function stepOfClient(state: State, at: number, leftOut: LeftOut | null): State[] {
  const client = state.clients[at];
  const call = client?.calls[0];
  if (client === undefined || call === undefined) return [];
  const { shards } = state;
  const { left, plan } = client;
  const put = (from: State, next: Partial<Client>): State => ({
    ...from,
    clients: from.clients.map((one, place) => (place === at ? { ...one, ...next } : one)),
  });
  if (call.do !== 'write' && call.do !== 'read' && call.do !== 'list') {
    const rest = put(state, { calls: client.calls.slice(1) });
    return [changeRecord(rest, call.do, leftOut)];
  }
  if (plan === null && left === null) return [put(state, { left: view(shards.left) })];
  if (plan === null && left !== null) {
    const seen = { left, right: view(shards.right) };
    return [put(state, { left: null, plan: planOf(call, seen, leftOut) })];
  }
  if (plan === null) return [];
  const shard = shards[plan.side];
  const idle = put(state, { plan: null });
  if (plan.do === 'adopt') return [withShard(idle, plan.side, execute(shard, plan, leftOut))];
  const isOld = shard.revision !== plan.revision;
  if (isOld && leftOut !== 'shards refuse callers with an old map') return [idle];

  const after = carryOut(call, plan, state, shard);
  const done = put(idle, { calls: restOf(client.calls, after) });
  if (call.do !== 'write') return [done];
  const write = (values: Values) =>
    values.map((value, key) => (key === call.key ? call.value : value));
  const written = withShard(done, plan.side, { ...shard, values: write(shard.values) });
  return [{ ...written, truth: write(state.truth) }];
}

/**
 * Forgets what can have no effect any more: late messages of epochs that are over, and
 * plans that will be refused. Both would go on as without it, so no behaviour is lost.
 */
function prune(state: State): State {
  const { shards } = state;
  const lasting = state.late.filter((message) => {
    const { revision, frozen, incoming, adopted } = shards[message.to];
    if (message.do === 'freeze') return message.revision === revision;
    if (message.do === 'import')
      return message.incoming.epoch > Math.max(adopted, incoming?.epoch ?? 0);
    if (message.do === 'adopt') return message.epoch > adopted;
    return frozen?.epoch === message.epoch;
  });
  const clients = state.clients.map((client) => {
    const { plan } = client;
    if (plan === null) return client;
    const { revision, incoming } = shards[plan.side];
    const isAlive =
      plan.do === 'call' ? plan.revision === revision : incoming?.epoch === plan.epoch;
    return isAlive ? client : { ...client, plan: null };
  });
  const late = lasting.length === state.late.length ? state.late : lasting;
  const isSame = late === state.late && clients.every((one, at) => one === state.clients[at]);
  return isSame ? state : { ...state, late, clients };
}

/** Exactly one shard has each key, with what was written last. */
function check({ shards, truth }: State): void {
  for (const [key, value] of truth.entries()) {
    const owners = SIDES.filter((side) => has(shards[side], key));
    if (owners.length > 1) throw new Violation(`two shards own key ${key}`);
    const [owner] = owners;
    const receiver = owner === undefined ? receiverOf(viewsOf(shards)) : null;
    const incoming = receiver === null ? null : shards[receiver].incoming;
    if (owner === undefined && (incoming === null || !has(incoming, key)))
      throw new Violation(`nobody owns key ${key}`);
    const stored = owner === undefined ? incoming?.values[key] : shards[owner].values[key];
    if (stored !== value) throw new Violation(`a write to key ${key} is lost`);
  }
}

export type Exploration = {
  readonly states: number;
  /** What is wrong, and in how many states after the first it was reached; null: nothing. */
  readonly violation: string | null;
  /** States from which not everybody can come to an end. */
  readonly stuck: number;
};

/** Steps that guard against what comes late: without them late messages do have effects. */
const LATE: ReadonlySet<LeftOut> = new Set([
  'shards refuse callers with an old map',
  'old slices are refused',
  'a slice is given up under its own epoch',
]);

/** Names states by the numbers of their members, each of which stands in many states. */
function createNaming(): (state: State) => string {
  const byObject = new WeakMap<object, string>();
  const byText = new Map<string, string>();
  const numberOf = (member: object | null): string => {
    if (member === null) return '-';
    const known = byObject.get(member);
    if (known !== undefined) return known;
    const text = JSON.stringify(member);
    const number = byText.get(text) ?? `${byText.size}`;
    byText.set(text, number);
    byObject.set(member, number);
    return number;
  };
  const nameOf = ({ calls, left, plan }: Client): string => {
    const planned = plan === null ? '' : Object.values(plan).join();
    return `${numberOf(calls)} ${numberOf(left)} ${planned}`;
  };
  return ({ shards: { left, right }, mover, clients, late, truth, answered }) => {
    const numbers = [left, right, mover, late].map(numberOf).join(' ');
    return `${numbers} ${answered} ${truth.join()} ${clients.map(nameOf).join()}`;
  };
}

/** Goes through every state that can be reached, up to the first violation. */
export function explore(scenario: Scenario, leftOut: LeftOut | null): Exploration {
  const first = firstOf(scenario);
  const nameOf = createNaming();
  const isPruned = leftOut === null || !LATE.has(leftOut);
  const numbers = new Map<string, number>([[nameOf(first), 0]]);
  const states: State[] = [first];
  const comesFrom: number[][] = [[]];
  const ends: number[] = [];
  for (let at = 0; at < states.length; at++) {
    const state = states[at] as State;
    // Only its number is needed from here on.
    delete states[at];
    const isOver = BORDERS[state.mover.reached] === undefined;
    if (isOver && state.clients.every(({ calls }) => calls.length === 0)) ends.push(at);
    try {
      const steps = state.clients.flatMap((_, client) => stepOfClient(state, client, leftOut));
      for (const step of [...steps, ...stepsOfMover(state, leftOut)]) {
        const next = isPruned ? prune(step) : step;
        const name = nameOf(next);
        const known = numbers.get(name);
        if (known !== undefined) {
          comesFrom[known]?.push(at);
          continue;
        }
        check(next);
        numbers.set(name, states.length);
        states.push(next);
        comesFrom.push([at]);
      }
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      return { states: numbers.size, violation: error.message, stuck: 0 };
    }
  }
  return { states: numbers.size, violation: null, stuck: numbers.size - reach(ends, comesFrom) };
}

/** How many states lead to one of the ends. */
function reach(ends: readonly number[], comesFrom: readonly (readonly number[])[]): number {
  const reached = new Set(ends);
  const queue = [...ends];
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    for (const from of comesFrom[at] ?? []) {
      if (reached.has(from)) continue;
      reached.add(from);
      queue.push(from);
    }
  }
  return reached.size;
}
