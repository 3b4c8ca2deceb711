// Resolves the address of a list without a filter: opens the view that it names, else the user's default view.
import { redirect } from 'next/navigation'
import type { ComponentProps } from 'react'
import { getQueryClient, trpcServer } from '@/app/prefetch.ts'
import type { SavedViews } from '@/components/saved-views/saved-views.tsx'
import { isBare, STANDARD, viewPath } from '@/components/saved-views/view-query.ts'

type ViewList = ComponentProps<typeof SavedViews>['list']

export type SearchParams = Promise<Readonly<Record<string, string | readonly string[] | undefined>>>

/** Returns if there is none. A view that the user may not see counts as missing. */
export async function openView(list: ViewList, searchParams: SearchParams): Promise<void> {
  const given = Object.entries(await searchParams).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value]] : [],
  )
  const { view, project, env }: Readonly<Record<string, string>> = Object.fromEntries(given)
  if (!isBare(new URLSearchParams(given).toString()) || view === STANDARD) return
  const views = await getQueryClient().fetchQuery(trpcServer.savedViews.list.queryOptions())
  const opened = views.find(
    (one) => one.list === list && (view === undefined ? one.isDefault : one.id === view),
  )
  if (opened === undefined || (opened.query === '' && view !== undefined)) return
  redirect(viewPath(opened, { project, env }) as `/${ViewList}`)
}
