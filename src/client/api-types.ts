// The routes of the JSON API and their data. Made from the OpenAPI document by
// scripts/client-types.ts: change the routes and run it, not this file.

export type AccessCheck = {
  items: AccessEntry[];
  needs: ReadNeeds;
  /** What your role does not let you see, and is left out. */
  hidden: ('members' | 'keys')[];
  /** False: there are more keys or patterns than one response looks at. */
  isComplete: boolean;
};

export type AccessEntry = {
  who: AccessHolder;
  rights: AccessRight[];
};

export type AccessFinding = {
  /** `part`: of some keys below the prefix; `depends`: on `dependsOn`. */
  allowed: 'yes' | 'part' | 'depends' | 'no';
  because: AccessReason;
  /** A key or prefix below that `because` is about; null: keys in general. */
  example: string | null;
  /** Where it is `part` or `depends`: what is not allowed. */
  except:
    | {
    because: AccessReason;
    example: string | null;
  }
    | null;
  /** Condition keys that the question leaves open; `object-acl`: lists of objects. */
  dependsOn: string[];
};

export type AccessHolder =
  | {
      kind: 'strangers';
    }
  | {
      kind: 'any-account';
    }
  | {
      kind: 'account';
      accountId: string;
      name: string | null;
    }
  | {
      kind: 'owner';
      accountId: string;
    }
  | {
      kind: 'role';
      role: 'owner' | 'admin' | 'member' | 'billing' | 'reader';
      /** Members of that role; null: you may not see members. */
      members: number | null;
    }
  | {
      kind: 'key';
      accessKeyId: string;
      name: string;
      scope: KeyScope;
    };

export type AccessKey = {
  id: string;
  name: string;
  scope: KeyScope;
  /** Role of whoever signs in here with it; null: it is for S3 alone. */
  role: 'owner' | 'admin' | 'member' | 'billing' | 'reader' | null;
  createdAt: string;
  expiresAt: string | null;
  isEnabled: boolean;
  /** To the hour. */
  lastUsedAt: string | null;
};

export type AccessReason =
  | {
      source: 'owner';
    }
  | {
      source: 'object-owner';
      accountId: string;
    }
  | {
      source: 'bucket-policy';
      effect: 'Allow' | 'Deny';
      /** Its number, from 1. Null: the policy can not be read. */
      statement: number | null;
      sid: string | null;
      /** The statement as JSON. Null, as sid: it needs buckets:read. */
      text: string | null;
    }
  | {
      source: 'acl';
      list: 'bucket' | 'object';
      grantee: string;
      permission: string;
    }
  | {
      source: 'key-scope';
      limit: string;
    }
  | {
      source: 'key-state';
      state: 'disabled' | 'expired';
    }
  | {
      source: 'role';
      role: 'owner' | 'admin' | 'member' | 'billing' | 'reader';
      scope: string;
    }
  | {
      source: 'block-public-access';
      setting: string;
    }
  | {
      source: 'nothing';
    };

export type AccessRight = {
  action: 'read' | 'write' | 'list' | 'delete';
  /** `part`: of some keys below the prefix; `depends`: on `dependsOn`. */
  allowed: 'yes' | 'part' | 'depends' | 'no';
  because: AccessReason;
  /** A key or prefix below that `because` is about; null: keys in general. */
  example: string | null;
  /** Where it is `part` or `depends`: what is not allowed. */
  except:
    | {
    because: AccessReason;
    example: string | null;
  }
    | null;
  /** Condition keys that the question leaves open; `object-acl`: lists of objects. */
  dependsOn: string[];
};

export type Account = {
  id: string;
  displayName: string;
  /** null: an account of the settings. */
  createdAt: string | null;
  isEnabled: boolean;
  /** Whether it stands in the settings of the server: no request changes it. */
  isOfSettings: boolean;
};

export type AccountBilling = {
  accountId: string;
  rateCardId: string;
  isDefaultCard: boolean;
  /** Which cards it has from months to come on; null: the default of the server. */
  rateCardChanges: {
    /** A calendar month in UTC. */
    validFrom: string;
    rateCardId: string | null;
  }[];
  currency: string;
  credits: Credit[];
  stripeCustomerId: string | null;
};

export type AccountJob = {
  bucket: string;
  id: string;
  /** empty-trash removes what is in the trash for good: nothing brings it back. */
  kind:
    | 'move'
    | 'copy'
    | 'rename'
    | 'edit'
    | 'delete'
    | 'restore'
    | 'empty-trash'
    | 'empty'
    | 'undo';
  prefix: string | null;
  /** How many it lists; none: all with the prefix, or a release. */
  listed: {
    keys: number;
    prefixes: number;
  };
  to: string | null;
  toBucket: string | null;
  /** The job that an undo takes back. */
  undoes: string | null;
  state: 'running' | 'done' | 'cancelled' | 'failed';
  counts: {
    done: number;
    bytes: string;
    missing: number;
    conflicts: number;
    locked: number;
  };
  /** Keys there were when it began, as far as known. */
  total: number | null;
  /** Their bytes, where it lists no keys and they were counted. */
  totalBytes: string | null;
  /** null: no member, or no key, or nobody noted which. */
  startedBy: {
    accountId: string;
    memberId: string | null;
    accessKeyId: string | null;
  };
  startedAt: string;
  updatedAt: string;
  /** null: it runs. */
  finishedAt: string | null;
  canUndo: boolean;
  failure: string | null;
};

export type AccountQuota =
  & StorageQuota
  & {
      stored: {
        /** Requests, bytes or byte-hours. */
        bytes: string;
        /** Requests, bytes or byte-hours. */
        objects: string;
        /** false: these are sums of the first 100 buckets by name. */
        isComplete: boolean;
      };
    };

export type AccountTax = {
  /** Percent, a decimal. */
  percent?: string | null | undefined;
  /**
   * The buyer's tax id as the operator checked it: while it is the buyer's, no tax is on its
   * bills.
   */
  reverseChargeTaxId?: string | null | undefined;
};

export type AuditEntry = {
  id: string;
  at: string;
  action: string;
  target: string;
  /** What was sent, without secrets. */
  detail: string;
  memberId: string | null;
  accessKeyId: string | null;
  /** The session, token or access key, by its id. */
  credential: string;
  source: string;
  requestId: string;
  /** null: it is not known whether it was done. */
  status: number | null;
};

export type Bucket = {
  name: string;
  id: string;
  accountId: string;
  createdAt: string;
  /**
   * What everyone may read: nothing, something that policy or lists of grants open, every
   * object.
   */
  publicAccess: 'none' | 'some' | 'read';
  versioning: 'off' | 'enabled' | 'suspended';
  /** A policy in S3's language. */
  policy: Record<string, unknown> | null;
  ownership: 'BucketOwnerEnforced' | 'BucketOwnerPreferred' | 'ObjectWriter' | null;
  publicAccessBlock: PublicAccessBlock;
  cors: CorsRule[];
  lifecycle: {
    id: string;
  }[];
  /** Settings of docs/hosting.md; `domains` are the hosts of the bucket. */
  hosting: Record<string, unknown> | null;
  tags: Record<string, string>;
  encryption: BucketEncryption;
  compression: BucketCompression;
  quota: StorageQuota | null;
  requestPayer: 'owner' | 'requester';
  /**
   * How old public reads may be on Cloudflare: `strict` 1 s, `balanced` 5 s, `kv` 60 s and
   * fewest calls of the index. On Node every read is exact.
   */
  metadata: 'strict' | 'balanced' | 'kv';
  /**
   * Who gets the cost with each response: who signs as the account, or everyone. Null: who
   * signs so and asks.
   */
  receipts: 'owner' | 'everyone' | null;
  logging: BucketLogging;
  website: BucketWebsite;
  objectLock: BucketLock;
  notifications: NotificationRule[];
  /** Equal bodies of a storage class that are written from now on are stored, and paid, once. */
  deduplication: boolean;
};

export type BucketChange = {
  versioning?: 'enabled' | 'suspended' | undefined;
  /** A policy in S3's language. */
  policy?: Record<string, unknown> | null | undefined;
  ownership?: 'BucketOwnerEnforced' | 'BucketOwnerPreferred' | 'ObjectWriter' | null | undefined;
  /** Changes `publicAccessBlock` of Bucket: what is absent stays, null takes it away. */
  publicAccessBlock?: Record<string, unknown> | null | undefined;
  cors?: CorsRule[] | null | undefined;
  lifecycle?: LifecycleRule[] | null | undefined;
  /** Changes `hosting` of Bucket: what is absent stays, null takes it away. */
  hosting?: Record<string, unknown> | null | undefined;
  /** Changes `tags` of Bucket: what is absent stays, null takes it away. */
  tags?: Record<string, unknown> | null | undefined;
  /** Changes `encryption` of Bucket: what is absent stays, null takes it away. */
  encryption?: Record<string, unknown> | null | undefined;
  /** Changes `compression` of Bucket: what is absent stays, null takes it away. */
  compression?: Record<string, unknown> | null | undefined;
  /** Changes `quota` of Bucket: what is absent stays, null takes it away. */
  quota?: Record<string, unknown> | null | undefined;
  requestPayer?: 'owner' | 'requester' | undefined;
  /**
   * How old public reads may be on Cloudflare: `strict` 1 s, `balanced` 5 s, `kv` 60 s and
   * fewest calls of the index. On Node every read is exact.
   */
  metadata?: 'strict' | 'balanced' | 'kv' | undefined;
  /**
   * Who gets the cost with each response: who signs as the account, or everyone. Null: who
   * signs so and asks.
   */
  receipts?: 'owner' | 'everyone' | null | undefined;
  /** Changes `logging` of Bucket: what is absent stays, null takes it away. */
  logging?: Record<string, unknown> | null | undefined;
  /** Changes `website` of Bucket: what is absent stays, null takes it away. */
  website?: Record<string, unknown> | null | undefined;
  /** Changes `objectLock` of Bucket: what is absent stays, null takes it away. */
  objectLock?: Record<string, unknown> | null | undefined;
  notifications?: NotificationRule[] | null | undefined;
  /** Equal bodies of a storage class that are written from now on are stored, and paid, once. */
  deduplication?: boolean | undefined;
  /**
   * A short way to the policy that lets everyone read every object. Not together with
   * `policy`.
   */
  publicAccess?: 'none' | 'read' | undefined;
};

export type BucketCompression =
  | {
  /** Days after it was written that a body is compressed, if it shrinks by a tenth at least. */
  afterDays: number;
}
  | null;

export type BucketDomain = {
  host: string;
  /** The host shows only keys that begin with it, without it. */
  prefix: string;
  /**
   * Whether a request here for the host comes to this bucket. false: setting `hosting` again
   * binds it.
   */
  isBound: boolean;
  /** What must stand in DNS before the host is bound to the bucket; null: nothing. */
  record:
    | {
    name: string;
    type: 'TXT';
    value: string;
  }
    | null;
};

export type BucketEncryption =
  | {
  kind: 'server' | 'named';
  /** Id of a KMS key. */
  keyId?: string | null | undefined;
  isDoubled?: boolean | undefined;
  isBucketKey?: boolean | undefined;
  refusesCustomerKeys?: boolean | undefined;
}
  | null;

export type BucketLock =
  | {
  /** How long new versions are locked that say nothing themselves; null: they are not. */
  defaultRetention?:
    | {
    mode: 'GOVERNANCE' | 'COMPLIANCE';
    days?: number | null | undefined;
    years?: number | null | undefined;
  }
    | null | undefined;
}
  | null;

export type BucketLogging =
  | {
  /** A bucket of the same account, whose policy allows it. */
  targetBucket: string;
  targetPrefix?: string | undefined;
  /** Null: log objects are named by prefix and time alone. */
  partitionedBy?: 'EventTime' | 'DeliveryTime' | null | undefined;
}
  | null;

export type BucketNews = {
  /** To be sent as `after`; it says nothing else. */
  revision: string;
  /** False: nothing happened while it waited. */
  isChanged: boolean;
  /** What changed since `after`. Null: anything may have. */
  topics: ('objects' | 'uploads' | 'jobs' | 'bucket')[] | null;
  /** Folders in which objects changed. Null: any, or very many. */
  prefixes: string[] | null;
};

export type BucketSummary = {
  name: string;
  createdAt: string;
  /** With include=totals. Null: the bucket was deleted meanwhile. */
  totals?:
    | {
    /**
     * What everyone may read: nothing, something that policy or lists of grants open, every
     * object.
     */
    publicAccess: 'none' | 'some' | 'read';
    versioning: 'off' | 'enabled' | 'suspended';
    current: {
      objects: number;
      bytes: string;
    };
    noncurrent: {
      objects: number;
      bytes: string;
    };
    uploads: {
      objects: number;
      bytes: string;
    };
    /** Cost of a month of storage at list price, in millionths of the currency. */
    perMonthMicro: string;
    currency: string;
  }
    | null | undefined;
};

export type BucketWebsite =
  | {
  redirectAllTo?:
    | {
    hostName: string;
    protocol?: 'http' | 'https' | null | undefined;
  }
    | null | undefined;
  indexSuffix?: string | null | undefined;
  errorKey?: string | null | undefined;
  routingRules?: {
    keyPrefix?: string | null | undefined;
    errorCode?: number | null | undefined;
    redirect: {
      hostName?: string | null | undefined;
      protocol?: 'http' | 'https' | null | undefined;
      statusCode?: number | null | undefined;
      replaceKeyPrefixWith?: string | null | undefined;
      replaceKeyWith?: string | null | undefined;
    };
  }[] | undefined;
}
  | null;

export type Buyer = {
  buyer: Party | null;
  tax: AccountTax;
};

export type CachePurge = {
  keys?: string[] | undefined;
  prefixes?: string[] | undefined;
  /** Values of `x-amz-meta-cache-tag`. */
  tags?: string[] | undefined;
  everything?: boolean | undefined;
};

