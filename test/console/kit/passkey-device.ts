// A device with passkeys, as the browser's debugging protocol simulates it.
import type { BrowserContext, Page } from 'playwright-core';

/** Passkeys of a device that says yes to everything, as CDP simulates it. */
export async function addDevice(page: Page, context: BrowserContext): Promise<void> {
  const session = await context.newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}
