import { LinkButton } from '@/components/ui/button.tsx'
import { MissingSearch } from './lazy-missing-search.tsx'

export function NothingHere() {
  return (
    <div className="flex w-full max-w-md flex-col items-start gap-3">
      <h1 className="font-semibold text-h1">Page not found</h1>
      <p className="text-text-2">
        The link may be wrong, or its page was removed. Search also accepts the start of an ID.
      </p>
      <MissingSearch />
      <LinkButton href="/">Go to the Overview</LinkButton>
    </div>
  )
}
