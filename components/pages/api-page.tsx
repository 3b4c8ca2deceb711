'use client'
// Search text and open route are in the address, so that a route can be shared.
import { countText, plural } from '@signalbox/core/analysis'
import { useQueryState } from 'nuqs'
import { useEffect } from 'react'
import { RouteCard } from '@/components/api/route-card.tsx'
import { withPrefix } from '@/components/paths/prefix.ts'
import { useTyped } from '@/components/shell/address-provider.tsx'
import { SettingsFrame } from '@/components/shell/settings-frame.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Input } from '@/components/ui/input.tsx'
import { Link } from '@/components/ui/link.tsx'
import { EmptyState } from '@/components/ui/states.tsx'
import type { ShownRoute } from '@/server/http/api-page.ts'

const TOLD: Readonly<Record<ShownRoute['group'], string>> = {
  Configs: 'configs, drafts, versions',
  Releases: 'publish, promote, roll back, and their adoption',
  Records: 'sessions, stops, approvals, alerts, audit log',
  Project: 'keys, users, environments, alert rules, annotations',
  Transfer: 'export and import',
  Runtimes: 'used by agent processes',
  Server: 'public',
}

function isFound(
  { method, path, summary, description, scope }: ShownRoute,
  words: string,
): boolean {
  const text = `${method} ${path} ${summary} ${description} ${scope ?? ''}`.toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

export function ApiPage({ routes }: { readonly routes: readonly ShownRoute[] }) {
  const [address, setAddress] = useQueryState('q', { defaultValue: '' })
  const [words, type] = useTyped(address, (next) => setAddress(next || null))
  const [open, setOpen] = useQueryState('route')
  // Scrolls to the route in the address once. A route opened by hand is visible already.
  useEffect(() => {
    const id = new URLSearchParams(window.location.search).get('route')
    if (id !== null) document.getElementById(id)?.scrollIntoView({ block: 'start' })
  }, [])
  const found = routes.filter((route) => isFound(route, words))
  const withKey = routes.filter(({ scope }) => scope !== null).length
  const groups = [...new Set(found.map(({ group }) => group))]
  return (
    <SettingsFrame
      facts={
        words.trim() === ''
          ? `${plural(routes.length, 'route')}; ${countText(withKey)} of them need an API key.`
          : `${countText(found.length)} of ${plural(routes.length, 'route')} ${found.length === 1 ? 'matches' : 'match'}.`
      }
    >
      <div className="flex max-w-[55rem] flex-col gap-1">
        <p>
          Builds and scripts use HTTP or the command <code className="font-mono">signalbox</code>,
          which uses the same routes. Send an{' '}
          <Link href="/settings/keys" className="underline">
            API key
          </Link>{' '}
          as <code className="font-mono">Authorization: Bearer</code>: its scopes limit it, and it
          releases to its own environment only. Errors have the format of RFC 9457:{' '}
          <code className="font-mono">detail</code> states what to do,{' '}
          <code className="font-mono">errors</code> names the fields.
        </p>
        <p>
          <a href={withPrefix('/api/openapi.json')} className="underline">
            OpenAPI 3.1 document
          </a>
        </p>
      </div>
      <div className="max-w-96">
        <Input
          type="search"
          aria-label="Search routes"
          placeholder="Search routes"
          value={words}
          onChange={(event) => type(event.target.value)}
        />
      </div>
      {groups.length === 0 && (
        <EmptyState
          title={`No route matches “${words}”.`}
          action={<Button onClick={() => type('')}>Show all</Button>}
        />
      )}
      {groups.map((group) => (
        <Card key={group}>
          <CardHeader title={group} aside={TOLD[group]} />
          {found
            .filter((route) => route.group === group)
            .map((route) => (
              <RouteCard
                key={route.id}
                route={route}
                isOpen={open === route.id}
                onToggle={(isOpen) => void setOpen(isOpen ? route.id : null)}
              />
            ))}
        </Card>
      ))}
    </SettingsFrame>
  )
}