export type CachePurgeReceipt = {
  id: string;
  /** The revision of the bucket before which nothing counts any more. */
  floor: number;
  /** From then on no tier anywhere gives what was purged, unless it can not ask the index. */
  freshBy: string;
};

export type Cap = {
  id: string;
  unit: 'bytes' | 'money';
  /** Bytes that go out, or micro-units of the currency of the rate card. */
  limit: string;
  period?: 'day' | 'month' | undefined;
  bucket?: string | null | undefined;
  accessKeyId?: string | null | undefined;
  alertPercents?: number[] | undefined;
  cachedFromPercent?: number | null | undefined;
  /** Rate card of a cap in money. Null: the account's, as it is when the cap is set. */
  rateCardId?: string | null | undefined;
  liftedUntil?: string | null | undefined;
  /** Used in the period, as far as it is recorded; in the unit of `limit`. */
  spent: string;
  percent: number;
  level: 'open' | 'cached' | 'refused';
  periodEndsAt: string;
};

export type ChangedMember =
  & Member
  & {
      ended: EndedCredentials;
    };

export type CheckedDomain = {
  host: string;
  /**
   * Whether a request here for the host comes to this bucket. false: setting `hosting` again
   * binds it.
   */
  isBound: boolean;
  /** What must stand in DNS before the host is bound to the bucket; null: nothing. */
  record:
    | {
    name: string;
    type: 'TXT';
    value: string;
  }
    | null;
  /** Whether the record is there now, or none is needed. */
  isProven: boolean;
};

export type Clock = {
  now: string;
  /**
   * Whether bills, lifecycle rules and sweeping go on; false: they wait for the clock, or for
   * PUT /clock.
   */
  isTrusted: boolean;
  /** By how much it has jumped since, ahead or back. */
  jumpSeconds: number;
  lastTrustedAt: string | null;
};

export type CompletedUpload = {
  key: string;
  versionId: string | null;
  size: string;
  etag: string;
};

export type CorsRule = {
  id?: string | null | undefined;
  allowedMethods: ('GET' | 'PUT' | 'POST' | 'DELETE' | 'HEAD')[];
  allowedOrigins: string[];
  allowedHeaders?: string[] | undefined;
  exposeHeaders?: string[] | undefined;
  maxAgeSeconds?: number | null | undefined;
};

export type Credit = {
  id: string;
  label: string;
  currency: string;
  /** Millionths of a unit of the currency. */
  amountMicro: string;
  /** Millionths of a unit of the currency. */
  leftMicro: string;
  grantedAt: string;
  expiresAt: string | null;
};

export type CreditNote = {
  number: string;
  issuedAt: string;
  accountId: string;
  accountName: string;
  /** A calendar month in UTC. */
  period: string;
  invoiceNumber: string;
  isVoid: boolean;
  reason: string;
  currency: string;
  lines: {
    label: string;
    /** Millionths of a unit of the currency. */
    amountMicro: string;
  }[];
  /** What is taken back, without tax. */
  netMicro: string;
  /** Millionths of a unit of the currency. */
  taxMicro: string;
  terms: InvoiceTerms;
};

export type DeletionPreview =
  | {
  objects: number;
  bytes: string;
  goesToTrash: boolean;
  /** Millionths of the currency, for a month of storage at list price. */
  savedPerMonthMicro: string;
  currency: string;
}
  | null;

export type Delivery = {
  id: number;
  messageId: string;
  type: string;
  key: string | null;
  state: 'waiting' | 'delivered' | 'dead';
  attempts: number;
  createdAt: string;
  nextAttemptAt: string | null;
  finishedAt: string | null;
  lastStatus: number | null;
  lastError: string | null;
};

export type DeliveryPage = {
  items: Delivery[];
  /** For the next page; null: this was the last. */
  nextCursor: string | null;
  /** Dead letters that were too many. */
  droppedCount: number;
};

export type DropFile = {
  id: string;
  senderId: string;
  /** The name that its sender gave, with folders. */
  path: string;
  /** The object has another after a release, or a move within its bucket. */
  key: string;
  /**
   * coming: unfinished; waiting: in quarantine; gone: the object was deleted, replaced, or
   * moved to another bucket.
   */
  state: 'coming' | 'waiting' | 'stored' | 'gone';
  type: string;
  size: string;
  /** Bytes that have come. */
  received: string;
  createdAt: string;
  finishedAt: string | null;
  sha256: string | null;
};

export type DropLink = {
  id: string;
  url: string;
  state: 'open' | 'revoked' | 'expired' | 'full';
  createdAt: string;
  prefix: string;
  quarantine: string | null;
  template: string;
  limits: {
    fileBytes: number | null;
    files: number;
    totalBytes: number | null;
    senderFiles: number | null;
    senderBytes: number | null;
    /** Media types; `image/*` means all of its kind. null: any. */
    types: string[] | null;
  };
  page: {
    title: string | null;
    text: string | null;
    colour: string | null;
    name: 'required' | 'optional' | 'none';
    mail: 'required' | 'optional' | 'none';
    note: 'required' | 'optional' | 'none';
  };
  note: string;
  expiresAt: string | null;
  revokedAt: string | null;
  usage: {
    files: number;
    /** Unfinished files count as announced. */
    bytes: string;
    senders: number;
  };
};

export type DropLinkChange = {
  /** What the keys of its files begin with. */
  prefix?: string | undefined;
  /** Where files wait until they are released to `prefix`; null: nowhere. */
  quarantine?: string | null | undefined;
  /**
   * Names below the prefix, of {date}, {time}, {sender}, {mail}, and at its end {name} (with
   * folders) or {file}. Nothing is ever overwritten: a second a.txt becomes `a (2).txt`.
   */
  template?: string | undefined;
  limits?: {
    fileBytes?: number | null | undefined;
    files?: number | undefined;
    totalBytes?: number | null | undefined;
    senderFiles?: number | null | undefined;
    senderBytes?: number | null | undefined;
    /** Media types; `image/*` means all of its kind. null: any. */
    types?: string[] | null | undefined;
  } | undefined;
  page?: {
    title?: string | null | undefined;
    text?: string | null | undefined;
    colour?: string | null | undefined;
    name?: 'required' | 'optional' | 'none' | undefined;
    mail?: 'required' | 'optional' | 'none' | undefined;
    note?: 'required' | 'optional' | 'none' | undefined;
  } | undefined;
  note?: string | undefined;
  expiresAt?: string | null | undefined;
  /** true: nothing more is taken, and uploads that run are cut. false: again. */
  isRevoked?: boolean | undefined;
};

export type DropSender = {
  id: string;
  name: string;
  mail: string;
  note: string;
  createdAt: string;
  files: number;
  bytes: string;
};

export type DueByLifecycle = {
  action: string;
  subject: string;
  key: string;
  ruleId: string;
  versionId: string | null;
  uploadId: string | null;
  size: string | null;
  storageClass: string | null;
  toStorageClass: string | null;
};

export type EncryptionKey = {
  id: string;
  isEnabled: boolean;
  /** Whose buckets may use it besides the operator's; null: those of every account. */
  accountIds: string[] | null;
  createdAt: string;
};

export type EndedCredentials = {
  sessions: number;
  tokens: number;
};

export type FolderEntry =
  | {
      kind: 'folder';
      prefix: string;
      /**
       * With `include=readers`: whether strangers read it. `part`: some keys of the folder,
       * or on conditions. Objects that ACLs open do not count to their folder.
       */
      readers?: 'everyone' | 'part' | null | undefined;
    }
  |
      & ObjectSummary
      & {
          kind: 'object';
          /**
           * With `include=readers`: whether strangers read it. `part`: some keys of the
           * folder, or on conditions. Objects that ACLs open do not count to their folder.
           */
          readers?: 'everyone' | 'part' | null | undefined;
        };

export type Forecast = {
  soFar: Invoice;
  atEnd: Invoice;
};

export type Invitation = {
  id: string;
  login: string | null;
  displayName: string;
  role: 'owner' | 'admin' | 'member' | 'billing' | 'reader';
  createdAt: string;
  expiresAt: string;
  /** When it made the member of this id; null: it has not. */
  acceptedAt: string | null;
};

export type Invoice = {
  format: 1;
  number: string;
  /** From 0; one more for each that replaced a void one. */
  issue: number;
  status: 'open' | 'closed' | 'void';
  accountId: string;
  accountName: string;
  /** A calendar month in UTC. */
  period: string;
  periodStart: string;
  periodEnd: string;
  closedAt: string | null;
  terms: InvoiceTerms;
  currency: string;
  lines: {
    label: string;
    /**
     * What the line is saved by: units are those saved, the amount is negative; null: of
     * usage.
     */
    saving: 'deduplicated' | 'compressed' | null;
    meters: string[];
    unit: string;
    units: string;
    billedUnits: string;
    parts: {
      /** Tier of the line on the card, from 0; null: what is free. */
      tier: number | null;
      units: string;
      price: string;
      /** Millionths of a unit of the currency. */
      amountMicro: string;
    }[];
    /** Millionths of a unit of the currency. */
    amountMicro: string;
  }[];
  /** Millionths of a unit of the currency. */
  minimumMicro: string;
  /** Usage of closed months that came late, and no bill had yet. */
  late: {
    /** A calendar month in UTC. */
    period: string;
    lines: {
      label: string;
      /**
       * What the line is saved by: units are those saved, the amount is negative; null: of
       * usage.
       */
      saving: 'deduplicated' | 'compressed' | null;
      meters: string[];
      unit: string;
      units: string;
      billedUnits: string;
      parts: {
        /** Tier of the line on the card, from 0; null: what is free. */
        tier: number | null;
        units: string;
        price: string;
        /** Millionths of a unit of the currency. */
        amountMicro: string;
      }[];
      /** Millionths of a unit of the currency. */
      amountMicro: string;
    }[];
    /** Millionths of a unit of the currency. */
    minimumMicro: string;
    /** Millionths of a unit of the currency. */
    amountMicro: string;
    usageBefore: Record<string, string>;
    usageAfter: Record<string, string>;
    card: RateCard;
  }[];
  credits: {
    id: string;
    label: string;
    /** Millionths of a unit of the currency. */
    amountMicro: string;
  }[];
  /** Millionths of a unit of the currency. */
  totalMicro: string;
  /** The total rounded down to a coin. */
  netMicro: string;
  /** Tax on netMicro, to the nearest coin. */
  taxMicro: string;
  /** Both together. */
  payableMicro: string;
  unpriced: Record<string, string>;
  usage: Record<string, string>;
  card: RateCard;
  /** Made again from its usage and card it is the same. */
  isRecomputable: boolean;
};

export type InvoiceSummary = {
  number: string;
  /** A calendar month in UTC. */
  period: string;
  issue: number;
  isVoid: boolean;
  currency: string;
  /** Millionths of a unit of the currency. */
  totalMicro: string;
  closedAt: string;
};

export type InvoiceTerms =
  | {
  seller: Party;
  buyer: Party;
  paymentNote: string;
  dueOn: string | null;
  /** Percent, a decimal. */
  taxPercent: string;
  reverseChargeNote: string | null;
}
  | null;

export type Issuer = {
  name: string;
  /** Lines, with line feeds between. */
  address?: string | undefined;
  /** Two letters of ISO 3166-1, or empty. */
  country?: string | undefined;
  taxId?: string | undefined;
  /** How to pay: a bank account, say. */
  paymentNote?: string | undefined;
  dueDays?: number | undefined;
  /** What numbers of the series begin with; ends with no digit. */
  invoicePrefix?: string | undefined;
  /** What numbers of the series begin with; ends with no digit. */
  creditNotePrefix?: string | undefined;
  /** Percent, a decimal. */
  taxPercent?: string | undefined;
  /** Percent for buyers of these countries, in place of taxPercent. */
  taxPercentByCountry?: Record<string, string> | undefined;
  reverseChargeNote?: string | undefined;
};

export type Job = {
  id: string;
  /** empty-trash removes what is in the trash for good: nothing brings it back. */
  kind:
    | 'move'
    | 'copy'
    | 'rename'
    | 'edit'
    | 'delete'
    | 'restore'
    | 'empty-trash'
    | 'empty'
    | 'undo';
  prefix: string | null;
  /** How many it lists; none: all with the prefix, or a release. */
  listed: {
    keys: number;
    prefixes: number;
  };
  to: string | null;
  toBucket: string | null;
  /** The job that an undo takes back. */
  undoes: string | null;
  state: 'running' | 'done' | 'cancelled' | 'failed';
  counts: {
    done: number;
    bytes: string;
    missing: number;
    conflicts: number;
    locked: number;
  };
  /** Keys there were when it began, as far as known. */
  total: number | null;
  /** Their bytes, where it lists no keys and they were counted. */
  totalBytes: string | null;
  /** null: no member, or no key, or nobody noted which. */
  startedBy: {
    accountId: string;
    memberId: string | null;
    accessKeyId: string | null;
  };
  startedAt: string;
  updatedAt: string;
  /** null: it runs. */
  finishedAt: string | null;
  canUndo: boolean;
  failure: string | null;
};

export type JobFailure = {
  key: string;
  /**
   * missing: gone or changed before the job came to it; conflict: the new name is taken, or
   * is none that a key can have; locked: protected by a retention or a legal hold, or a
   * retention that may not be changed so; invalid: it would have more headers, metadata or
   * tags than an object can.
   */
  reason: 'missing' | 'conflict' | 'locked' | 'invalid';
};

