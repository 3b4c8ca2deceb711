'use client'
import { useMemo, useSyncExternalStore } from 'react'
import { type Example, readExample } from '@/components/claims/example-store.ts'
import { ConfigCrumbs } from '@/components/configs/config-crumbs.tsx'
import { configPath } from '@/components/paths/config-path.ts'
import { PageHeader } from '@/components/shell/page-header.tsx'
import { lazySection } from '@/components/ui/lazy-section.tsx'
import { Link } from '@/components/ui/link.tsx'
import { EmptyState, SkeletonRows } from '@/components/ui/states.tsx'
import { Words } from '@/components/ui/words.tsx'

const ExampleView = lazySection(
  () =>
    import('@/components/sessions/example/example-view.tsx').then((module) => module.ExampleView),
  <SkeletonRows />,
)

export function ExamplePage({ ns, key_: key }: { readonly ns: string; readonly key_: string }) {
  const example = useExample(ns, key)
  const path = configPath(ns, key)
  return (
    <div className="flex h-[calc(100dvh-3.5rem)] min-h-0 flex-col sm:h-full">
      <PageHeader
        above={<ConfigCrumbs ns={ns} name={key} here="Example session" />}
        title="Example session"
        facts={
          example === 'waiting' || example === null ? null : (
            <span className="break-words">
              <Words text={example.sentence} /> No agent ran this session: a search over the rules
              found it, and invented its times.
            </span>
          )
        }
      />
      {example === 'waiting' && <SkeletonRows />}
      {example === null && (
        <EmptyState title="No example session is open in this tab.">
          An example session is an invented run that proves the answer to a question about the
          rules.{' '}
          <Link href={`${path}/edit?tab=ask`} className="text-link hover:underline">
            Ask a question
          </Link>{' '}
          and choose “Open as session”.
        </EmptyState>
      )}
      {example !== 'waiting' && example !== null && (
        <ExampleView document={example.document} events={example.events} />
      )}
    </div>
  )
}

/** `waiting`: the server renders the page without the storage of the tab. */
function useExample(ns: string, key: string): Example | null | 'waiting' {
  const isInBrowser = useSyncExternalStore(
    () => () => undefined,
    () => true,
    () => false,
  )
  return useMemo(() => (isInBrowser ? readExample(ns, key) : 'waiting'), [isInBrowser, ns, key])
}
