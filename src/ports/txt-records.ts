/**
 * The TXT records of DNS: core looks up whether the owner of a name says that it is
 * an account's.
 */
export type TxtRecords = {
  /**
   * The texts at a name in lower case, aliases followed, each in one piece; none:
   * an empty list. ServiceUnavailable when DNS could not be reached, or said
   * nothing in DNS_LIMIT_MS. What it gives is a stranger's text.
   */
  read(name: string): Promise<readonly string[]>;
};

/**
 * A server that says nothing for so long is not waited for, milliseconds. As long
 * as resolvers of systems wait for one.
 */
export const DNS_LIMIT_MS = 5000;