export type JobTask =
  | {
      kind: 'move';
      /** What the keys begin with. */
      prefix: string;
      /** Only these of the keys with the prefix; absent: all. */
      keys?: string[] | undefined;
      /**
       * Only keys that begin with one of these, besides those of `keys`; each begins with
       * `prefix`. A folder ends with a slash, else keys that begin like its name are meant
       * too.
       */
      prefixes?: string[] | undefined;
      /** What takes the place of the prefix in each key. */
      to: string;
      toBucket?: string | undefined;
      /** Where the new name is taken: leave it, take its place, or find a numbered name. */
      conflict?: 'refuse' | 'replace' | 'keep-both' | undefined;
    }
  | {
      kind: 'copy';
      /** What the keys begin with. */
      prefix: string;
      /** Only these of the keys with the prefix; absent: all. */
      keys?: string[] | undefined;
      /**
       * Only keys that begin with one of these, besides those of `keys`; each begins with
       * `prefix`. A folder ends with a slash, else keys that begin like its name are meant
       * too.
       */
      prefixes?: string[] | undefined;
      /** What takes the place of the prefix in each key. */
      to: string;
      toBucket?: string | undefined;
      /** Where the new name is taken: leave it, take its place, or find a numbered name. */
      conflict?: 'refuse' | 'replace' | 'keep-both' | undefined;
    }
  | {
      kind: 'rename';
      /** What the keys begin with. */
      prefix: string;
      /** Only these of the keys with the prefix; absent: all. */
      keys?: string[] | undefined;
      /**
       * Only keys that begin with one of these, besides those of `keys`; each begins with
       * `prefix`. A folder ends with a slash, else keys that begin like its name are meant
       * too.
       */
      prefixes?: string[] | undefined;
      pattern: NamePattern;
      /** Where the new name is taken: leave it, take its place, or find a numbered name. */
      conflict?: 'refuse' | 'replace' | 'keep-both' | undefined;
    }
  | {
      kind: 'edit';
      /** What the keys begin with. */
      prefix: string;
      /** Only these of the keys with the prefix; absent: all. */
      keys?: string[] | undefined;
      /**
       * Only keys that begin with one of these, besides those of `keys`; each begins with
       * `prefix`. A folder ends with a slash, else keys that begin like its name are meant
       * too.
       */
      prefixes?: string[] | undefined;
      /**
       * What is absent stays, null takes away; metadata and tags are merged. A lock is that
       * of the current version, in a bucket with object lock.
       */
      change: {
        contentType?: string | null | undefined;
        cacheControl?: string | null | undefined;
        contentDisposition?: string | null | undefined;
        contentEncoding?: string | null | undefined;
        contentLanguage?: string | null | undefined;
        expires?: string | null | undefined;
        websiteRedirectLocation?: string | null | undefined;
        metadata?: Record<string, string | null> | null | undefined;
        storageClass?: string | undefined;
        tags?: Record<string, string | null> | null | undefined;
        retention?: Retention | undefined;
        legalHold?: boolean | undefined;
        /** Owners and admins alone. */
        bypassGovernance?: boolean | undefined;
      };
    }
  | {
      kind: 'empty';
      /**
       * Whether every version of every key goes **for good**, and what is in the trash;
       * otherwise it is a `delete` of all.
       */
      allVersions: boolean;
      /** The name of the bucket. */
      confirm: string;
    }
  | {
      kind: 'delete';
      /** What the keys begin with. */
      prefix: string;
      /** Only these of the keys with the prefix; absent: all. */
      keys?: string[] | undefined;
      /**
       * Only keys that begin with one of these, besides those of `keys`; each begins with
       * `prefix`. A folder ends with a slash, else keys that begin like its name are meant
       * too.
       */
      prefixes?: string[] | undefined;
    }
  | {
      kind: 'restore';
      /** What the keys begin with. */
      prefix: string;
      /** Only these of the keys with the prefix; absent: all. */
      keys?: string[] | undefined;
      /**
       * Only keys that begin with one of these, besides those of `keys`; each begins with
       * `prefix`. A folder ends with a slash, else keys that begin like its name are meant
       * too.
       */
      prefixes?: string[] | undefined;
    }
  | {
      kind: 'empty-trash';
      /** What the keys begin with. */
      prefix: string;
      /** Only these of the keys with the prefix; absent: all. */
      keys?: string[] | undefined;
      /**
       * Only keys that begin with one of these, besides those of `keys`; each begins with
       * `prefix`. A folder ends with a slash, else keys that begin like its name are meant
       * too.
       */
      prefixes?: string[] | undefined;
    };

export type KeyScope =
  | {
  /** Names of buckets; one that ends in * means all that begin so. */
  buckets?: string[] | null | undefined;
  /** Beginnings of the keys of objects. */
  prefixes?: string[] | null | undefined;
  /** Actions of S3, like s3:GetObject or s3:Get*. */
  actions?: string[] | null | undefined;
  /** Addresses and ranges, like 10.0.0.0/8. */
  sourceIps?: string[] | null | undefined;
}
  | null;

export type KeyScopeChange =
  | {
  /** Names of buckets; one that ends in * means all that begin so. */
  buckets?: string[] | null | undefined;
  /** Beginnings of the keys of objects. */
  prefixes?: string[] | null | undefined;
  /** Actions of S3, like s3:GetObject or s3:Get*. */
  actions?: string[] | null | undefined;
  /** Addresses and ranges, like 10.0.0.0/8. */
  sourceIps?: string[] | null | undefined;
}
  | null;

export type LifecycleRule = {
  id?: string | undefined;
  isEnabled?: boolean | undefined;
  filter?: {
    prefix?: string | null | undefined;
    tags?: Record<string, string> | undefined;
    sizeGreaterThan?: number | null | undefined;
    sizeLessThan?: number | null | undefined;
  } | undefined;
  expiration?:
    | {
    days?: number | null | undefined;
    date?: string | null | undefined;
    expiredObjectDeleteMarker?: boolean | null | undefined;
  }
    | null | undefined;
  transitions?: {
    days?: number | null | undefined;
    date?: string | null | undefined;
    storageClass: string;
  }[] | undefined;
  noncurrentExpiration?:
    | {
    noncurrentDays: number;
    newerVersions?: number | null | undefined;
  }
    | null | undefined;
  noncurrentTransitions?: {
    noncurrentDays: number;
    newerVersions?: number | null | undefined;
    storageClass: string;
  }[] | undefined;
  abortUploadsAfterDays?: number | null | undefined;
};

export type LinkEntry = {
  id: string;
  kind: 'share' | 'drop';
  bucket: string;
  url: string;
  createdAt: string;
};

export type ListedShareLink =
  & ShareLink
  & {
      labels: number;
      /**
       * What visitors did since it was made; some seconds old on Node, a minute on
       * Cloudflare.
       */
      sums: {
        /** Pages shown. */
        opened: number;
        started: number;
        completed: number;
        aborted: number;
        bytes: string;
      };
      lastUsedAt: string | null;
    };

export type Me = {
  account: {
    id: string;
    displayName: string;
  };
  role: 'owner' | 'admin' | 'member' | 'billing' | 'reader';
  memberId: string | null;
  accessKeyId: string | null;
  by: 'token' | 'session';
  scopes: (
    | 'account:read'
    | 'account:write'
    | 'members:read'
    | 'members:write'
    | 'keys:read'
    | 'keys:write'
    | 'tokens:read'
    | 'tokens:write'
    | 'sessions:read'
    | 'sessions:write'
    | 'audit:read'
    | 'buckets:read'
    | 'buckets:write'
    | 'objects:read'
    | 'objects:write'
    | 'links:read'
    | 'links:write'
    | 'usage:read'
    | 'billing:read'
    | 'billing:write'
    | 'caps:read'
    | 'caps:write'
    | 'webhooks:read'
    | 'webhooks:write')[];
  /**
   * How you are connected: over TLS (`secure`), to your own machine (`local`), or over plain
   * http, where whoever is on the way reads along: within a private network (`private-http`),
   * or over any other (`public-http`).
   */
  transport: 'secure' | 'local' | 'private-http' | 'public-http';
};

export type Member = {
  id: string;
  login: string;
  displayName: string;
  role: 'owner' | 'admin' | 'member' | 'billing' | 'reader';
  isEnabled: boolean;
  hasPassword: boolean;
  createdAt: string;
};

export type NamePattern = {
  /**
   * Plain text, replaced wherever it stands in the file name. With up to nine `*` it must fit
   * the whole name; each is any text.
   */
  find?: string | undefined;
  /** What takes its place; `$1` to `$9` are the texts of each `*`. */
  replace?: string | undefined;
  /** Letters of the name; its extension stays. */
  case?: 'lower' | 'upper' | 'title' | undefined;
  prefix?: string | undefined;
  /** Stands before the extension. */
  suffix?: string | undefined;
  /** Numbers the objects in the order of `keys`, else by key. */
  counter?: {
    start?: number | undefined;
    step?: number | undefined;
    /** Digits at least: zeros stand before. */
    width?: number | undefined;
    at?: 'start' | 'end' | undefined;
    separator?: string | undefined;
  } | undefined;
};

export type NewAccessKey =
  & AccessKey
  & {
      secretAccessKey: string;
    };

export type NewDropLink = {
  /** What the keys of its files begin with. */
  prefix: string;
  /** Where files wait until they are released to `prefix`; null: nowhere. */
  quarantine?: string | null | undefined;
  /**
   * Names below the prefix, of {date}, {time}, {sender}, {mail}, and at its end {name} (with
   * folders) or {file}. Nothing is ever overwritten: a second a.txt becomes `a (2).txt`.
   */
  template?: string | undefined;
  /** Without a number of files: 10000. */
  limits?: {
    fileBytes?: number | null | undefined;
    files?: number | undefined;
    totalBytes?: number | null | undefined;
    senderFiles?: number | null | undefined;
    senderBytes?: number | null | undefined;
    /** Media types; `image/*` means all of its kind. null: any. */
    types?: string[] | null | undefined;
  } | undefined;
  page?: {
    title?: string | null | undefined;
    text?: string | null | undefined;
    colour?: string | null | undefined;
    name?: 'required' | 'optional' | 'none' | undefined;
    mail?: 'required' | 'optional' | 'none' | undefined;
    note?: 'required' | 'optional' | 'none' | undefined;
  } | undefined;
  note?: string | undefined;
  expiresAt?: string | null | undefined;
};

export type NewInvitation =
  & Invitation
  & {
      /** The link, shown this once; its secret is stored nowhere. */
      url: string;
    };

export type NewSession =
  & Session
  & {
      /**
       * How you are connected: over TLS (`secure`), to your own machine (`local`), or over
       * plain http, where whoever is on the way reads along: within a private network
       * (`private-http`), or over any other (`public-http`).
       */
      transport: 'secure' | 'local' | 'private-http' | 'public-http';
    };

export type NewShareLink = {
  target: ShareTarget;
  notBefore?: string | null | undefined;
  expiresAt?: string | null | undefined;
  password?: string | null | undefined;
  limits?: ShareLimits | undefined;
  audience?: ShareAudience | undefined;
  page?: SharePage | undefined;
  note?: string | undefined;
  /** Whether downloads under way are cut when the link is revoked. */
  cutsRunning?: boolean | undefined;
};

export type NewToken =
  & Token
  & {
      /** Shown once. */
      token: string;
    };

export type NewWebhook =
  & Webhook
  & {
      /** Shown once. Standard Webhooks: base64 behind `whsec_`. */
      secret: string;
    };

export type NewWebhookSecret = {
  /** Shown once. Standard Webhooks: base64 behind `whsec_`. */
  secret: string;
  oldEndsAt: string;
};

export type NotificationRule = {
  id?: string | undefined;
  webhookId: string;
  /** Names of S3, like s3:ObjectCreated:*. */
  events: string[];
  prefix?: string | undefined;
  suffix?: string | undefined;
};

export type ObjectChange = {
  contentType?: string | null | undefined;
  cacheControl?: string | null | undefined;
  contentDisposition?: string | null | undefined;
  contentEncoding?: string | null | undefined;
  contentLanguage?: string | null | undefined;
  expires?: string | null | undefined;
  websiteRedirectLocation?: string | null | undefined;
  metadata?: Record<string, string | null> | null | undefined;
  storageClass?: string | undefined;
  tags?: Record<string, string | null> | null | undefined;
  retention?:
    | {
    mode?: 'GOVERNANCE' | 'COMPLIANCE' | undefined;
    until?: string | undefined;
  }
    | null | undefined;
  legalHold?: boolean | undefined;
  /** Owners and admins alone. */
  bypassGovernance?: boolean | undefined;
};

export type ObjectDetail =
  & ObjectSummary
  & {
      storageClass?: string | undefined;
      versionId: string;
      isLatest: boolean;
      contentType: string | null;
      cacheControl: string | null;
      contentDisposition: string | null;
      contentEncoding: string | null;
      contentLanguage: string | null;
      expires: string | null;
      websiteRedirectLocation: string | null;
      /** User metadata: what S3 calls x-amz-meta-…, without that. */
      metadata: Record<string, string>;
      tags: Record<string, string>;
      checksum:
        | {
        algorithm: string;
        type: string;
        value: string;
      }
        | null;
      /** Count of the parts of a multipart upload. */
      parts: number | null;
      encryption:
        | {
        kind: 'customer' | 'server' | 'named';
        keyId: string | null;
      }
        | null;
      retention: Retention;
      legalHold: boolean;
      /** Whether strangers may; `ask`: the policy decides with each request. */
      everyoneMayRead: 'yes' | 'no' | 'ask';
      /** Where strangers find it, if they may read it. */
      publicUrl: string | null;
    };

export type ObjectSummary = {
  key: string;
  /** Bytes. */
  size: string;
  etag: string;
  lastModified: string;
  storageClass: string;
};

export type ObjectVersion =
  & ObjectSummary
  & {
      versionId: string;
      isLatest: boolean;
      isDeleteMarker: boolean;
      /** When the next version took its place. */
      replacedAt: string | null;
    };

export type OpenInvitation = {
  /** The name of the account. */
  account: string;
  login: string | null;
  displayName: string;
  role: 'owner' | 'admin' | 'member' | 'billing' | 'reader';
  expiresAt: string;
};

