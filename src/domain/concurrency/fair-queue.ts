// A bounded queue that serves its tenants round robin, so that the flood of one is
// nobody else's wait. When it is full, the longest tenant's newest item is dropped.
// A pure data structure; semaphore.ts lets those wait in it that find no room.
// Source: fair queueing with longest queue drop, Suter et al., IEEE Journal on
// Selected Areas in Communications 17(6), 1999.

/**
 * The most that all who come under one name may have: `bucket photos`, `source
 * 192.0.2.1`.
 */
export type Share = { readonly name: string; readonly max: number };

/**
 * Who waits: whoever pays or owns, and the shares that limit how many of them may
 * wait.
 */
export type Queued = { readonly tenant: string; readonly shares: readonly Share[] };

export type FairQueue<Item extends Queued> = {
  /**
   * Adds an item behind its tenant's others; false when there is no room for it.
   */
  add(item: Item): boolean;
  /** Removes the item whose turn has come; null when nothing waits. */
  shift(): Item | null;
};

/** Whether the share of that name counts somebody. */
export function isUnder(name: string, { shares }: Queued): boolean {
  return shares.some((share) => share.name === name);
}

/**
 * Creates a queue of at most `max` items. `onDrop` receives an item that made room
 * for another tenant's. Cost of `add`: a look at all that wait, of which there are
 * few.
 */
export function createFairQueue<Item extends Queued>(
  max: number,
  onDrop: (item: Item) => void,
): FairQueue<Item> {
  /** Items by tenant, in the order in which their turns come. No list is empty. */
  const byTenant = new Map<string, Item[]>();

  const allItems = () => [...byTenant.values()].flat();

  /** Drops the newest item of a tenant that waits for more than this one will. */
  function dropForOther(tenant: string): boolean {
    const ownLength = byTenant.get(tenant)?.length ?? 0;
    const longest = byTenant
      .values()
      .reduce<Item[]>((most, items) => (items.length > most.length ? items : most), []);
    if (longest.length <= ownLength + 1) return false;

    const dropped = longest.pop();
    if (dropped !== undefined) onDrop(dropped);
    return true;
  }

  return {
    add(item) {
      const items = allItems();
      const isOverShare = item.shares.some(
        (share) => items.filter((other) => isUnder(share.name, other)).length >= share.max,
      );
      if (isOverShare) return false;
      if (items.length >= max && !dropForOther(item.tenant)) return false;

      const ownItems = byTenant.get(item.tenant) ?? [];
      ownItems.push(item);
      byTenant.set(item.tenant, ownItems);
      return true;
    },
    shift() {
      const next = byTenant.entries().next().value;
      if (next === undefined) return null;

      const [tenant, items] = next;
      const first = items.shift();
      // The tenant goes to the end of the round.
      byTenant.delete(tenant);
      if (items.length > 0) byTenant.set(tenant, items);
      return first ?? null;
    },
  };
}
