// Settings: oneself, sessions, members, the account, the audit log, the API.
export const settings = {
  roles: {
    owner: 'Owner',
    admin: 'Admin',
    member: 'Member',
    billing: 'Billing',
    reader: 'Reader',
  },
};
