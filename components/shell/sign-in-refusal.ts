// The code comes from the address, so only known codes are shown.

const REFUSALS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    not_invited:
      'You have no invitation, and your email domain is not allowed. Ask an admin for an invitation.',
    removed: 'An admin removed you from the project. Ask an admin for a new invitation.',
    email_not_verified:
      'Your identity provider has not verified your email address. Verify it there, then try again.',
    account_not_linked:
      'An account with your email address has a password. Sign in with it, then connect single sign-on under Settings, Profile.',
    email_not_found:
      'Your identity provider does not share your email address, which Signalbox needs.',
    email_does_not_match:
      'Your email address at the identity provider differs from that of this account.',
    unable_to_link_account:
      'Your identity provider has not verified your email address, so it cannot be connected.',
    account_already_linked_to_different_user:
      'This identity is already connected to another account.',
    access_denied: 'You canceled the sign-in at the identity provider.',
  }),
)

/** Null: no refusal. */
export function refusalText(code: string | undefined): string | null {
  if (code === undefined || code === '') return null
  return REFUSALS.get(code.toLowerCase()) ?? 'Single sign-on failed. Try again, or ask an admin.'
}
