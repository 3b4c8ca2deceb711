// Without a session, redirects to the login; without a project in the address, to the address that names one (decision 32).
import { HydrationBoundary } from '@tanstack/react-query'
import { TRPCError } from '@trpc/server'
import { cookies, headers } from 'next/headers'
import { redirect } from 'next/navigation'
import type { ReactNode } from 'react'
import { dehydratedState, getQueryClient, trpcServer } from '@/app/prefetch.ts'
import { AppFrame } from '@/components/frame/app-frame.tsx'
import { HelpLink, SearchButton } from '@/components/frame/rail-links.tsx'
import { columnChoices } from '@/components/kit/list/column-choices.ts'
import { ColumnsProvider } from '@/components/kit/list/list-columns.tsx'
import { LiveConnection } from '@/components/live/live-connection.tsx'
import { DISMISSED, nameFirstStepsCookie } from '@/components/shell/first-steps-cookie.ts'
import { NoProject } from '@/components/shell/no-project.tsx'
import { PAGE_HEADER } from '@/server/trpc/page.ts'

export default async function ConsoleLayout({ children }: { readonly children: ReactNode }) {
  const client = getQueryClient()
  const page = (await headers()).get(PAGE_HEADER) ?? '/'
  const why = await client
    .fetchQuery(trpcServer.members.me.queryOptions())
    .then(() => null, refusal)
  if (why === 'UNAUTHORIZED')
    redirect(page === '/' ? '/login' : `/login?next=${encodeURIComponent(page)}`)
  const projects = await client.fetchQuery(trpcServer.projects.mine.queryOptions())
  if (why === 'UNPROCESSABLE_CONTENT') redirect(await withProject(page, projects))
  if (why !== null) {
    return <NoProject asked={why === 'NOT_FOUND' ? projectIn(page) : null} projects={projects} />
  }
  // Awaits the frame's queries: they start before those of the page, and data dehydrated with the page does not fill a query that already
  // exists.
  const [{ slug }] = await Promise.all([
    client.fetchQuery(trpcServer.projects.current.queryOptions()),
    client.prefetchQuery(trpcServer.runtimes.environments.queryOptions()),
    client.prefetchQuery(trpcServer.releases.rights.queryOptions()),
  ])
  const cookie = (await cookies()).get(nameFirstStepsCookie(slug))
  const isStartDismissed = cookie?.value === DISMISSED
  return (
    <HydrationBoundary state={dehydratedState()}>
      <LiveConnection />
      <ColumnsProvider start={columnChoices((await cookies()).getAll())}>
        <AppFrame search={<SearchButton />} help={<HelpLink />} isStartDismissed={isStartDismissed}>
          {children}
        </AppFrame>
      </ColumnsProvider>
    </HydrationBoundary>
  )
}

/** An unreachable database must not look like a sign-out. */
function refusal(error: unknown): string {
  const known = ['UNAUTHORIZED', 'UNPROCESSABLE_CONTENT', 'NOT_FOUND', 'FORBIDDEN']
  if (error instanceof TRPCError && known.includes(error.code)) return error.code
  throw error
}

const projectIn = (page: string): string | null =>
  new URL(page, 'http://page').searchParams.get('project')

/** Address of the same page in one project: that of the id in the address, else the last one opened in this browser, else the oldest. */
async function withProject(page: string, projects: readonly { readonly slug: string }[]) {
  const url = new URL(page, 'http://page')
  const named = [...url.pathname.split('/'), url.searchParams.get('call') ?? '']
  const id = named.find((segment) => /^[a-z]{2,4}_\w+$/.test(segment))
  const owner =
    id === undefined
      ? null
      : await getQueryClient().fetchQuery(trpcServer.projects.ofId.queryOptions({ id }))
  const last = (await cookies()).get('sb_project')?.value
  const seen = projects.find(({ slug }) => slug === last)?.slug
  url.searchParams.set('project', owner ?? seen ?? projects[0]?.slug ?? '')
  return `${url.pathname}${url.search}` as const
}
