// The code comes from the address, so only known codes are shown.

type Sentence = (provider: string) => string

/** The parameter begins a sentence: the provider's label, or "Your identity provider". */
const REFUSALS: ReadonlyMap<string, Sentence> = new Map(
  Object.entries<Sentence>({
    access_denied: (provider) =>
      `${provider} reports that the sign-in was canceled or denied. Try again, or ask who manages your account there.`,
    account_already_linked_to_different_user: () =>
      'This identity is already connected to another account.',
    account_not_linked: (provider) =>
      `An account with your email address already exists. Sign in to it as before, then connect ${decapitalize(provider)} under Settings, Profile.`,
    email_does_not_match: (provider) =>
      `${provider} has another email address for you than this account.`,
    email_not_found: (provider) =>
      `${provider} does not share your email address, which Signalbox needs. Ask an admin.`,
    email_not_verified: (provider) =>
      `${provider} has not verified your email address. Verify it there, then try again.`,
    groups_unreadable: (provider) =>
      `${provider} did not send your groups in a form that can be read. Ask an admin.`,
    invalid_code: (provider) =>
      `${provider} did not confirm the sign-in, or could not be reached. Try again in a moment.`,
    no_group: (provider) =>
      `None of your groups at ${decapitalize(provider)} gives access. Ask an admin.`,
    not_invited: () =>
      'You have no invitation, and your email domain is not allowed. Ask an admin for an invitation.',
    other_provider_decides: () =>
      'Your roles come from groups of another identity provider. Sign in with that one.',
    removed: () => 'An admin removed you from the project. Ask an admin for a new invitation.',
    server_error: (provider) => `${provider} reports an error of its own. Try again in a moment.`,
    set_up: () =>
      'The first-run link has already been used. Sign in with the account that it created.',
    state_mismatch: () =>
      'The sign-in took too long, or was started in another browser. Start it again.',
    temporarily_unavailable: (provider) =>
      `${provider} is not available now. Try again in a moment.`,
    unable_to_get_user_info: (provider) =>
      `${provider} did not identify you in a way that can be verified. Ask an admin.`,
    unable_to_link_account: (provider) =>
      `${provider} has not verified your email address, so it cannot be connected.`,
  }),
)

const UNNAMED = 'Your identity provider'

function decapitalize(provider: string): string {
  return provider === UNNAMED ? 'your identity provider' : provider
}

/** `provider`: its label; undefined: not known. Null: no refusal. */
export function refusalText(code: string | undefined, provider: string | undefined): string | null {
  if (code === undefined || code === '') return null
  const sentence = REFUSALS.get(code.toLowerCase())
  if (sentence !== undefined) return sentence(provider ?? UNNAMED)
  return 'Single sign-on failed. Try again, or ask an admin.'
}
