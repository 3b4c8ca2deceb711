// The foot of a list in pages, as long as there are more.
'use client'

import { Button } from '@/components/ui/button.tsx'

export function MoreRows({
  query,
  page,
}: {
  readonly query: {
    readonly hasNextPage: boolean
    readonly isFetchingNextPage: boolean
    readonly fetchNextPage: () => Promise<unknown>
  }
  /** Rows of a page. */
  readonly page: number
}) {
  if (!query.hasNextPage) return null
  return (
    <div className="px-4 py-2">
      <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        Show {page} more
      </Button>
    </div>
  )
}
