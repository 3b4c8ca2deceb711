'use client'

import { usePathname } from 'next/navigation'
import { withPrefix } from '@/components/paths/prefix.ts'
import { Button } from '@/components/ui/button.tsx'
import { Input } from '@/components/ui/input.tsx'
import { Link } from '@/components/ui/link.tsx'

/** Lists whose rows have pages, by the first part of the address. */
const NOUNS: Readonly<Record<string, string>> = {
  configs: 'config',
  decisions: 'decision',
  releases: 'release',
  runtimes: 'runtime',
  sessions: 'session',
  stops: 'stop',
}

interface Missing {
  readonly list: string
  /** Undefined: the address is not that of an object, so the object may exist. */
  readonly noun: string | undefined
  /** Empty: the address is that of a list. */
  readonly name: string
}

function readMissing(path: string): Missing {
  const [list = '', ...parts] = path.split('/').filter((part) => part !== '')
  const listed = parts[0] === 'templates' ? undefined : NOUNS[list]
  const depth = listed === 'config' ? 2 : 1
  const noun = parts.length === depth ? listed : undefined
  const id = parts.findLast((part) => /^[a-z]{2,6}_\w+$/.test(part))
  const named = listed === undefined ? (parts.at(-1) ?? list) : parts.slice(0, depth).join('/')
  const name = noun === undefined ? (id ?? named) : named
  try {
    return { list, noun, name: decodeURIComponent(name) }
  } catch {
    // The address contains an invalid escape.
    return { list, noun, name }
  }
}

export function MissingSearch() {
  const { list, noun, name } = readMissing(usePathname())
  return (
    <>
      {noun !== undefined && (
        <p className="wrap-anywhere">
          This project has no {noun} <code>{name}</code>.{' '}
          <Link href={`/${list}`} className="text-link">
            See all {noun}s
          </Link>
        </p>
      )}
      <form action={withPrefix('/search')} className="flex w-full max-w-md gap-2">
        <Input
          name="q"
          type="search"
          aria-label="Search the project"
          defaultValue={name}
          maxLength={200}
          spellCheck={false}
        />
        <Button type="submit" variant="primary">
          Search
        </Button>
      </form>
    </>
  )
}
