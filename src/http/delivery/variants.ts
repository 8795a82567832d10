// Compressed variants of public objects: which one a reader gets, and that it gets
// made. A reader never waits for compression: the first who would profit gets the
// object as it is, and behind its response the variant is made, once. The full path
// and the fast path choose here, so that they can't disagree.
//
// A variant has a tag of its own, `{etag}-{coding}-{checksum of its bytes}`: a
// strong one, whatever compressor made it. A tag that a reader names picks the
// representation that it means, so ranges go on and revalidations stay cheap. A
// range without such a tag is always one of the stored bytes: which variants are
// ready changes, and parts must never be mixed.
import type { Core } from '../../core/core.ts';
import { readWhole } from '../../core/objects/read-whole.ts';
import type { Pointer } from '../../domain/nouns.ts';
import type { ContentCoding, Derived, DerivedOrNone } from '../../ports/derived.ts';
import type { HttpRequest } from '../request.ts';
import { createAcceptedCodings } from '../semantics/accept-encoding.ts';
import { findEntityTag, hasEntityTag } from '../semantics/entity-tag.ts';
import type { HeaderRecord } from '../semantics/object-headers.ts';
import {
  type Choice,
  notModifiedWithRepresentation,
  type Representation,
  sourceName,
  withRepresentation,
} from './representation.ts';
import type { Making } from './requester.ts';
import { mayWork } from './require-work.ts';

/**
 * What is only asked of objects that may have variants (prepared-headers.ts knows
 * which).
 */
export type Variants = {
  /**
   * What memory can say at once: a variant, null for the object as it is, or
   * `unknown`.
   */
  peek(pointer: Pointer, acceptEncoding: string | null): Representation | null | 'unknown';
  /**
   * Chooses among those of the tier below too, and by the tags of conditions. Has a
   * missing variant made behind the response. `making.work` is asked before anything
   * is done below memory; it rejects for a reader that goes on with a variant.
   */
  choose(
    pointer: Pointer,
    request: HttpRequest,
    making: Making,
  ): Choice | null | Promise<Choice | null>;
  /**
   * The tag among those of an If-None-Match by which the reader has a
   * representation that it may still use, or null.
   */
  knownTag(pointer: Pointer, ifNoneMatch: string, acceptEncoding: string | null): string | null;
  /**
   * Headers of a variant from those of the object, of a 200 and of a 304; the same
   * record for the same two.
   */
  headersOf(
    headers: Readonly<HeaderRecord>,
    representation: Representation,
  ): Readonly<HeaderRecord>;
  notModifiedOf(
    headers: Readonly<HeaderRecord>,
    representation: Representation,
  ): Readonly<HeaderRecord>;
};

const CODED_TAG = /^(.+)-(br|zstd|gzip)-[0-9a-f]{8}$/;

/** Makes it. Cost of a `peek`: 0.2 µs. */
export function createVariants(core: Core): Variants {
  const accepted = createAcceptedCodings();
  const memory = createVariantMemory(core);
  const maker = createVariantMaker(core, memory);

  function knownTag(
    pointer: Pointer,
    ifNoneMatch: string,
    acceptEncoding: string | null,
  ): string | null {
    if (hasEntityTag(ifNoneMatch, pointer.etag, true)) return pointer.etag;
    if (!ifNoneMatch.includes(`${pointer.etag}-`)) return null;
    return codedTag(ifNoneMatch, pointer.etag, accepted(acceptEncoding), true)?.tag ?? null;
  }

  return {
    peek: (pointer, acceptEncoding) => memory.peekAmong(pointer, accepted(acceptEncoding)),

    choose(pointer, request, making) {
      const acceptEncoding = request.header('accept-encoding');
      const codings = accepted(acceptEncoding);
      const ifNoneMatch = request.header('if-none-match');
      const known = ifNoneMatch === null ? null : knownTag(pointer, ifNoneMatch, acceptEncoding);
      if (known !== null)
        return { etag: known, representation: null, origin: 'memory', vary: null };

      const condition = request.header('if-match') ?? request.header('if-range');
      if (condition !== null) {
        if (hasEntityTag(condition, pointer.etag, false)) return null;
        const named = codedTag(condition, pointer.etag, codings, false);
        if (named !== null) return maker.resume(pointer, named, making);
      }

      if (request.header('range') !== null) return null;
      const ready = memory.peekAmong(pointer, codings);
      if (ready !== 'unknown') return inMemory(ready);
      return maker.findOrBegin(pointer, codings, { isWanted: request.method === 'GET', making });
    },

    knownTag,

    headersOf: remembered(withRepresentation),
    notModifiedOf: remembered(notModifiedWithRepresentation),
  };
}

/** The variants that stand in memory. */
type VariantMemory = {
  /** The name of a variant in the tiers. */
  nameOf(pointer: Pointer, coding: ContentCoding): string;
  represent(pointer: Pointer, coding: ContentCoding, found: Derived): Representation;
  /** The first variant that is ready, in the order of the codings. */
  readyAmong(pointer: Pointer, codings: readonly ContentCoding[]): Representation | null;
  /**
   * The best one, null for the object as it is, or `unknown` where a tier must be
   * asked.
   */
  peekAmong(pointer: Pointer, codings: readonly ContentCoding[]): Representation | null | 'unknown';
};

