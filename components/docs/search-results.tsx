import { Link } from '@/components/ui/link.tsx'
import type { NavigationGroup } from '@/server/docs/pages.ts'
import type { DocsHit } from '@/server/docs/search.ts'
import { DocsFrame } from './docs-frame.tsx'

export function SearchResults({
  question,
  hits,
  navigation,
}: {
  readonly question: string
  readonly hits: readonly DocsHit[]
  readonly navigation: readonly NavigationGroup[]
}) {
  return (
    <DocsFrame navigation={navigation} current="/docs/search" aside={null}>
      <h1 className="font-semibold text-display">Search</h1>
      <p role="status" className="mt-1 text-text-2">
        {describeResult(question, hits.length)}
      </p>
      <ol className="mt-4 flex flex-col gap-4">
        {hits.map(({ address, page, heading, excerpt }) => (
          <li key={address}>
            <Link href={address} className="font-medium text-h1 text-link">
              {page}
            </Link>
            {heading === page ? null : <span className="text-text-2"> › {heading}</span>}
            <p className="text-text-2">{excerpt}</p>
          </li>
        ))}
      </ol>
    </DocsFrame>
  )
}

function describeResult(question: string, count: number): string {
  if (question.trim() === '')
    return 'Type a question, the text of an error, or the name of a field.'
  if (count === 0) return `No page matches “${question}”. Try fewer or other words.`
  return `${count} ${count === 1 ? 'page matches' : 'pages match'} “${question}”, best first.`
}