export type OpenedPrefix = {
  prefix: string;
  what: 'read' | 'read-and-list';
  /** The statements that are added to the policy of the bucket. */
  statements: PublicStatement[];
  /** Switches of publicAccessBlock that go off, since they would stop it. */
  lifted: ('blockPublicPolicy' | 'restrictPublicBuckets')[];
};

export type Overview = {
  accountId: string;
  buckets: {
    count: number;
    /** false: there are more than the 1,000 that were counted. */
    isComplete: boolean;
  };
  stored: {
    /** false: these are sums of the first 100 buckets by name. */
    isComplete: boolean;
    current: {
      /** Requests, bytes or byte-hours. */
      objects: string;
      /** Requests, bytes or byte-hours. */
      bytes: string;
    };
    noncurrent: {
      /** Requests, bytes or byte-hours. */
      objects: string;
      /** Requests, bytes or byte-hours. */
      bytes: string;
    };
    uploads: {
      /** Requests, bytes or byte-hours. */
      objects: string;
      /** Requests, bytes or byte-hours. */
      bytes: string;
    };
    saved: {
      /** Requests, bytes or byte-hours. */
      deduplicated: string;
      /** Requests, bytes or byte-hours. */
      compressed: string;
    };
  };
  /** Totals of GET /forecast; null without the scope billing:read. */
  month:
    | {
    /** A calendar month in UTC. */
    period: string;
    currency: string;
    /** Millionths of a unit of the currency. */
    soFarMicro: string;
    /** Millionths of a unit of the currency. */
    atEndMicro: string;
  }
    | null;
  /** Caps as GET /caps lists them; null without the scope caps:read. */
  caps: Cap[] | null;
};

export type Party = {
  name: string;
  /** Lines, with line feeds between. */
  address?: string | undefined;
  /** Two letters of ISO 3166-1, or empty. */
  country?: string | undefined;
  taxId?: string | undefined;
};

export type Passkey = {
  id: string;
  name: string;
  createdAt: string;
  lastUsedAt: string | null;
};

export type PasskeyAuthentication = {
  id: string;
  rawId: string;
  type: 'public-key';
  authenticatorAttachment?: 'cross-platform' | 'platform' | undefined;
  clientExtensionResults?: Record<string, unknown> | undefined;
  response: {
    clientDataJSON: string;
    authenticatorData: string;
    signature: string;
    userHandle?: string | undefined;
  };
};

export type PasskeyOptions = {
  challenge: string;
};

export type PasskeyRegistration = {
  id: string;
  rawId: string;
  type: 'public-key';
  authenticatorAttachment?: 'cross-platform' | 'platform' | undefined;
  clientExtensionResults?: Record<string, unknown> | undefined;
  response: {
    clientDataJSON: string;
    attestationObject: string;
    transports?: string[] | undefined;
  };
};

export type Place = {
  bucket: string;
  prefix?: string | undefined;
  label?: string | null | undefined;
};

export type Preferences = {
  pinned?: Place[] | undefined;
  recent?: Place[] | undefined;
  language?: string | null | undefined;
  theme?: 'light' | 'dark' | 'system' | undefined;
  density?: 'comfortable' | 'compact' | undefined;
};

export type PrefixSize = {
  prefix: string;
  objects: number;
  bytes: string;
  /** Bytes that are not of the class STANDARD. */
  otherBytes: string;
};

export type PresignedUrl = {
  method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  url: string;
  headers: Record<string, string>;
};

export type Problem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  /** Stable; what programs branch on. */
  code: string;
  requestId: string;
  /** Each field that cannot be used, as a JSON pointer, and why. */
  errors?: {
    field: string;
    message: string;
  }[] | undefined;
};

export type PublicAccess = {
  prefix?: string | undefined;
  /** Whether strangers may also list the names below the prefix. */
  what?: 'read' | 'read-and-list' | undefined;
};

export type PublicAccessBlock =
  | {
  blockPublicAcls: boolean;
  ignorePublicAcls: boolean;
  blockPublicPolicy: boolean;
  restrictPublicBuckets: boolean;
}
  | null;

export type PublicAccessPreview = {
  /** The statements that are added to the policy of the bucket. */
  statements: PublicStatement[];
  /** Switches of publicAccessBlock that go off, since they would stop it. */
  lifted: ('blockPublicPolicy' | 'restrictPublicBuckets')[];
  reads: AccessFinding;
  lists: AccessFinding;
  /** Null: being counted, ask again. */
  objects: number | null;
  bytes: string | null;
  /** Up to five that would work. */
  urls: string[];
  /** Keys that look as if nobody meant to show them; at most 20. */
  internalNames: string[];
  /** False: only the first 10,000 names were looked at. */
  isScanComplete: boolean;
  worstCase: WorstCase;
  /** Caps that hold for it; null: you may not see caps. */
  caps: Cap[] | null;
};

export type PublicStatement = {
  Sid: string;
  Effect: 'Allow';
  Principal: '*';
  Action: string;
  Resource: string;
  /** Only names below the prefix can be listed. */
  Condition?: {
    StringLike: {
      's3:prefix': string;
    };
  } | undefined;
};

export type RateCard = {
  id: string;
  name: string;
  currency: string;
  /** Where the prices come from: an https address. */
  source: string;
  asOf: string;
  /**
   * The first month that this version prices. Sent without it, a card counts from the month
   * that runs.
   */
  validFrom?: string | undefined;
  monthHours: 'calendar' | number;
  minimum?: string | undefined;
  notes?: string[] | undefined;
  lines: {
    label: string;
    meters: string[];
    unit: {
      name: string;
      size: number;
      perMonth?: boolean | undefined;
    };
    /** Units that cost nothing in a period. */
    free?: string | undefined;
    freePerStored?: {
      meters: string[];
      times: string;
    } | undefined;
    /** A unit that was begun is paid whole. */
    roundUp?: boolean | undefined;
    tiers: {
      /** Units of the period; the last tier is without end. */
      upTo?: string | undefined;
      price: string;
    }[];
  }[];
};

export type ReadNeeds =
  | {
  kind: 'customer-key' | 'kms-key';
  keyId: string | null;
  /** Whether the KMS key can be used. */
  isEnabled: boolean;
}
  | null;

export type ReceiptStatement = {
  /** A calendar month in UTC. */
  period: string;
  status: 'open' | 'closed';
  currency: string;
  cardId: string;
  /** What all receipts of the month come to. */
  receiptsMicro: string;
  /** What had none: storage, and requests that did not ask. */
  restMicro: string;
  /** Millionths of a unit of the currency. */
  minimumMicro: string;
  /** Late usage of months before. */
  lateMicro: string;
  /** Millionths of a unit of the currency. */
  creditsMicro: string;
  /** The invoice's total: receiptsMicro + restMicro + minimumMicro + lateMicro - creditsMicro. */
  totalMicro: string;
  /** Lines of the invoice. */
  lines: {
    label: string;
    meters: string[];
    /** Millionths of a unit of the currency. */
    amountMicro: string;
    /** Millionths of a unit of the currency. */
    receiptsMicro: string;
    /** Millionths of a unit of the currency. */
    restMicro: string;
  }[];
  /** What had receipts. */
  meters: {
    meter: string;
    /** Requests, bytes or byte-hours. */
    quantity: string;
    /** Millionths of a unit of the currency. */
    amountMicro: string;
  }[];
  /**
   * How many receipts were made by each card. A card that was changed in the month has
   * several versions.
   */
  cards: {
    cardId: string;
    version: string;
    receipts: number;
    /** Millionths of a unit of the currency. */
    amountMicro: string;
    isCurrent: boolean;
  }[];
};

export type RenamePreview = {
  /** Objects whose name changes. */
  total: number;
  names: {
    key: string;
    toKey: string | null;
    /**
     * taken: by an object that keeps its name; duplicate: another gets it too; invalid: no
     * key can be so. Of a clash the job finds a conflict.
     */
    clash: 'taken' | 'duplicate' | 'invalid' | null;
  }[];
};

export type Replayed = {
  count: number;
};

export type Retention =
  | {
  mode: 'GOVERNANCE' | 'COMPLIANCE';
  until: string;
}
  | null;

export type Server = {
  now: string;
  /** For S3 clients, with buckets in the path. */
  s3Endpoint: string;
  region: string;
  /** `{bucket}.` before it addresses a bucket. */
  baseDomain: string | null;
  /** `{bucket}.` before it is the website of a bucket. */
  websiteDomain: string | null;
  /** Hosts that no bucket can be bound to. */
  ownHosts: string[];
  features: {
    /** Whether the server has a master key: access keys need one too. */
    encryption: boolean;
    /** Whether the caller may bind hosts to buckets. */
    bindingHosts: boolean;
    /** Whether the server makes thumbnails, and images in other sizes. */
    images: boolean;
  };
  limits: {
    objectBytes: string;
    putBytes: string;
    partBytesMin: string;
    parts: number;
    keyBytes: number;
    urlSeconds: number;
    zipObjects: number;
  };
};

export type Session = {
  id: string;
  /**
   * Browser and system, or tool and version: `Firefox on Windows`, `curl 8.5`. An unknown
   * program is listed by its `User-Agent`, cut to 200 characters.
   */
  label: string;
  /** The network that it was begun from: an address, or /64 of IPv6. */
  network: string;
  /** To the hour. */
  lastUsedAt: string | null;
  memberId: string | null;
  accessKeyId: string | null;
  createdAt: string;
  expiresAt: string;
  /**
   * When its holder last showed a secret. Credentials are changed for ten minutes from then
   * on.
   */
  provenAt: string;
  isCurrent: boolean;
};

export type ShareAudience = {
  addresses?: string[] | null | undefined;
  /** ISO 3166-1. Where nobody can tell the country, nobody gets in. */
  countries?: string[] | null | undefined;
};

export type ShareDay = {
  day: string;
  labelId: string | null;
  /** Pages shown. */
  opened: number;
  started: number;
  completed: number;
  aborted: number;
  bytes: string;
  referrers: Record<string, number>;
  countries: Record<string, number>;
};

export type ShareHistoryEntry = {
  at: string;
  action: string;
  memberId: string | null;
  accessKeyId: string | null;
  changes: Record<string, {
    before?: unknown;
    after?: unknown;
  }>;
};

export type ShareLabel = {
  id: string;
  /** The address of this recipient. */
  url: string;
  name: string;
  createdAt: string;
  revokedAt: string | null;
};

export type ShareLimits = {
  downloads?: number | null | undefined;
  bytes?: string | null | undefined;
  /**
   * What its traffic may cost by the rate card of the account when this is set, in millionths
   * of its currency.
   */
  moneyMicro?: string | null | undefined;
};

export type ShareLink = {
  id: string;
  /** The address, for people and for programs. */
  url: string;
  createdAt: string;
  target: ShareTarget;
  notBefore: string | null;
  expiresAt: string | null;
  revokedAt: string | null;
  hasPassword: boolean;
  limits: ShareLimits;
  audience: ShareAudience;
  page: SharePage;
  note: string;
  cutsRunning: boolean;
  /** What counts against its limits; 0 without limits. */
  usage: {
    downloads: number;
    bytes: string;
  };
};

export type ShareLinkChange = {
  notBefore?: string | null | undefined;
  expiresAt?: string | null | undefined;
  password?: string | null | undefined;
  limits?: ShareLimits | undefined;
  audience?: ShareAudience | undefined;
  page?: SharePage | undefined;
  note?: string | undefined;
  /** Whether downloads under way are cut when the link is revoked. */
  cutsRunning?: boolean | undefined;
  isRevoked?: boolean | undefined;
};

export type SharePage = {
  title?: string | null | undefined;
  /** Markdown. */
  text?: string | null | undefined;
  /** An image of the bucket, up to 1 MiB. */
  logoKey?: string | null | undefined;
  colour?: string | null | undefined;
  /** `view` offers no download; whoever sees something can keep it all the same. */
  mode?: 'preview' | 'download' | 'view' | undefined;
  /** For the one object of a link; null: the name of its key. */
  fileName?: string | null | undefined;
};

export type ShareSum = {
  labelId: string | null;
  /** Pages shown. */
  opened: number;
  started: number;
  completed: number;
  aborted: number;
  bytes: string;
};

export type ShareTarget =
  | {
      kind: 'object';
      key: string;
      /** Null: whatever the key stands for when somebody reads it. */
      versionId?: string | null | undefined;
    }
  | {
      kind: 'folder';
      /** Ends in a slash; '' is the whole bucket. */
      prefix: string;
    }
  | {
      kind: 'keys';
      keys: string[];
    };

export type SignInOptions = {
  /**
   * How you are connected: over TLS (`secure`), to your own machine (`local`), or over plain
   * http, where whoever is on the way reads along: within a private network (`private-http`),
   * or over any other (`public-http`).
   */
  transport: 'secure' | 'local' | 'private-http' | 'public-http';
  /**
   * How to sign in at this address. Passkeys need a domain with TLS, or `localhost`. Empty
   * where sign-in is refused with InsecureTransport.
   */
  ways: ('passkey' | 'password' | 'access-key')[];
  /** The domain that passkeys are bound to here; null: there are none. */
  passkeyDomain: string | null;
  region: string;
  s3Endpoint: string;
  version: string;
};

export type Simulation = {
  own: {
    cardId: string;
    currency: string;
    /** Millionths of a unit of the currency. */
    totalMicro: string;
  };
  others: {
    cardId: string;
    currency: string;
    /** Millionths of a unit of the currency. */
    totalMicro: string;
  }[];
};

export type StorageQuota = {
  /**
   * Limit on current objects, older versions and parts of uploads, as clients see them. Null:
   * no limit.
   */
  bytes?: string | null | undefined;
  /** Current objects and older versions, not delete markers. Null: no limit. */
  objects?: number | null | undefined;
};

