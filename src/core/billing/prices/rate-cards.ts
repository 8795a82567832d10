// The rate cards that ship with Quayside: list prices of object stores, as JSON in
// cards/. They are parsed once, when a process starts; a release may change them
// (noted-prices.ts).
import alibabaOss from '../cards/alibaba-oss-cn-hangzhou.json' with { type: 'json' };
import awsS3 from '../cards/aws-s3-us-east-1.json' with { type: 'json' };
import backblazeB2 from '../cards/backblaze-b2.json' with { type: 'json' };
import bunnyStorage from '../cards/bunny-storage.json' with { type: 'json' };
import cloudflareR2 from '../cards/cloudflare-r2.json' with { type: 'json' };
import { parseRateCard, type RateCard } from './rate-card.ts';

/** The list prices that ship with Quayside, each with its source and date. */
export const RATE_CARDS: readonly RateCard[] = [
  cloudflareR2,
  awsS3,
  backblazeB2,
  bunnyStorage,
  alibabaOss,
].map(parseRateCard);
