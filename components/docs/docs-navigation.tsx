import { clsx } from 'clsx'
import { Link } from '@/components/ui/link.tsx'
import type { NavigationGroup } from '@/server/docs/pages.ts'

interface Props {
  readonly groups: readonly NavigationGroup[]
  /** Address of the open page. */
  readonly current: string
}

/** On narrow screens a closed list above the page, without a program. */
export function DocsNavigation(props: Props) {
  return (
    <>
      <details className="rounded-card border border-border bg-surface px-3 py-2 lg:hidden">
        <summary className="min-h-6 font-medium">All pages</summary>
        <Groups {...props} />
      </details>
      <div className="sticky top-[56px] hidden max-h-[calc(100dvh-56px)] overflow-y-auto py-6 lg:block">
        <Groups {...props} />
      </div>
    </>
  )
}

function Groups({ groups, current }: Props) {
  return (
    <nav aria-label="Documentation">
      {groups.map(({ name, pages }) => (
        <section key={name} className="not-first:mt-4 max-lg:mt-3">
          <h2 className="px-2 font-medium text-small text-text-2">{name}</h2>
          <ul>
            {pages.map((page) => (
              <li key={page.address}>
                <Link
                  href={page.address}
                  aria-current={page.address === current ? 'page' : undefined}
                  className={clsx(
                    'block rounded-control px-2 py-1',
                    page.address === current
                      ? 'bg-surface-3 font-medium text-text'
                      : 'text-text-2 hover:bg-surface-2',
                  )}
                >
                  {page.name}
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  )
}
