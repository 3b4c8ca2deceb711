import type { Markdown } from '@/server/docs/markdown.ts'
import type { NavigationGroup } from '@/server/docs/pages.ts'
import { DocsContent } from './docs-content.tsx'
import { DocsFrame } from './docs-frame.tsx'

/** Pages with fewer headings need no list of them. */
const LEAST_HEADINGS = 3

export function DocsPage({
  page,
  navigation,
  current,
}: {
  readonly page: Markdown
  readonly navigation: readonly NavigationGroup[]
  readonly current: string
}) {
  const headings = page.sections.filter(({ level }) => level === 2)
  return (
    <DocsFrame
      navigation={navigation}
      current={current}
      aside={
        headings.length < LEAST_HEADINGS ? null : (
          <nav aria-label="On this page" className="text-small">
            <h2 className="font-medium">On this page</h2>
            <ul>
              {headings.map(({ anchor, heading }) => (
                <li key={anchor}>
                  <a href={`#${anchor}`} className="block py-1 text-text-2 hover:text-text">
                    {heading}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
        )
      }
    >
      <DocsContent tree={page.tree} />
    </DocsFrame>
  )
}
