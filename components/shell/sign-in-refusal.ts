// Why single sign-on did not let a person in, in words. The code comes in the address, so only known codes are shown.

const REFUSALS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    not_invited:
      'Nobody invited you, and your address is not of a domain that may come in. Ask an admin for an invitation.',
    removed:
      'An admin removed you from the project. Ask an admin for an invitation to come in again.',
    email_not_verified:
      'Your identity provider does not say that your e-mail address is verified. Verify it there, then try again.',
    account_not_linked:
      'An account with your e-mail address has a password. Sign in with it, then connect single sign-on under Settings, Profile.',
    email_not_found:
      'Your identity provider does not tell your e-mail address, which Signalbox needs.',
    email_does_not_match:
      'The identity provider knows you under another e-mail address than this account has.',
    unable_to_link_account:
      'Your identity provider does not say that your e-mail address is verified, so it cannot be connected.',
    account_already_linked_to_different_user:
      'This person of the identity provider is connected to another account here.',
    access_denied: 'You cancelled at the identity provider.',
  }),
)

/** Null: nothing went wrong. */
export function refusalText(code: string | undefined): string | null {
  if (code === undefined || code === '') return null
  return (
    REFUSALS.get(code.toLowerCase()) ?? 'Single sign-on did not work. Try again, or ask an admin.'
  )
}
