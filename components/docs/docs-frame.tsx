import type { ReactNode } from 'react'
import type { NavigationGroup } from '@/server/docs/pages.ts'
import { DocsNavigation } from './docs-navigation.tsx'

export function DocsFrame({
  navigation,
  current,
  aside,
  children,
}: {
  readonly navigation: readonly NavigationGroup[]
  readonly current: string
  readonly aside: ReactNode
  readonly children: ReactNode
}) {
  return (
    <div className="mx-auto grid max-w-[1240px] grid-cols-1 gap-4 px-4 lg:grid-cols-[220px_minmax(0,1fr)] lg:gap-8 xl:grid-cols-[220px_minmax(0,1fr)_200px]">
      <div className="no-print max-lg:pt-4">
        <DocsNavigation groups={navigation} current={current} />
      </div>
      <main id="main" tabIndex={-1} className="min-w-0 outline-none lg:py-6">
        {children}
      </main>
      <aside className="no-print hidden xl:block">
        <div className="sticky top-[80px]">{aside}</div>
      </aside>
    </div>
  )
}
