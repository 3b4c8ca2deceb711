// On a page that is not there: the search, with the id that was typed.
'use client'

import { usePathname } from 'next/navigation'
import { withPrefix } from '@/components/paths/prefix.ts'
import { Button } from '@/components/ui/button.tsx'
import { Input } from '@/components/ui/input.tsx'

/** Extracts the text that looks like an id, else the last part of the address. */
function typedIn(path: string): string {
  const parts = path.split('/').filter((part) => part !== '')
  const found = parts.findLast((part) => /^[a-z]{2,6}_\w+$/.test(part)) ?? parts.at(-1) ?? ''
  try {
    return decodeURIComponent(found)
  } catch {
    // The address holds a broken escape.
    return found
  }
}

export function MissingSearch() {
  return (
    <form action={withPrefix('/search')} className="flex w-full max-w-md gap-2">
      <Input
        name="q"
        type="search"
        aria-label="Search the project"
        defaultValue={typedIn(usePathname())}
        maxLength={200}
        spellCheck={false}
      />
      <Button type="submit" variant="primary">
        Search
      </Button>
    </form>
  )
}
