import type { Metadata } from 'next'
import { DocsFrame } from '@/components/docs/docs-frame.tsx'
import { LinkButton } from '@/components/ui/button.tsx'
import { readDocsPage } from '@/server/http/docs.ts'

export const metadata: Metadata = { title: 'Page not found' }

export default async function DocsNotFound() {
  const { navigation } = await readDocsPage([])
  return (
    <DocsFrame navigation={navigation} current="" aside={null}>
      <div className="flex flex-col items-start gap-3">
        <h1 className="font-semibold text-h1">Page not found</h1>
        <p className="text-text-2">
          The link may be wrong, or the page has moved. Use the search above to find it.
        </p>
        <LinkButton href="/docs">Go to the documentation</LinkButton>
      </div>
    </DocsFrame>
  )
}
