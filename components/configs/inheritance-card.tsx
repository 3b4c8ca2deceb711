'use client'
// The base of the newest version with the origin of each rule, and the configs that extend this one.
import type { RuleOrigin } from '@signalbox/core'
import { parseVersionReference } from '@signalbox/wire'
import { useQuery } from '@tanstack/react-query'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { configPath } from '@/components/paths/config-path.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { LinkButton } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Link } from '@/components/ui/link.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'
import { StatusIcon } from '@/components/ui/status-badge.tsx'
import type { Inheritance } from '@/server/configs/inheritance.ts'

interface Name {
  readonly ns: string
  readonly key: string
}

/** Empty while loading, and for a config that extends nothing and that nothing extends. */
export function InheritanceCard({ ns, name: key }: { readonly ns: string; readonly name: string }) {
  const trpc = useTRPC()
  const query = useQuery(trpc.configs.inheritance.queryOptions({ ns, key }))
  useReadOnChange([{ kind: 'config' }], query)
  const { data } = query
  if (data === undefined) {
    return query.isError ? <ErrorLine>{query.error.message}</ErrorLine> : null
  }
  const { base, extenders, isMandatory, newest } = data
  if (base === null && extenders.length === 0 && !isMandatory) return null
  return (
    <Card>
      <CardHeader
        title="Inheritance"
        aside={isMandatory ? 'every config of this project must extend this one' : undefined}
      />
      {base !== null && <Base config={{ ns, key }} base={base} />}
      {extenders.length > 0 && <Extenders extenders={extenders} newest={newest} />}
    </Card>
  )
}

const ORIGINS: readonly (readonly [RuleOrigin, string])[] = [
  ['base', 'From the base'],
  ['stricter', 'Stricter than the base'],
  ['own', 'Only here'],
]

function Base({
  config,
  base: { extends: reference, newest, origins },
}: {
  readonly config: Name
  readonly base: NonNullable<Inheritance['base']>
}) {
  const version = parseVersionReference(reference)
  return (
    <div className="flex flex-col gap-2 px-3 py-2">
      <p>
        Extends{' '}
        {version === null ? (
          reference
        ) : (
          <Link href={configPath(version.ns, version.key)} className="text-link hover:underline">
            {reference}
          </Link>
        )}
      </p>
      {version !== null && newest > version.version && (
        <p role="status" className="flex flex-wrap items-center gap-2">
          <StatusIcon status="warning" />
          <span className="min-w-0 flex-1 basis-60">
            v{newest} of {version.ns}/{version.key} is available. Take it over in a draft and run a
            backtest.
          </span>
          <LinkButton href={`${configPath(config.ns, config.key)}/edit`}>Open the draft</LinkButton>
        </p>
      )}
      <dl className="grid grid-cols-[max-content_1fr] gap-x-4 gap-y-1">
        {ORIGINS.map(([origin, label]) => {
          const ids = Object.keys(origins).filter((id) => origins[id] === origin)
          if (ids.length === 0) return null
          return (
            <div key={origin} className="col-span-2 grid grid-cols-subgrid">
              <dt className="text-text-2">{label}</dt>
              <dd className="flex min-w-0 flex-wrap gap-x-2">
                {ids.map((id) => (
                  <code key={id}>{id}</code>
                ))}
              </dd>
            </div>
          )
        })}
      </dl>
    </div>
  )
}

function Extenders({ extenders, newest }: Pick<Inheritance, 'extenders' | 'newest'>) {
  return (
    <ul aria-label="Configs that extend this one" className="divide-y divide-border">
      {extenders.map(({ ns, key, version, base, environments }) => (
        <li
          key={`${ns}/${key} ${version}`}
          className="flex flex-wrap items-baseline gap-x-3 px-3 py-1.5"
        >
          <Link href={configPath(ns, key)} className="text-link hover:underline">
            {ns}/{key}
          </Link>
          <span className="text-text-2">
            v{version} extends v{base}
            {environments.length > 0 && `, live in ${environments.join(', ')}`}
            {newest !== null && base < newest && ` · v${newest} is available`}
          </span>
        </li>
      ))}
    </ul>
  )
}
