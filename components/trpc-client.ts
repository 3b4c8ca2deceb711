// The way of a call to the server: calls of one moment share a request, what is too long for an address has a body, and
// subscriptions are server-sent events.
import {
  createTRPCClient,
  httpBatchLink,
  httpLink,
  httpSubscriptionLink,
  splitLink,
} from '@trpc/client'
import type { AppRouter } from '@/server/trpc/root.ts'
import { HeardEventSource } from './live/heard-event-source.ts'

const URL_PATH = '/api/trpc'
/** Characters that an address has room for, whatever lies between browser and server. */
const MOST_IN_ADDRESS = 4_000
/** A question longer than this goes by itself, in a body. */
const MOST_OF_ONE = 2_000

/** Context of a call that has a request of its own: calls of one moment share one, and all of its answers come with the slowest. */
export const ALONE = { isAlone: true } as const

function isLong(input: unknown): boolean {
  return encodeURIComponent(JSON.stringify(input) ?? '').length > MOST_OF_ONE
}

/** What a link asks with; absent: the browser's own. */
interface Asking {
  readonly fetch?: NonNullable<Parameters<typeof httpLink>[0]['fetch']>
}

/** Every call names the project that the page was opened with (a slug), so that a tab stays in its own whatever others do. */
export function makeTrpcClient(project: string | null, asking: Asking = {}) {
  const url = project === null ? URL_PATH : `${URL_PATH}?project=${encodeURIComponent(project)}`
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: ({ type }) => type === 'subscription',
        true: httpSubscriptionLink({
          url,
          ...(HeardEventSource === undefined ? {} : { EventSource: HeardEventSource }),
        }),
        false: splitLink({
          condition: ({ type, input }) => type === 'query' && isLong(input),
          true: httpLink({ url, ...asking, methodOverride: 'POST' }),
          false: splitLink({
            condition: ({ context }) => context['isAlone'] === true,
            true: httpLink({ url, ...asking }),
            false: httpBatchLink({ url, ...asking, maxURLLength: MOST_IN_ADDRESS }),
          }),
        }),
      }),
    ],
  })
}
