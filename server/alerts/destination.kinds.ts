// Pure: console and server use it.

interface DestinationKindForm {
  readonly label: string
  /** Label of the field that it is entered in. */
  readonly field: string
  readonly placeholder: string
  readonly hint: string
  /** Address that is stored for a text that a user entered. */
  toUrl(entered: string): string
  /** Reason why messages cannot be sent there; null: the address has the right form. */
  findProblem(url: string): string | null
}

/** One address as mail servers accept it. Quoted names, lists and comments are refused. */
const ADDRESS =
  /^[^\s"(),:;<>@[\\\]/?#%\p{Cc}\p{Cf}]+@[^\s"(),:;<>@[\\\]/?#%\p{Cc}\p{Cf}]+\.[^\s"(),:;<>@[\\\]/?#%\p{Cc}\p{Cf}]+$/u
const LONGEST_ADDRESS = 254

/** Returns `ana@example.com` for `mailto:ana@example.com`; null: it is not such an address. */
export function parseMailAddress(url: string): string | null {
  if (!url.startsWith('mailto:')) return null
  const address = url.slice('mailto:'.length)
  return ADDRESS.test(address) && address.length <= LONGEST_ADDRESS ? address : null
}

const PAGERDUTY = 'https://events.pagerduty.com/v2/enqueue'
const EVENTS_ADDRESS = /^https?:\/\/[^\s/]+\/v2\/enqueue$/
const ROUTING_KEY = /^[A-Za-z0-9]{32}$/
/** In place of a routing key that is hidden: the id of its destination. */
const HIDDEN_KEY = /^dest_[0-9a-f]{32}$/

function findAddressProblem(url: string): string | null {
  return /^https?:\/\/[^\s/]+/.test(url)
    ? null
    : 'Give an address that begins with https://, or remove the destination.'
}

function posted({ label, hint }: Pick<DestinationKindForm, 'label' | 'hint'>): DestinationKindForm {
  return {
    label,
    hint,
    field: 'Address',
    placeholder: 'https://',
    toUrl: (entered) => entered,
    findProblem: findAddressProblem,
  }
}

/** Null: it names no routing key. `isHidden`: it names the destination that has the key. */
export function splitPagerDuty(
  address: string,
): { readonly url: string; readonly key: string; readonly isHidden: boolean } | null {
  const [url = '', key = '', ...more] = address.split('#')
  const isHidden = HIDDEN_KEY.test(key)
  return more.length === 0 && EVENTS_ADDRESS.test(url) && (isHidden || ROUTING_KEY.test(key))
    ? { url, key, isHidden }
    : null
}

const KINDS = {
  webhook: posted({ label: 'Webhook, signed', hint: 'Standard Webhooks, for programs.' }),
  slack: posted({ label: 'Slack', hint: 'Incoming webhook of a Slack app.' }),
  teams: posted({
    label: 'Microsoft Teams',
    hint: 'Webhook of a workflow that posts cards to a channel.',
  }),
  discord: posted({ label: 'Discord', hint: 'Webhook of a channel.' }),
  pagerduty: {
    label: 'PagerDuty',
    field: 'Routing key',
    placeholder: '32 letters and digits',
    hint: 'Integration key of an Events API v2 integration. For another region, the address that ends with /v2/enqueue, # and the key.',
    toUrl: (entered) => (ROUTING_KEY.test(entered) ? `${PAGERDUTY}#${entered}` : entered),
    findProblem: (url) => {
      if (splitPagerDuty(url) !== null) return null
      return url.includes('#') && !EVENTS_ADDRESS.test(url.slice(0, url.indexOf('#')))
        ? 'Give an address such as https://events.eu.pagerduty.com/v2/enqueue before the #, or only the integration key.'
        : 'Give the integration key of 32 letters and digits, or remove the destination.'
    },
  },
  email: {
    label: 'Email',
    field: 'Address',
    placeholder: 'team@example.com',
    hint: '',
    toUrl: (entered) => `mailto:${entered}`,
    findProblem: (url) =>
      parseMailAddress(url) === null
        ? 'Give one email address, such as team@example.com, or remove the destination.'
        : null,
  },
  chat: posted({ label: 'Other chat', hint: 'Takes {"text": "…"}, as most chats do.' }),
} as const satisfies { readonly [kind: string]: DestinationKindForm }

export type DestinationKind = keyof typeof KINDS

/** In the order of the form. The assertion: TypeScript types keys as string. */
export const DESTINATION_KIND_NAMES = Object.keys(KINDS) as [DestinationKind, ...DestinationKind[]]

export function destinationKind(kind: DestinationKind): DestinationKindForm {
  return KINDS[kind]
}