function createVariantMemory(core: Core): VariantMemory {
  const { derived } = core.ports;
  const names = new WeakMap<Pointer, Partial<Record<ContentCoding, string>>>();
  const made = new WeakMap<Derived, Representation>();

  function nameOf(pointer: Pointer, coding: ContentCoding): string {
    let known = names.get(pointer);
    if (known === undefined) {
      known = {};
      names.set(pointer, known);
    }
    known[coding] ??= `${sourceName(pointer)};${coding}`;
    return known[coding];
  }

  function represent({ etag }: Pointer, coding: ContentCoding, found: Derived): Representation {
    const own = `${etag}-${coding}-${found.tag}`;
    const known = made.get(found);
    // Two objects of equal bytes share what was made of them, and may have
    // different tags.
    if (known !== undefined && known.etag === own) return known;
    const changes = {
      etag: `"${own}"`,
      'content-encoding': coding,
      'content-length': `${found.bytes.length}`,
    };
    // Accept-Encoding stands in the Vary of the object's own headers.
    const representation = { etag: own, bytes: found.bytes, changes, vary: null };
    made.set(found, representation);
    return representation;
  }

  function readyAmong(pointer: Pointer, codings: readonly ContentCoding[]): Representation | null {
    for (const coding of codings) {
      const known = derived.peek(nameOf(pointer, coding));
      if (known !== null && known !== 'none') return represent(pointer, coding, known);
    }
    return null;
  }

  return {
    nameOf,
    represent,
    readyAmong,
    peekAmong(pointer, codings) {
      const [best] = codings;
      if (best === undefined) return null;
      const known = derived.peek(nameOf(pointer, best));
      if (known === null) return 'unknown';
      return known === 'none' ? readyAmong(pointer, codings) : represent(pointer, best, known);
    },
  };
}

/** Finds variants in the tier below memory, and has them made. */
type VariantMaker = {
  /**
   * Finds the best one, or has it made behind the response, which is the object as
   * it is.
   */
  findOrBegin(
    pointer: Pointer,
    codings: readonly ContentCoding[],
    options: { readonly isWanted: boolean; readonly making: Making },
  ): Promise<Choice | null>;
  /**
   * Serves a reader that goes on with a variant: it is found, or made while the
   * reader waits.
   */
  resume(pointer: Pointer, tag: CodedTag, making: Making): Promise<Choice | null>;
};

function createVariantMaker(core: Core, memory: VariantMemory): VariantMaker {
  const { background, derived } = core.ports;
  const { nameOf, represent, readyAmong } = memory;

  const make = (pointer: Pointer, coding: ContentCoding, { findRequester }: Making) =>
    derived.make(nameOf(pointer, coding), { kind: 'coding', coding }, findRequester(), () =>
      readWhole(core, pointer),
    );

  async function findOrMake(
    pointer: Pointer,
    coding: ContentCoding,
    making: Making,
  ): Promise<{ readonly known: DerivedOrNone; readonly origin: Choice['origin'] }> {
    const name = nameOf(pointer, coding);
    const ready = derived.peek(name);
    if (ready !== null) return { known: ready, origin: 'memory' };
    await making.work?.toFind();
    const found = await derived.find(name);
    if (found !== null) return { known: found, origin: derived.tier };
    await making.work?.toMake();
    return { known: await make(pointer, coding, making), origin: 'bucket' };
  }

  return {
    async findOrBegin(pointer, codings, { isWanted, making }) {
      const [best] = codings;
      if (best === undefined) return null;
      const { work } = making;
      const mayFind = await mayWork(work?.toFind());
      const found = mayFind ? await derived.find(nameOf(pointer, best)) : null;
      const isMissing = found === null && isWanted;
      if (isMissing && (await mayWork(work?.toMake())))
        background.run('make-variant', () => make(pointer, best, making));
      if (found === null || found === 'none') return inMemory(readyAmong(pointer, codings));
      return choiceOf(represent(pointer, best, found), derived.tier);
    },

    async resume(pointer, { coding, tag }, making) {
      const { known, origin } = await findOrMake(pointer, coding, making);
      if (known === 'none') return null;
      const representation = represent(pointer, coding, known);
      return representation.etag === tag ? choiceOf(representation, origin) : null;
    },
  };
}

type MakeHeaders = (
  headers: Readonly<HeaderRecord>,
  representation: Representation,
) => Readonly<HeaderRecord>;

/** Keeps what is made of headers and a representation, as long as both are kept. */
function remembered(make: MakeHeaders): MakeHeaders {
  const known = new WeakMap<
    Readonly<HeaderRecord>,
    WeakMap<Representation, Readonly<HeaderRecord>>
  >();
  return (headers, representation) => {
    let ofHeaders = known.get(headers);
    if (ofHeaders === undefined) {
      ofHeaders = new WeakMap();
      known.set(headers, ofHeaders);
    }
    let record = ofHeaders.get(representation);
    if (record === undefined) {
      record = make(headers, representation);
      ofHeaders.set(representation, record);
    }
    return record;
  };
}

function choiceOf(representation: Representation, origin: Choice['origin'] = 'memory'): Choice {
  return { etag: representation.etag, representation, origin, vary: null };
}

const inMemory = (representation: Representation | null): Choice | null =>
  representation === null ? null : choiceOf(representation);

type CodedTag = { readonly tag: string; readonly coding: ContentCoding };

/**
 * The first tag of a list that names a variant of this object in a coding that the
 * reader takes.
 */
function codedTag(
  header: string,
  etag: string,
  codings: readonly ContentCoding[],
  isWeakAllowed: boolean,
): CodedTag | null {
  const codingOf = (tag: string) => {
    const [, source, coding] = CODED_TAG.exec(tag) ?? [];
    return source === etag ? codings.find((one) => one === coding) : undefined;
  };
  const tag = findEntityTag(header, (one) => codingOf(one) !== undefined, isWeakAllowed);
  const coding = tag === null ? undefined : codingOf(tag);
  return tag === null || coding === undefined ? null : { tag, coding };
}
