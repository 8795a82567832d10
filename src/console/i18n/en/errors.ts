// Errors in words. Codes that are not here show the server's own message.
export const errors = {
  request: 'Request',
  readMore: 'What this means',
  ownFault: 'This is a fault of the console. Reload the page; what you saved is kept.',
  /** A permission was not given, or its question was closed. */
  notAllowed: 'The browser was not allowed to. Try again, and say yes when it asks.',
  browserFailed: (reason: string) => `The browser refused: ${reason}`,
  codes: {
    NetworkFailure: {
      what: 'The server does not answer.',
      next: 'Check the network. The console tries again by itself.',
    },
    AccessDenied: {
      what: 'You may not do this.',
      next: 'Ask an owner or admin of the account for the right.',
    },
    Unauthenticated: { what: 'Your session has ended.', next: 'Sign in again.' },
    NoSuchBucket: {
      what: 'There is no such bucket.',
      next: 'It may have been deleted or belong to another account.',
    },
    NoSuchKey: { what: 'There is no such object.', next: 'It may have been moved or deleted.' },
    PreconditionFailed: {
      what: 'Somebody changed it meanwhile.',
      next: 'Compare both, then save again.',
    },
    SlowDown: { what: 'The server is busy.', next: 'Wait a moment, then try again.' },
    TooManyRequests: { what: 'Too many requests.', next: 'Wait a minute, then try again.' },
    RecentProofRequired: {
      what: 'Confirm that it is you.',
      next: 'Enter your password, passkey or access key once more.',
    },
  },
};
