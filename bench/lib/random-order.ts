/**
 * Gives each number below `count` once, in an order that looks random, without a list of them: it
 * takes steps that share no factor with the count.
 */
export function randomOrder(count: number): (at: number) => number {
  const step = [982_451_653, 961_748_941].find((prime) => count % prime !== 0) ?? 1;
  return (at) => (at * step) % count;
}
