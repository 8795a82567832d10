// Admits and counts the responses of a site that are no plain read of an object.
// Called by site-responses.ts; plain reads are counted by delivery itself.
import type { Core } from '../../../core/core.ts';
import { countSent, dropBody, type OutgoingBody } from '../../outgoing-body.ts';
import type { HeaderRecord } from '../../semantics/object-headers.ts';
import { noteRead, tierOf } from '../count-read.ts';
import {
  admitAll,
  type FeaturesOf,
  findRefusal,
  type MadeUse,
  type PlannedUse,
} from '../features/read-feature.ts';
import type { SiteVisit } from './site-responses.ts';

export type CountVisit = {
  /** Called before anything is opened for the visit. Rejects as `count` does. */
  admit(visit: SiteVisit, use: PlannedUse): Promise<void>;
  /**
   * Counts a visit and makes its response. `added`: the header of its receipt, if
   * it has one. UsageCapReached, SpendingCapReached, ServiceUnavailable.
   */
  count(
    visit: SiteVisit,
    use: MadeUse,
    body: OutgoingBody,
    make: (added: HeaderRecord, body: OutgoingBody) => Response,
  ): Promise<Response>;
};

export function createCountVisit(core: Core, featuresOf: FeaturesOf): CountVisit {
  const { meter } = core.ports;

  return {
    async admit({ readPolicy }, use) {
      await admitAll({ readPolicy, features: featuresOf(readPolicy) }, use);
    },

    async count(visit, use, body, make) {
      const { request, readPolicy } = visit;
      const { operationClass, bytesOut, origin, storageClass } = use;
      const features = featuresOf(readPolicy);
      const planned = { operationClass, bytesOut, fromMemory: origin !== 'bucket' };
      const read = { readPolicy, features };
      try {
        // Another response may have used what was granted to this one: there may be
        // more. Nothing may be waited for between the last look and the count.
        if (findRefusal(read, planned) !== null) await admitAll(read, planned);
        const refusal = findRefusal(read, planned);
        if (refusal !== null) throw refusal;
      } catch (error) {
        dropBody(body, error);
      }

      if (features.count !== null) return make(await features.count(visit, readPolicy, use), body);
      noteRead(request.notes, bytesOut, origin);
      const counted = { operationClass, bytesOut, tier: tierOf(origin, bytesOut), storageClass };
      return make({}, countSent(meter.ofReadPolicy(readPolicy), counted, body));
    },
  };
}
