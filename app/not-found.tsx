// 404: says so, and offers the way back and the search.
import { LinkButton } from '@/components/ui/button.tsx'

export default function NotFound() {
  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <div className="flex flex-col items-start gap-3">
        <h1 className="font-semibold text-h1">There is nothing at this address</h1>
        <p className="text-text-2">
          The link may be wrong, or what it named was removed. Search by id with ⌘K on any page.
        </p>
        <LinkButton href="/" variant="primary">
          Go to the Overview
        </LinkButton>
      </div>
    </main>
  )
}
