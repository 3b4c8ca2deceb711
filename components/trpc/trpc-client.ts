import { createTRPCClient, httpBatchLink, httpSubscriptionLink, splitLink } from '@trpc/client'
import { withPrefix } from '@/components/paths/prefix.ts'
import type { AppRouter } from '@/server/trpc/root.ts'
import { ReportingEventSource } from './reporting-event-source.ts'

/** Length of an address that every proxy between browser and server accepts. */
const MOST_IN_ADDRESS = 4_000
/** A query longer than this is sent separately, in a body. */
const MOST_OF_ONE = 2_000

/** Context of a call with a request of its own. Calls in a shared request all wait for the slowest answer. */
export const ALONE = { isAlone: true } as const

function isLong(input: unknown): boolean {
  return encodeURIComponent(JSON.stringify(input) ?? '').length > MOST_OF_ONE
}

type Fetch = NonNullable<Parameters<typeof httpBatchLink>[0]['fetch']>

/** Replaces the browser's "Failed to fetch", which states neither the problem nor what to do. */
const NO_ANSWER = 'The server did not answer. Check the connection, and try again.'

function withReason(fetch: Fetch): Fetch {
  return async (input, init) => {
    try {
      return await fetch(input, init)
    } catch (error) {
      throw error instanceof TypeError ? new Error(NO_ANSWER, { cause: error }) : error
    }
  }
}

/** `procedure`: with its slash; empty: the address that the client completes. */
export function procedureAddress(project: string | null, procedure = ''): string {
  const path = withPrefix(`/api/trpc${procedure}`)
  return project === null ? path : `${path}?project=${encodeURIComponent(project)}`
}

/** `project`: slug, sent with every call, so that a tab stays in its project when other tabs switch; null: none is named. */
export function makeTrpcClient(project: string | null, ask: Fetch = fetch as Fetch) {
  const asking = { fetch: withReason(ask) }
  // A batch of one, because another link would be code that every page fetches.
  const alone = { ...asking, maxItems: 1 }
  const url = procedureAddress(project)
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: ({ type }) => type === 'subscription',
        true: httpSubscriptionLink({
          url,
          ...(ReportingEventSource === undefined ? {} : { EventSource: ReportingEventSource }),
        }),
        false: splitLink({
          condition: ({ type, input }) => type === 'query' && isLong(input),
          true: httpBatchLink({ url, ...alone, methodOverride: 'POST' }),
          false: splitLink({
            condition: ({ context }) => context['isAlone'] === true,
            true: httpBatchLink({ url, ...alone }),
            false: httpBatchLink({ url, ...asking, maxURLLength: MOST_IN_ADDRESS }),
          }),
        }),
      }),
    ],
  })
}