export type StorageTotals = {
  storageClass: string;
  current: {
    objects: number;
    bytes: string;
  };
  /** Older versions: what the trash and the history take. */
  noncurrent: {
    objects: number;
    bytes: string;
  };
  /** Parts of uploads that are not finished. */
  uploads: {
    objects: number;
    bytes: string;
  };
  /** Bytes of these that are not stored, for they are there already or compressed. */
  saved: {
    deduplicated: string;
    compressed: string;
  };
};

export type TestMessage = {
  messageId: string;
};

export type TestedAccess =
  & AccessFinding
  & {
      needs: ReadNeeds;
    };

export type Token = {
  id: string;
  name: string;
  role: 'owner' | 'admin' | 'member' | 'billing' | 'reader';
  memberId: string | null;
  accessKeyId: string | null;
  /** null: everything that its holder may do. */
  scopes: string[] | null;
  createdAt: string;
  expiresAt: string | null;
};

export type TrashSettings = {
  /** How long what is deleted or replaced is kept; null: as the rules of the bucket say. */
  days: number | null;
};

export type TrashedObject = {
  key: string;
  deletedAt: string;
  /** Bytes that would come back; null: nothing would. */
  size: string | null;
  etag: string | null;
  lastModified: string | null;
};

export type Upload = {
  id: string;
  key: string;
  startedAt: string;
  storageClass: string;
};

export type UploadPart = {
  partNumber: number;
  size: string;
  etag: string;
  lastModified: string;
  checksum:
    | {
    algorithm: string;
    value: string;
  }
    | null;
};

export type UrlRequest =
  | {
      operation: 'get';
      key: string;
      /** `null` is the version from before the bucket kept any. */
      versionId?: string | undefined;
      /** A browser saves it under that name, instead of showing it. */
      fileName?: string | undefined;
      /** The response names the stored checksum, as x-amz-checksum-mode wants it. */
      checksums?: boolean | undefined;
    }
  | {
      operation: 'head';
      key: string;
      /** `null` is the version from before the bucket kept any. */
      versionId?: string | undefined;
      /** The response names the stored checksum, as x-amz-checksum-mode wants it. */
      checksums?: boolean | undefined;
    }
  | {
      operation: 'delete';
      key: string;
      /** `null` is the version from before the bucket kept any. */
      versionId?: string | undefined;
    }
  | {
      operation: 'put';
      key: string;
      /** In lower case; they must be sent with the bytes. */
      headers?: Record<string, string> | undefined;
      /** Signed into the URL, and enforced before the first byte is stored. */
      limits?: {
        minBytes?: number | undefined;
        maxBytes?: number | undefined;
        /** How many requests may succeed by this URL; those that fail do not count. */
        maxUses?: number | undefined;
        /** The URL is for every key that begins so: what follows in its path may be replaced. */
        keyPrefix?: string | undefined;
        /** Media types of the bytes; `image/*` means all of its kind. */
        contentTypes?: string[] | undefined;
      } | undefined;
    }
  | {
      operation: 'put-part';
      key: string;
      uploadId: string;
      partNumber: number;
      /** Digests of the part, in lower case; they must be sent with the bytes. */
      headers?: Record<string, string> | undefined;
      /** Signed into the URL, and enforced before the first byte is stored. */
      limits?: {
        minBytes?: number | undefined;
        maxBytes?: number | undefined;
        /** How many requests may succeed by this URL; those that fail do not count. */
        maxUses?: number | undefined;
        /** The URL is for every key that begins so: what follows in its path may be replaced. */
        keyPrefix?: string | undefined;
      } | undefined;
    };

export type Usage = {
  /** Start of the hour, day or month; null: of the whole time. */
  time: string | null;
  bucket: string | null;
  accessKeyId: string | null;
  /** Name of the key; null where the account has it no more. */
  accessKeyName: string | null;
  operation: string | null;
  /**
   * Kind, and class, tier or what is counted. errors/4xx: requests of the account itself that
   * were refused; those of strangers are free/blocked. errors/5xx: requests of anybody that
   * the server failed.
   */
  meter: string;
  /** Requests, bytes or byte-hours. */
  quantity: string;
};

export type UsageAnswer = {
  from: string;
  to: string;
  items: Usage[];
};

export type VoidedInvoice = {
  creditNote: CreditNote;
  invoice: Invoice | null;
};

export type Webhook = {
  id: string;
  /** What a bucket's notification configuration names. */
  arn: string;
  url: string;
  description: string;
  /**
   * Types of account events to get: `invoice.closed`, `usage.*`, `*`. Not of what buckets
   * tell.
   */
  types: string[];
  isEnabled: boolean;
  createdAt: string;
};

export type WorstCase = {
  bytes: string;
  requests: string;
  /** Millionths of the currency. */
  costMicro: string;
  currency: string;
  rateCardId: string;
  bytesPerSecond: number;
  days: number;
  /** How it is reckoned, as a sentence. */
  reckoning: string;
};

export type Zip = {
  /** A browser goes there, and saves the file. */
  url: string;
  /** Length of the file now. */
  bytes: string;
  /** Objects in it. */
  objects: number;
  expiresAt: string;
};

