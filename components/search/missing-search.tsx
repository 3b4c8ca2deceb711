'use client'

import { usePathname } from 'next/navigation'
import { withPrefix } from '@/components/paths/prefix.ts'
import { Button } from '@/components/ui/button.tsx'
import { Input } from '@/components/ui/input.tsx'

/** Returns the part of the address that looks like an id, else its last part. */
function findTypedText(path: string): string {
  const parts = path.split('/').filter((part) => part !== '')
  const found = parts.findLast((part) => /^[a-z]{2,6}_\w+$/.test(part)) ?? parts.at(-1) ?? ''
  try {
    return decodeURIComponent(found)
  } catch {
    // The address contains an invalid escape.
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
        defaultValue={findTypedText(usePathname())}
        maxLength={200}
        spellCheck={false}
      />
      <Button type="submit" variant="primary">
        Search
      </Button>
    </form>
  )
}
