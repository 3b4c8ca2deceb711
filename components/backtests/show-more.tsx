import { Button } from '@/components/ui/button.tsx'

interface Pages {
  readonly hasNextPage: boolean
  readonly isFetchingNextPage: boolean
  readonly fetchNextPage: () => unknown
}

export function ShowMore({ query }: { readonly query: Pages }) {
  if (!query.hasNextPage) return null
  return (
    <div className="px-4 py-2">
      <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        Show 200 more
      </Button>
    </div>
  )
}