/** Every route: what it takes and what it answers. */
export type Routes = {
  /** Sign in with an access key, or as a member with a password or a passkey. */
  'POST /sessions': {
    body:
      | {
          accessKeyId: string;
          secretAccessKey: string;
        }
      | {
          login: string;
          password: string;
        }
      | {
          passkey: PasskeyAuthentication;
        };
    answer: NewSession;
  };
  /** List sessions: your own, as owner or admin those of the account. */
  'GET /sessions': {
    query?: {
      /** Items of one page at most. */
      limit?: number | undefined;
      /** The nextCursor of the page before; absent for the first page. */
      cursor?: string | undefined;
    };
    answer: {
      items: Session[];
      /** For the next page; null: this was the last. */
      nextCursor: string | null;
    };
  };
  /** End all of your sessions, this one too. */
  'DELETE /sessions': {
    answer: undefined;
  };
  /** Who you are and what you may do. */
  'GET /me': {
    answer: Me;
  };
  /** Show your password, passkey or access key again, to change credentials in this session. */
  'POST /sessions/current/proof': {
    body:
      | {
          accessKeyId: string;
          secretAccessKey: string;
        }
      | {
          login: string;
          password: string;
        }
      | {
          passkey: PasskeyAuthentication;
        };
    answer: {
      /**
       * When its holder last showed a secret. Credentials are changed for ten minutes from
       * then on.
       */
      provenAt: string;
    };
  };
  /** End a session; `current` is the one that asks. */
  'DELETE /sessions/{sessionId}': {
    path: {
      sessionId: string;
    };
    answer: undefined;
  };
  /** Your own preferences of the console. */
  'GET /me/preferences': {
    answer: Preferences;
  };
  /** Set your own preferences of the console. */
  'PUT /me/preferences': {
    body: Preferences;
    answer: Preferences;
  };
  /** How to sign in at this address, and where S3 is. */
  'GET /sign-in-options': {
    answer: SignInOptions;
  };
  /** Make a bearer token with all or some of your rights. */
  'POST /tokens': {
    body: {
      name: string;
      scopes?:
        | (
        | 'account:read'
        | 'account:write'
        | 'members:read'
        | 'members:write'
        | 'keys:read'
        | 'keys:write'
        | 'tokens:read'
        | 'tokens:write'
        | 'sessions:read'
        | 'sessions:write'
        | 'audit:read'
        | 'buckets:read'
        | 'buckets:write'
        | 'objects:read'
        | 'objects:write'
        | 'links:read'
        | 'links:write'
        | 'usage:read'
        | 'billing:read'
        | 'billing:write'
        | 'caps:read'
        | 'caps:write'
        | 'webhooks:read'
        | 'webhooks:write')[]
        | null | undefined;
      expiresAt?: string | null | undefined;
    };
    answer: NewToken;
  };
  /** List tokens: your own, as owner or admin those of the account. */
  'GET /tokens': {
    query?: {
      /** Items of one page at most. */
      limit?: number | undefined;
      /** The nextCursor of the page before; absent for the first page. */
      cursor?: string | undefined;
    };
    answer: {
      items: Token[];
      /** For the next page; null: this was the last. */
      nextCursor: string | null;
    };
  };
  /** Withdraw a token; it is refused from now on. */
  'DELETE /tokens/{tokenId}': {
    path: {
      tokenId: string;
    };
    answer: undefined;
  };
  /** Options for navigator.credentials.create. */
  'POST /passkeys/registration-options': {
    answer: PasskeyOptions;
  };
  /** Register a passkey. */
  'POST /passkeys': {
    body: {
      name: string;
      passkey: PasskeyRegistration;
    };
    answer: Passkey;
  };
  /** Your passkeys. */
  'GET /passkeys': {
    answer: {
      items: Passkey[];
    };
  };
  /** Remove one of your passkeys, with the other sessions and the tokens that it began. */
  'DELETE /passkeys/{passkeyId}': {
    path: {
      passkeyId: string;
    };
    answer: undefined;
  };
  /** Options for navigator.credentials.get; its response goes to POST /sessions. */
  'POST /passkeys/authentication-options': {
    answer: PasskeyOptions;
  };
  /** Make an account (operator). */
  'POST /accounts': {
    body: {
      displayName: string;
    };
    answer: Account;
  };
  /** List accounts (operator), those of the settings (`QUAYSIDE_SEED`) among them. */
  'GET /accounts': {
    query?: {
      /** Items of one page at most. */
      limit?: number | undefined;
      /** The nextCursor of the page before; absent for the first page. */
      cursor?: string | undefined;
    };
    answer: {
      items: Account[];
      /** For the next page; null: this was the last. */
      nextCursor: string | null;
    };
  };
  /** An account. */
  'GET /accounts/{accountId}': {
    path: {
      accountId: string;
    };
    answer: Account;
  };
  /** Name an account; as operator also disable it, which ends its sessions and stops its keys. */
  'PATCH /accounts/{accountId}': {
    path: {
      accountId: string;
    };
    body: {
      displayName?: string | undefined;
      isEnabled?: boolean | undefined;
    };
    answer: Account;
  };
  /**
   * Delete an account that has no buckets, with its members, keys, tokens, sessions and
   * webhooks (operator).
   */
  'DELETE /accounts/{accountId}': {
    path: {
      accountId: string;
    };
    answer: undefined;
  };
  /** What all buckets of an account may store together, and what they do. */
  'GET /accounts/{accountId}/quota': {
    path: {
      accountId: string;
    };
    answer: AccountQuota;
  };
  /** Limit what all buckets of an account may store together (operator). */
  'PUT /accounts/{accountId}/quota': {
    path: {
      accountId: string;
    };
    body: StorageQuota;
    answer: AccountQuota;
  };
  /**
   * An account at a glance: its buckets, what is stored, what the month costs, how its caps
   * stand.
   */
  'GET /overview': {
    query?: {
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
    };
    answer: Overview;
  };
  /** Make a member, who signs in with a login and a password. */
  'POST /members': {
    query?: {
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
    };
    body: {
      login: string;
      displayName: string;
      role: 'owner' | 'admin' | 'member' | 'billing' | 'reader';
      password?: string | null | undefined;
    };
    answer: Member;
  };
  /** List members. */
  'GET /members': {
    query?: {
      /** Items of one page at most. */
      limit?: number | undefined;
      /** The nextCursor of the page before; absent for the first page. */
      cursor?: string | undefined;
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
    };
    answer: {
      items: Member[];
      /** For the next page; null: this was the last. */
      nextCursor: string | null;
    };
  };
  /** A member. */
  'GET /members/{memberId}': {
    path: {
      memberId: string;
    };
    query?: {
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
    };
    answer: Member;
  };
  /** Change the name, role or password of a member, or disable one. */
  'PATCH /members/{memberId}': {
    path: {
      memberId: string;
    };
    query?: {
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
    };
    body: {
      displayName?: string | undefined;
      role?: 'owner' | 'admin' | 'member' | 'billing' | 'reader' | undefined;
      isEnabled?: boolean | undefined;
      password?: string | undefined;
      /** Whether a new password ends the bearer tokens of the member too. */
      endTokens?: boolean | undefined;
    };
    answer: ChangedMember;
  };
  /** Delete a member, with tokens, sessions and passkeys. */
  'DELETE /members/{memberId}': {
    path: {
      memberId: string;
    };
    query?: {
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
    };
    answer: undefined;
  };
  /** Change your own password; your other sessions end, and your tokens unless you keep them. */
  'PUT /me/password': {
    body: {
      currentPassword: string;
      newPassword: string;
      /** Whether a new password ends the bearer tokens of the member too. */
      endTokens?: boolean | undefined;
    };
    answer: EndedCredentials;
  };
  /** Make a link by which somebody becomes a member, with a credential of their own. */
  'POST /invitations': {
    query?: {
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
    };
    body: {
      /** Null: whoever accepts chooses one. */
      login?: string | undefined;
      displayName: string;
      role: 'owner' | 'admin' | 'member' | 'billing' | 'reader';
      expiresInHours?: number | undefined;
    };
    answer: NewInvitation;
  };
  /** List invitations, those that were accepted or expired lately too. */
  'GET /invitations': {
    query?: {
      /** Items of one page at most. */
      limit?: number | undefined;
      /** The nextCursor of the page before; absent for the first page. */
      cursor?: string | undefined;
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
    };
    answer: {
      items: Invitation[];
      /** For the next page; null: this was the last. */
      nextCursor: string | null;
    };
  };
  /** Take back an invitation that nobody has accepted. */
  'DELETE /invitations/{invitationId}': {
    path: {
      invitationId: string;
    };
    query?: {
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
    };
    answer: undefined;
  };
  /** What an invitation says, for whoever has its secret. */
  'POST /invitations/lookup': {
    body: {
      secret: string;
    };
    answer: OpenInvitation;
  };
  /** Options for navigator.credentials.create, to accept an invitation by passkey. */
  'POST /invitations/registration-options': {
    body: {
      secret: string;
      login?: string | undefined;
    };
    answer: PasskeyOptions;
  };
  /** Become the member of an invitation, by a password or a passkey, and sign in. */
  'POST /invitations/accept': {
    body:
      | {
          secret: string;
          login?: string | undefined;
          password: string;
        }
      | {
          secret: string;
          login?: string | undefined;
          passkey: {
            name: string;
            registration: PasskeyRegistration;
          };
        };
    answer: NewSession;
  };
  /** Make an access key, with a scope or without. */
  'POST /access-keys': {
    query?: {
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
    };
    body: {
      name: string;
      scope?: KeyScope | undefined;
      expiresAt?: string | null | undefined;
    };
    answer: NewAccessKey;
  };
  /** List access keys, without their secrets; those of the settings are not among them. */
  'GET /access-keys': {
    query?: {
      /** Items of one page at most. */
      limit?: number | undefined;
      /** The nextCursor of the page before; absent for the first page. */
      cursor?: string | undefined;
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
    };
    answer: {
      items: AccessKey[];
      /** For the next page; null: this was the last. */
      nextCursor: string | null;
    };
  };
  /** An access key, without its secret. */
  'GET /access-keys/{accessKeyId}': {
    path: {
      accessKeyId: string;
    };
    query?: {
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
    };
    answer: AccessKey;
  };
  /** Name, narrow, end or disable an access key. */
  'PATCH /access-keys/{accessKeyId}': {
    path: {
      accessKeyId: string;
    };
    query?: {
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
    };
    body: {
      name?: string | undefined;
      scope?: KeyScopeChange | undefined;
      expiresAt?: string | null | undefined;
      isEnabled?: boolean | undefined;
    };
    answer: AccessKey;
  };
  /** Delete an access key, and end what signed in by it. */
  'DELETE /access-keys/{accessKeyId}': {
    path: {
      accessKeyId: string;
    };
    query?: {
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
    };
    answer: undefined;
  };
  /** Make a key of the same scope; both work until the overlap is over. */
  'POST /access-keys/{accessKeyId}/rotate': {
    path: {
      accessKeyId: string;
    };
    query?: {
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
    };
    body: {
      overlapSeconds?: number | undefined;
    };
    answer: NewAccessKey;
  };
  /** What was changed, by whom, when and from where. */
  'GET /audit': {
    query?: {
      /** Items of one page at most. */
      limit?: number | undefined;
      /** The nextCursor of the page before; absent for the first page. */
      cursor?: string | undefined;
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
      /** An operationId of this document, or an operation of S3 like PutBucketPolicy. */
      action?: string | undefined;
      memberId?: string | undefined;
      accessKeyId?: string | undefined;
      from?: string | undefined;
      to?: string | undefined;
    };
    answer: {
      items: AuditEntry[];
      /** For the next page; null: this was the last. */
      nextCursor: string | null;
    };
  };
  /** List the buckets of an account, in byte order of their names. */
  'GET /buckets': {
    query?: {
      /** Items of one page at most. */
      limit?: number | undefined;
      /** The nextCursor of the page before; absent for the first page. */
      cursor?: string | undefined;
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
      prefix?: string | undefined;
      /** Says of each bucket what it stores, what that costs, and who reads it. */
      include?: 'totals' | undefined;
    };
    answer: {
      items: BucketSummary[];
      /** For the next page; null: this was the last. */
      nextCursor: string | null;
    };
  };
  /** Make a bucket; it is private. */
  'POST /buckets': {
    query?: {
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
    };
    body: {
      name: string;
    };
    answer: Bucket;
  };
  /** A bucket with its settings. */
  'GET /buckets/{bucket}': {
    path: {
      bucket: string;
    };
    answer: Bucket;
  };
  /** Change settings of a bucket; what is absent stays. */
  'PATCH /buckets/{bucket}': {
    path: {
      bucket: string;
    };
    body: BucketChange;
    answer: Bucket;
  };
  /** Delete an empty bucket. */
  'DELETE /buckets/{bucket}': {
    path: {
      bucket: string;
    };
    answer: undefined;
  };
  /**
   * What a bucket stores now, by storage class: current objects, older versions, parts of
   * uploads.
   */
  'GET /buckets/{bucket}/totals': {
    path: {
      bucket: string;
    };
    answer: {
      quota: StorageQuota | null;
      /**
       * Room of its index, where that is bounded; small bodies leave it from 60 % on, and
       * nothing more is stored from 97 % on. The event `index.crossed` tells of 70, 85 and 95
       * %.
       */
      index:
        | {
        usedBytes: string;
        maxBytes: string;
        /** Objects, older versions and parts of uploads in it. */
        rows: number;
      }
        | null;
      items: StorageTotals[];
    };
  };
  /** The hosts of a bucket, and whether each is bound to it. */
  'GET /buckets/{bucket}/domains': {
    path: {
      bucket: string;
    };
    answer: {
      /** The hosts in the settings of the bucket; at most 20. */
      items: BucketDomain[];
      /** Where S3 has the bucket as a host of the service; null: nowhere. */
      bucketHost: string | null;
      /** Its website on the service's own domain; null: there is none. */
      websiteHost: string | null;
    };
  };
  /** The record of DNS that lets a host be bound to the bucket, and whether it is there. */
  'POST /buckets/{bucket}/domains/check': {
    path: {
      bucket: string;
    };
    body: {
      host: string;
    };
    answer: CheckedDomain;
  };
  /** Who may read, write, list or delete a key, or what is below a prefix, and why. */
  'POST /buckets/{bucket}/access-checks': {
    path: {
      bucket: string;
    };
    body: {
      key?: string | undefined;
      /** All keys that begin so. */
      prefix?: string | undefined;
      actions?: ('read' | 'write' | 'list' | 'delete')[] | undefined;
    };
    answer: AccessCheck;
  };
  /** What would be decided on a request that nobody has sent, and by which line. */
  'POST /buckets/{bucket}/access-tests': {
    path: {
      bucket: string;
    };
    body: {
      as:
        | 'stranger'
        | {
            accessKeyId: string;
          }
        | {
            role: 'owner' | 'admin' | 'member' | 'billing' | 'reader';
          }
        | {
            accountId: string;
          };
      action: 'read' | 'write' | 'list' | 'delete';
      key?: string | undefined;
      /** All keys that begin so. */
      prefix?: string | undefined;
      address?: string | undefined;
      /** Absent: now. */
      time?: string | undefined;
      /** Null: the request has none; absent: it is left open. */
      referer?: string | null | undefined;
    };
    answer: TestedAccess;
  };
  /** What making a prefix public would open, and what it may cost at worst. */
  'POST /buckets/{bucket}/public-access-preview': {
    path: {
      bucket: string;
    };
    body: PublicAccess;
    answer: PublicAccessPreview;
  };
  /** Let strangers read a prefix, by a statement of the bucket policy. */
  'PUT /buckets/{bucket}/public-access': {
    path: {
      bucket: string;
    };
    body: PublicAccess;
    answer: OpenedPrefix;
  };
  /** Take back exactly the statements that opened a prefix. */
  'DELETE /buckets/{bucket}/public-access': {
    path: {
      bucket: string;
    };
    query?: {
      prefix?: string | undefined;
    };
    answer: undefined;
  };
  /**
   * What the lifecycle rules and the trash would do to what there is now, if they ran at a
   * time.
   */
  'GET /buckets/{bucket}/lifecycle-preview': {
    path: {
      bucket: string;
    };
    query?: {
      /** The nextCursor of the page before; absent for the first page. */
      cursor?: string | undefined;
      /** Absent: now. */
      at?: string | undefined;
    };
    answer: {
      at: string;
      items: DueByLifecycle[];
      nextCursor: string | null;
    };
  };
  /** Make every tier ask the truth again: for keys, prefixes, tags, or everything. */
  'POST /buckets/{bucket}/cache-purges': {
    path: {
      bucket: string;
    };
    body: CachePurge;
    answer: CachePurgeReceipt;
  };
  /** What is below a prefix: folders, and objects by name, size or date. */
  'GET /buckets/{bucket}/objects': {
    path: {
      bucket: string;
    };
    query?: {
      /** Items of one page at most. */
      limit?: number | undefined;
      /** The nextCursor of the page before; absent for the first page. */
      cursor?: string | undefined;
      /** type: the extension, in any case. Folders come first unless by name. */
      sort?: 'name' | 'size' | 'modified' | 'type' | undefined;
      order?: 'asc' | 'desc' | undefined;
      prefix?: string | undefined;
      delimiter?: string | undefined;
      /** Begin with the entry at this position, counted from 0; without a cursor. */
      at?: number | null | undefined;
      /** Begin with the first entry at or behind this name; by name, without a cursor. */
      from?: string | undefined;
      include?: 'readers' | undefined;
    };
    answer: {
      items: FolderEntry[];
      nextCursor: string | null;
      /** Whether all there is took part; otherwise narrow the prefix or the text. */
      isComplete: boolean;
      /**
       * Entries of the folder. Null: not counted; a page with `at` or `from` counts them.
       * Unless totalIsExact, those counted so far.
       */
      total: number | null;
      totalIsExact: boolean;
      /** False: the folder has more keys than were sorted, as isComplete says too. */
      sortIsExact: boolean;
      /**
       * Entries before the first one of this page. Null: not counted, or not so far yet. Less
       * than `at`: the folder has no more entries, or no more are counted yet.
       */
      rank: number | null;
    };
  };
  /** Find objects by a part of their key, without regard to case and accents. */
  'GET /buckets/{bucket}/search': {
    path: {
      bucket: string;
    };
    query: {
      /** Items of one page at most. */
      limit?: number | undefined;
      /** The nextCursor of the page before; absent for the first page. */
      cursor?: string | undefined;
      sort?: 'name' | 'size' | 'modified' | undefined;
      order?: 'asc' | 'desc' | undefined;
      prefix?: string | undefined;
      text: string;
    };
    answer: {
      items: ObjectSummary[];
      nextCursor: string | null;
      /** Whether all there is took part; otherwise narrow the prefix or the text. */
      isComplete: boolean;
      /** The search index of the bucket. Without it a page looks at some thousand names only. */
      index: 'off' | 'building' | 'ready';
    };
  };
  /** How many objects stand below prefixes, and how large they are, exact to the last commit. */
  'GET /buckets/{bucket}/sizes': {
    path: {
      bucket: string;
    };
    query?: {
      /** Up to 100, by repeating it. Absent: the whole bucket. */
      prefix?: string | string[] | undefined;
    };
    answer: {
      /** Null: the bucket is being counted, ask again. */
      items: PrefixSize[] | null;
    };
  };
  /** All that is known of an object, or of a version of it. */
  'GET /buckets/{bucket}/object': {
    path: {
      bucket: string;
    };
    query: {
      key: string;
      /** `null` is the version from before the bucket kept any. */
      versionId?: string | undefined;
    };
    answer: ObjectDetail;
  };
  /**
   * Change headers, metadata, tags or lock of an object; what is absent stays, and no byte
   * moves.
   */
  'PATCH /buckets/{bucket}/object': {
    path: {
      bucket: string;
    };
    query: {
      key: string;
      /** `null` is the version from before the bucket kept any. */
      versionId?: string | undefined;
    };
    body: ObjectChange;
    answer: ObjectDetail;
  };
  /** Delete an object, or one version of it for good. */
  'DELETE /buckets/{bucket}/object': {
    path: {
      bucket: string;
    };
    query: {
      key: string;
      /** `null` is the version from before the bucket kept any. */
      versionId?: string | undefined;
      /** Owners and admins alone. */
      bypassGovernance?: '0' | '1' | undefined;
    };
    answer: {
      /** The marker that hides the object now. */
      deleteMarkerId: string | null;
    };
  };
  /** Make an older version the current one again, as a new version of the same bytes. */
  'POST /buckets/{bucket}/object/restore': {
    path: {
      bucket: string;
    };
    body: {
      key: string;
      /** `null` is the version from before the bucket kept any. */
      versionId: string;
    };
    answer: ObjectDetail;
  };
  /** Versions and delete markers, by key, of each key the latest first. */
  'GET /buckets/{bucket}/versions': {
    path: {
      bucket: string;
    };
    query?: {
      /** Items of one page at most. */
      limit?: number | undefined;
      /** The nextCursor of the page before; absent for the first page. */
      cursor?: string | undefined;
      prefix?: string | undefined;
      /** The history of this key alone. */
      key?: string | undefined;
    };
    answer: {
      items: ObjectVersion[];
      /** For the next page; null: this was the last. */
      nextCursor: string | null;
    };
  };
  /**
   * URLs for up to 1,000 requests to objects, each of which works without any key until it
   * expires.
   */
  'POST /buckets/{bucket}/presigned-urls': {
    path: {
      bucket: string;
    };
    body: {
      requests: UrlRequest[];
      expiresSeconds?: number | undefined;
    };
    answer: {
      items: PresignedUrl[];
      expiresAt: string;
    };
  };
  /** Go to the bytes of an object: for links and images of a page that is signed in. */
  'GET /buckets/{bucket}/content': {
    path: {
      bucket: string;
    };
    query: {
      key: string;
      /** `null` is the version from before the bucket kept any. */
      versionId?: string | undefined;
      /** `inline`: a browser shows it, `attachment`: saves it, whatever is stored with it. */
      disposition?: 'inline' | 'attachment' | undefined;
      /** 1: as `disposition=attachment`. */
      download?: '0' | '1' | undefined;
      /** A browser takes it for that, whatever type is stored with it. */
      contentType?: 'application/pdf' | undefined;
      /** 1: a page that is shown runs no script, and loads only what it has in itself. */
      preview?: '0' | '1' | undefined;
    };
    answer: Response;
  };
  /** A small image of an image, for who may read it. */
  'GET /buckets/{bucket}/thumbnail': {
    path: {
      bucket: string;
    };
    query: {
      key: string;
      /** Pixels of its larger side. */
      size?: '64' | '256' | '1024' | undefined;
      /** `null` is the version from before the bucket kept any. */
      versionId?: string | undefined;
      /**
       * The ETag of the object that the page knows. While that is so, the browser keeps the
       * image for a year and never asks again.
       */
      etag?: string | undefined;
    };
    answer: Response;
  };
  /** A URL, for ten minutes, of a ZIP file with up to 10,000 objects. */
  'POST /buckets/{bucket}/zips': {
    path: {
      bucket: string;
    };
    body: {
      /** The folder behind which names in the ZIP begin. */
      base?: string | undefined;
      keys?: string[] | undefined;
      /** Everything that begins so: a folder ends in a slash. */
      prefixes?: string[] | undefined;
      /** Name of the file; without it that of the folder. */
      fileName?: string | undefined;
    };
    answer: Zip;
  };
  /** Begin a multipart upload. */
  'POST /buckets/{bucket}/uploads': {
    path: {
      bucket: string;
    };
    body: {
      contentType?: string | null | undefined;
      cacheControl?: string | null | undefined;
      contentDisposition?: string | null | undefined;
      contentEncoding?: string | null | undefined;
      contentLanguage?: string | null | undefined;
      expires?: string | null | undefined;
      websiteRedirectLocation?: string | null | undefined;
      /** User metadata: what S3 calls x-amz-meta-…, without that. */
      metadata?: Record<string, string> | undefined;
      storageClass?: string | undefined;
      tags?: Record<string, string> | undefined;
      key: string;
      /** Each part then has a checksum: the one that came with it, or one made here. */
      checksum?: 'CRC32' | 'CRC32C' | 'CRC64NVME' | 'SHA1' | 'SHA256' | undefined;
    };
    answer: Upload;
  };
  /** Uploads that are not finished, by key. */
  'GET /buckets/{bucket}/uploads': {
    path: {
      bucket: string;
    };
    query?: {
      /** Items of one page at most. */
      limit?: number | undefined;
      /** The nextCursor of the page before; absent for the first page. */
      cursor?: string | undefined;
      prefix?: string | undefined;
    };
    answer: {
      items: Upload[];
      /** For the next page; null: this was the last. */
      nextCursor: string | null;
    };
  };
  /** Parts of an upload that have arrived. */
  'GET /buckets/{bucket}/uploads/{uploadId}/parts': {
    path: {
      bucket: string;
      uploadId: string;
    };
    query: {
      /** Items of one page at most. */
      limit?: number | undefined;
      /** The nextCursor of the page before; absent for the first page. */
      cursor?: string | undefined;
      key: string;
    };
    answer: {
      items: UploadPart[];
      /** For the next page; null: this was the last. */
      nextCursor: string | null;
    };
  };
  /** Make the parts the object, in one commit. */
  'POST /buckets/{bucket}/uploads/{uploadId}/complete': {
    path: {
      bucket: string;
      uploadId: string;
    };
    body: {
      key: string;
      parts: {
        partNumber: number;
        /** ETag that the part was answered with, in quotes or without. */
        etag: string;
      }[];
      /** 412 where the key is taken. */
      onlyIfNew?: boolean | undefined;
      /** 412 where the key has another object; 404 where it has none. */
      onlyIfEtag?: string | undefined;
    };
    answer: CompletedUpload;
  };
  /** Give an upload up; its parts are swept later. */
  'DELETE /buckets/{bucket}/uploads/{uploadId}': {
    path: {
      bucket: string;
      uploadId: string;
    };
    query: {
      key: string;
    };
    answer: undefined;
  };
  /** Move, copy, delete or restore many objects, or empty the trash; no byte moves. */
  'POST /buckets/{bucket}/jobs': {
    path: {
      bucket: string;
    };
    body: JobTask;
    answer: Job;
  };
  /** The newest jobs of a bucket, at most 100. */
  'GET /buckets/{bucket}/jobs': {
    path: {
      bucket: string;
    };
    answer: {
      items: Job[];
      nextCursor: null;
    };
  };
  /** What deleting all below a prefix would remove, and what that saves a month. */
  'GET /buckets/{bucket}/deletion-preview': {
    path: {
      bucket: string;
    };
    query?: {
      prefix?: string | undefined;
    };
    answer: {
      preview: DeletionPreview;
    };
  };
  /** A job with its progress. */
  'GET /buckets/{bucket}/jobs/{jobId}': {
    path: {
      bucket: string;
      jobId: string;
    };
    answer: Job;
  };
  /** The first 100 keys that a job left as they were, and why. */
  'GET /buckets/{bucket}/jobs/{jobId}/failures': {
    path: {
      bucket: string;
      jobId: string;
    };
    answer: {
      items: JobFailure[];
    };
  };
  /** End a job that runs; what it did stays, and can be undone. */
  'POST /buckets/{bucket}/jobs/{jobId}/cancel': {
    path: {
      bucket: string;
      jobId: string;
    };
    answer: Job;
  };
  /** Take back what a job did, as far as it still is as the job left it. */
  'POST /buckets/{bucket}/jobs/{jobId}/undo': {
    path: {
      bucket: string;
      jobId: string;
    };
    query?: {
      /** Owners and admins alone. */
      bypassGovernance?: '0' | '1' | undefined;
    };
    answer: Job;
  };
  /** The newest jobs of all buckets, at most 1,000. */
  'GET /jobs': {
    query?: {
      /** Items of one page at most. */
      limit?: number | undefined;
      /** The nextCursor of the page before; absent for the first page. */
      cursor?: string | undefined;
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
      state?: 'running' | 'done' | 'cancelled' | 'failed' | undefined;
    };
    answer: {
      items: AccountJob[];
      /** For the next page; null: this was the last. */
      nextCursor: string | null;
    };
  };
  /** The first 1,000 names that a rename by a pattern would give, with clashes. */
  'POST /buckets/{bucket}/rename-preview': {
    path: {
      bucket: string;
    };
    body: {
      /** What the keys begin with. */
      prefix: string;
      /** Only these of the keys with the prefix; absent: all. */
      keys?: string[] | undefined;
      /**
       * Only keys that begin with one of these, besides those of `keys`; each begins with
       * `prefix`. A folder ends with a slash, else keys that begin like its name are meant
       * too.
       */
      prefixes?: string[] | undefined;
      pattern: NamePattern;
    };
    answer: RenamePreview;
  };
  /** Wait until objects, uploads, jobs or settings of a bucket change. */
  'GET /buckets/{bucket}/events': {
    path: {
      bucket: string;
    };
    query?: {
      /** The revision that you know. */
      after?: string | undefined;
      waitSeconds?: number | null | undefined;
    };
    answer: BucketNews;
  };
  /** Keys that are deleted but kept, by name, time of deletion or size. */
  'GET /buckets/{bucket}/trash': {
    path: {
      bucket: string;
    };
    query?: {
      /** Items of one page at most. */
      limit?: number | undefined;
      /** The nextCursor of the page before; absent for the first page. */
      cursor?: string | undefined;
      prefix?: string | undefined;
      sort?: 'name' | 'deleted' | 'size' | undefined;
      order?: 'asc' | 'desc' | undefined;
    };
    answer: {
      items: TrashedObject[];
      /** For the next page; null: this was the last. */
      nextCursor: string | null;
      /** Whether all there is took part; otherwise narrow the prefix or the text. */
      isComplete: boolean;
    };
  };
  /** How long the bucket keeps what is deleted. */
  'GET /buckets/{bucket}/trash/settings': {
    path: {
      bucket: string;
    };
    answer: TrashSettings;
  };
  /** Keep what is deleted for so many days; this switches versioning on. */
  'PUT /buckets/{bucket}/trash/settings': {
    path: {
      bucket: string;
    };
    body: TrashSettings;
    answer: TrashSettings;
  };
  /** Share an object, a version, a folder or some objects by a link. */
  'POST /buckets/{bucket}/share-links': {
    path: {
      bucket: string;
    };
    body: NewShareLink;
    answer: ShareLink;
  };
  /** The share links of a bucket. */
  'GET /buckets/{bucket}/share-links': {
    path: {
      bucket: string;
    };
    query?: {
      limit?: number | undefined;
      /** The nextCursor of the page before; absent for the first page. */
      cursor?: string | undefined;
    };
    answer: {
      items: ListedShareLink[];
      /** For the next page; null: this was the last. */
      nextCursor: string | null;
    };
  };
  /** Revoke all links to what lies below a prefix. */
  'POST /buckets/{bucket}/share-links/revoke': {
    path: {
      bucket: string;
    };
    body: {
      /** '' is the whole bucket. */
      prefix: string;
    };
    answer: {
      revoked: number;
    };
  };
  /** The links of all buckets, of both kinds. */
  'GET /links': {
    query?: {
      /** Items of one page at most. */
      limit?: number | undefined;
      /** The nextCursor of the page before; absent for the first page. */
      cursor?: string | undefined;
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
      kind?: 'share' | 'drop' | undefined;
    };
    answer: {
      items: LinkEntry[];
      /** For the next page; null: this was the last. */
      nextCursor: string | null;
    };
  };
  /** A share link. */
  'GET /buckets/{bucket}/share-links/{linkId}': {
    path: {
      bucket: string;
      linkId: string;
    };
    answer: ShareLink;
  };
  /** Change, revoke or revive a share link. */
  'PATCH /buckets/{bucket}/share-links/{linkId}': {
    path: {
      bucket: string;
      linkId: string;
    };
    body: ShareLinkChange;
    answer: ShareLink;
  };
  /** Delete a share link with its labels, history and statistics, for good. */
  'DELETE /buckets/{bucket}/share-links/{linkId}': {
    path: {
      bucket: string;
      linkId: string;
    };
    answer: undefined;
  };
  /** What was changed of a share link, by whom. */
  'GET /buckets/{bucket}/share-links/{linkId}/history': {
    path: {
      bucket: string;
      linkId: string;
    };
    answer: {
      items: ShareHistoryEntry[];
    };
  };
  /** What visitors did with a share link, by day and label. */
  'GET /buckets/{bucket}/share-links/{linkId}/statistics': {
    path: {
      bucket: string;
      linkId: string;
    };
    query?: {
      limit?: number | undefined;
      /** The nextCursor of the page before; absent for the first page. */
      cursor?: string | undefined;
      days?: number | undefined;
    };
    answer: {
      items: ShareDay[];
      /** For the next page; null: this was the last. */
      nextCursor: string | null;
      /** Since the link was made, for each label that was used. */
      sums: ShareSum[];
    };
  };
  /** The recipients of a share link. */
  'GET /buckets/{bucket}/share-links/{linkId}/labels': {
    path: {
      bucket: string;
      linkId: string;
    };
    answer: {
      items: ShareLabel[];
    };
  };
  /** Add a recipient to a share link, with an address of its own. */
  'POST /buckets/{bucket}/share-links/{linkId}/labels': {
    path: {
      bucket: string;
      linkId: string;
    };
    body: {
      name: string;
    };
    answer: ShareLabel;
  };
  /** Rename, revoke or revive the copy of one recipient. */
  'PATCH /buckets/{bucket}/share-links/{linkId}/labels/{labelId}': {
    path: {
      bucket: string;
      linkId: string;
      labelId: string;
    };
    body: {
      name?: string | undefined;
      isRevoked?: boolean | undefined;
    };
    answer: ShareLabel;
  };
  /** Let others send files into the bucket by a link. */
  'POST /buckets/{bucket}/drop-links': {
    path: {
      bucket: string;
    };
    body: NewDropLink;
    answer: DropLink;
  };
  /** The drop links of a bucket. */
  'GET /buckets/{bucket}/drop-links': {
    path: {
      bucket: string;
    };
    query?: {
      /** Items of one page at most. */
      limit?: number | undefined;
      /** The nextCursor of the page before; absent for the first page. */
      cursor?: string | undefined;
    };
    answer: {
      items: DropLink[];
      /** For the next page; null: this was the last. */
      nextCursor: string | null;
    };
  };
  /** A drop link, and what has come by it. */
  'GET /buckets/{bucket}/drop-links/{dropLinkId}': {
    path: {
      bucket: string;
      dropLinkId: string;
    };
    answer: DropLink;
  };
  /** Change a drop link, revoke it, or open it again. */
  'PATCH /buckets/{bucket}/drop-links/{dropLinkId}': {
    path: {
      bucket: string;
      dropLinkId: string;
    };
    body: DropLinkChange;
    answer: DropLink;
  };
  /** Delete a drop link, with its senders and unfinished files; objects stay. */
  'DELETE /buckets/{bucket}/drop-links/{dropLinkId}': {
    path: {
      bucket: string;
      dropLinkId: string;
    };
    answer: undefined;
  };
  /** Revoke all drop links into what lies below a prefix. */
  'POST /buckets/{bucket}/drop-links/revoke': {
    path: {
      bucket: string;
    };
    body: {
      /** '' is the whole bucket. */
      prefix: string;
    };
    answer: {
      revoked: number;
    };
  };
  /** Move what waits in quarantine to where it belongs. */
  'POST /buckets/{bucket}/drop-links/{dropLinkId}/release': {
    path: {
      bucket: string;
      dropLinkId: string;
    };
    answer: {
      jobId: string;
    };
  };
  /** Who has sent by a drop link. */
  'GET /buckets/{bucket}/drop-links/{dropLinkId}/senders': {
    path: {
      bucket: string;
      dropLinkId: string;
    };
    query?: {
      /** Items of one page at most. */
      limit?: number | undefined;
      /** The nextCursor of the page before; absent for the first page. */
      cursor?: string | undefined;
    };
    answer: {
      items: DropSender[];
      /** For the next page; null: this was the last. */
      nextCursor: string | null;
    };
  };
  /** What has come by a drop link, unfinished files too. */
  'GET /buckets/{bucket}/drop-links/{dropLinkId}/files': {
    path: {
      bucket: string;
      dropLinkId: string;
    };
    query?: {
      /** Items of one page at most. */
      limit?: number | undefined;
      /** The nextCursor of the page before; absent for the first page. */
      cursor?: string | undefined;
    };
    answer: {
      items: DropFile[];
      /** For the next page; null: this was the last. */
      nextCursor: string | null;
    };
  };
  /** What was changed of a drop link, by whom. */
  'GET /buckets/{bucket}/drop-links/{dropLinkId}/history': {
    path: {
      bucket: string;
      dropLinkId: string;
    };
    answer: {
      items: ShareHistoryEntry[];
    };
  };
  /** What an account used: storage in byte-hours, traffic in bytes, operations by class. */
  'GET /usage': {
    query: {
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
      /** The hour that it is in is the first. */
      from: string;
      /** The hour that it is in is left out; absent: now. */
      to?: string | undefined;
      by?: 'hour' | 'day' | 'month' | 'total' | undefined;
      /**
       * bucket, accessKey, operation, or several with commas. By operation: how many requests
       * of each kind there were, and nothing else; PublicRead is what was read without a
       * signature, SignedRead what GetObject and HeadObject were answered out of memory.
       */
      groupBy?: string | undefined;
      bucket?: string | undefined;
      accessKeyId?: string | undefined;
      /** Only this meter, or all of its kind. */
      meter?: string | undefined;
    };
    answer: UsageAnswer;
  };
  /** List the closed invoices of an account, void ones too. */
  'GET /invoices': {
    query?: {
      /** Items of one page at most. */
      limit?: number | undefined;
      /** The nextCursor of the page before; absent for the first page. */
      cursor?: string | undefined;
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
    };
    answer: {
      items: InvoiceSummary[];
      /** For the next page; null: this was the last. */
      nextCursor: string | null;
    };
  };
  /** Read the invoice of a month; of one that is not closed, as it stands now. */
  'GET /invoices/{period}': {
    path: {
      /** A calendar month in UTC. */
      period: string;
    };
    query?: {
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
      /**
       * Which of the bills of the month, from 0; absent: the last, which replaces void ones
       * before it.
       */
      issue?: number | null | undefined;
    };
    answer: Invoice;
  };
  /** The invoice as a file: CSV, a page to print, PDF, or a FOCUS 1.2 dataset. */
  'GET /invoices/{period}/{file}': {
    path: {
      /** A calendar month in UTC. */
      period: string;
      file:
        | 'invoice.csv'
        | 'invoice.html'
        | 'invoice.pdf'
        | 'focus.csv'
        | 'focus.json';
    };
    query?: {
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
      /**
       * Which of the bills of the month, from 0; absent: the last, which replaces void ones
       * before it.
       */
      issue?: number | null | undefined;
    };
    answer: Response;
  };
  /**
   * What the running month comes to: what is stored stays, the rest goes on as in the last
   * seven days.
   */
  'GET /forecast': {
    query?: {
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
    };
    answer: Forecast;
  };
  /** What a month would have cost by other cards, and with things done otherwise. */
  'POST /simulations': {
    query?: {
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
    };
    body: {
      /** A calendar month in UTC. */
      period: string;
      cardIds?: string[] | undefined;
      whatIfs?: (
        | {
            kind: 'lifecycle';
            days: number;
          }
        | {
            kind: 'all-infrequent';
          }
        | {
            kind: 'cache-lifetime';
            seconds: number;
          }
        | {
            kind: 'deduplication';
            duplicateBasisPoints: number;
          })[] | undefined;
      /** Objects that there are, for what goes by the object; 0 leaves that out. */
      objectCount?: string | undefined;
    };
    answer: Simulation;
  };
  /** Take back a part of a closed invoice, or all that is left of it. */
  'POST /invoices/{period}/credit-notes': {
    path: {
      /** A calendar month in UTC. */
      period: string;
    };
    query?: {
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
    };
    body: {
      reason: string;
      /** Without tax, in whole coins. Absent, and without lines: all that is left. */
      netMicro?: string | undefined;
      /** In place of netMicro: lines of the invoice, from 0. */
      lines?: number[] | undefined;
    };
    answer: CreditNote;
  };
  /**
   * Take back all that is left of an invoice; with reissue another takes its place, by the
   * terms of now.
   */
  'POST /invoices/{period}/void': {
    path: {
      /** A calendar month in UTC. */
      period: string;
    };
    query?: {
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
    };
    body: {
      reason: string;
      reissue?: boolean | undefined;
    };
    answer: VoidedInvoice;
  };
  /** List the credit notes of an account. */
  'GET /credit-notes': {
    query?: {
      /** Items of one page at most. */
      limit?: number | undefined;
      /** The nextCursor of the page before; absent for the first page. */
      cursor?: string | undefined;
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
    };
    answer: {
      items: CreditNote[];
      /** For the next page; null: this was the last. */
      nextCursor: string | null;
    };
  };
  /** Read a credit note. */
  'GET /credit-notes/{number}': {
    path: {
      number: string;
    };
    query?: {
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
    };
    answer: CreditNote;
  };
  /** The credit note as a file: a page to print, or PDF. */
  'GET /credit-notes/{number}/{noteFile}': {
    path: {
      number: string;
      noteFile: 'credit-note.html' | 'credit-note.pdf';
    };
    query?: {
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
    };
    answer: Response;
  };
  /** Read who issues the invoices of this server, with what tax, and how they are numbered. */
  'GET /billing/issuer': {
    answer: Issuer;
  };
  /** Set who issues invoices; closed ones stay as they are. */
  'PUT /billing/issuer': {
    body: Issuer;
    answer: Issuer;
  };
  /** Read whom the invoices of an account name, and its tax. */
  'GET /billing/buyer': {
    query?: {
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
    };
    answer: Buyer;
  };
  /** Set whom the invoices of an account name: company, address and tax id. */
  'PUT /billing/buyer': {
    query?: {
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
    };
    body: Party;
    answer: Buyer;
  };
  /**
   * Set the tax of an account: a rate of its own, or reverse charge for a tax id that was
   * checked.
   */
  'PUT /billing/tax': {
    query?: {
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
    };
    body: AccountTax;
    answer: AccountTax;
  };
  /** What the receipts of a month come to, and what of its invoice had none. */
  'GET /receipts/{period}': {
    path: {
      /** A calendar month in UTC. */
      period: string;
    };
    query?: {
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
    };
    answer: ReceiptStatement;
  };
  /**
   * List rate cards: those that ship with Quayside, then the account's own, the operator's
   * all.
   */
  'GET /rate-cards': {
    query?: {
      /** Items of one page at most. */
      limit?: number | undefined;
      /** The nextCursor of the page before; absent for the first page. */
      cursor?: string | undefined;
    };
    answer: {
      items: RateCard[];
      /** For the next page; null: this was the last. */
      nextCursor: string | null;
    };
  };
  /**
   * Read a rate card, as it prices a month: one that ships with Quayside, or the account's
   * own.
   */
  'GET /rate-cards/{cardId}': {
    path: {
      cardId: string;
    };
    query?: {
      /** The month that it prices; absent: the one that runs. */
      period?: string | undefined;
    };
    answer: RateCard;
  };
  /**
   * Make a card of your own, or a version of it from a month on; months that are over keep
   * their prices.
   */
  'PUT /rate-cards/{cardId}': {
    path: {
      cardId: string;
    };
    body: RateCard;
    answer: RateCard;
  };
  /** Which card an account has, and what is left of its credits. */
  'GET /billing': {
    query?: {
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
    };
    answer: AccountBilling;
  };
  /**
   * Give an account a card, from the month that runs or one to come; null is the default of
   * the server.
   */
  'PUT /billing/rate-card': {
    query?: {
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
    };
    body: {
      rateCardId: string | null;
      /** A calendar month in UTC. */
      validFrom?: string | undefined;
    };
    answer: RateCard;
  };
  /** Give an account a credit; the open month and later ones are paid with it. */
  'POST /billing/credits': {
    query?: {
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
    };
    body: {
      label: string;
      currency: string;
      amountMicro: string;
      expiresAt?: string | null | undefined;
    };
    answer: Credit;
  };
  /** Tell Stripe what the account uses from today on, as that customer; null ends it. */
  'PUT /billing/stripe-customer': {
    query?: {
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
    };
    body: {
      customerId: string | null;
    };
    answer: undefined;
  };
  /** List the caps of an account and how they stand. */
  'GET /caps': {
    query?: {
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
    };
    answer: {
      items: Cap[];
    };
  };
  /** A cap and how it stands. */
  'GET /caps/{capId}': {
    path: {
      capId: string;
    };
    query?: {
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
    };
    answer: Cap;
  };
  /** Set a cap, change it, or lift it until a time. */
  'PUT /caps/{capId}': {
    path: {
      capId: string;
    };
    query?: {
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
    };
    body: {
      unit: 'bytes' | 'money';
      /** Bytes that go out, or micro-units of the currency of the rate card. */
      limit: string;
      period?: 'day' | 'month' | undefined;
      bucket?: string | null | undefined;
      accessKeyId?: string | null | undefined;
      alertPercents?: number[] | undefined;
      cachedFromPercent?: number | null | undefined;
      /** Rate card of a cap in money. Null: the account's, as it is when the cap is set. */
      rateCardId?: string | null | undefined;
      liftedUntil?: string | null | undefined;
    };
    answer: Cap;
  };
  /** Remove a cap. */
  'DELETE /caps/{capId}': {
    path: {
      capId: string;
    };
    query?: {
      /** The operator may name another account; everybody else's own is meant. */
      accountId?: string | undefined;
    };
    answer: undefined;
  };
  /** Make a webhook and its secret. */
  'POST /webhooks': {
    body: {
      url: string;
      description?: string | undefined;
      /**
       * Types of account events to get: `invoice.closed`, `usage.*`, `*`. Not of what buckets
       * tell.
       */
      types?: string[] | undefined;
      isEnabled?: boolean | undefined;
    };
    answer: NewWebhook;
  };
  /** List the webhooks of your account. */
  'GET /webhooks': {
    query?: {
      /** Items of one page at most. */
      limit?: number | undefined;
      /** The nextCursor of the page before; absent for the first page. */
      cursor?: string | undefined;
    };
    answer: {
      items: Webhook[];
      /** For the next page; null: this was the last. */
      nextCursor: string | null;
    };
  };
  /** One webhook. */
  'GET /webhooks/{webhookId}': {
    path: {
      webhookId: string;
    };
    answer: Webhook;
  };
  /** Change what is given; a webhook that is disabled makes dead letters of what comes. */
  'PATCH /webhooks/{webhookId}': {
    path: {
      webhookId: string;
    };
    body: {
      url?: string | undefined;
      description?: string | undefined;
      /**
       * Types of account events to get: `invoice.closed`, `usage.*`, `*`. Not of what buckets
       * tell.
       */
      types?: string[] | undefined;
      isEnabled?: boolean | undefined;
    };
    answer: Webhook;
  };
  /** Delete a webhook; what waits for it becomes a dead letter. */
  'DELETE /webhooks/{webhookId}': {
    path: {
      webhookId: string;
    };
    answer: undefined;
  };
  /** Give it a new secret; for a day messages are signed with the old one too. */
  'POST /webhooks/{webhookId}/secret': {
    path: {
      webhookId: string;
    };
    answer: NewWebhookSecret;
  };
  /** Send it a message of the type quayside.test. */
  'POST /webhooks/{webhookId}/test': {
    path: {
      webhookId: string;
    };
    answer: TestMessage;
  };
  /** List what was or is to be sent to it: by default dead letters. */
  'GET /webhooks/{webhookId}/deliveries': {
    path: {
      webhookId: string;
    };
    query?: {
      /** Items of one page at most. */
      limit?: number | undefined;
      /** The nextCursor of the page before; absent for the first page. */
      cursor?: string | undefined;
      state?: 'waiting' | 'delivered' | 'dead' | undefined;
      /** What this bucket tells; without it, what concerns the account. */
      bucket?: string | undefined;
    };
    answer: DeliveryPage;
  };
  /** Send dead letters again: those named, or all, a thousand at a time. */
  'POST /webhooks/{webhookId}/replay': {
    path: {
      webhookId: string;
    };
    body: {
      /** What this bucket tells; without it, what concerns the account. */
      bucket?: string | undefined;
      ids?: number[] | null | undefined;
    };
    answer: Replayed;
  };
  /** Where S3 is, what this server can do, and its limits. */
  'GET /server': {
    answer: Server;
  };
  /** Named encryption keys, for buckets and SSE-KMS (operator). */
  'GET /encryption-keys': {
    query?: {
      /** Items of one page at most. */
      limit?: number | undefined;
      /** The nextCursor of the page before; absent for the first page. */
      cursor?: string | undefined;
    };
    answer: {
      items: EncryptionKey[];
      /** For the next page; null: this was the last. */
      nextCursor: string | null;
    };
  };
  /** Make a KMS key, say whose it is, or disable it (operator). */
  'PUT /encryption-keys': {
    body: {
      id: string;
      isEnabled?: boolean | undefined;
      /** Absent: as it was; of a new key nobody's but the operator's. */
      accountIds?: string[] | null | undefined;
    };
    answer: EncryptionKey;
  };
  /** Whether the server's clock is believed. */
  'GET /clock': {
    answer: Clock;
  };
  /**
   * Confirm that the clock is right after a jump, so that bills, lifecycle rules and sweeping
   * go on.
   */
  'PUT /clock': {
    body: {
      /** The time as you read it elsewhere: within five minutes of the clock. */
      now: string;
    };
    answer: Clock;
  };
};
