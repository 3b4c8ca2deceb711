'use client'
// One config: what is in force in each environment, its rules in words, its versions, and the ways on: edit, promote, roll back.
import { useQuery } from '@tanstack/react-query'
import { Lock, PencilLine, Undo2 } from 'lucide-react'
import Link from 'next/link'
import { parseAsString, useQueryState } from 'nuqs'
import { type ReactNode, useState } from 'react'
import type { ConfigDetail } from '@/server/services/configs.ts'
import type { ListedEnvironment } from '@/server/services/runtime-list.ts'
import { useHints } from '../live/use-hints.ts'
import { ReleaseButton } from '../settings/release-button.tsx'
import { useTRPC } from '../trpc-provider.tsx'
import { LinkButton } from '../ui/button.tsx'
import { Card, CardHeader } from '../ui/card.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../ui/states.tsx'
import { Ago } from '../ui/time.tsx'
import { AdoptionBadge, useAdoption } from './adoption-view.tsx'
import { ArchiveButton } from './archive-button.tsx'
import { configPath } from './config-path.ts'
import { liveIn, type Move, MoveDialog, rollbackTargets } from './move-dialog.tsx'
import { RulesInWords } from './rules-in-words.tsx'
import { VersionsTable } from './versions-table.tsx'

interface Prompt {
  readonly ns: string
  readonly key_: string
}

/** What both pages of a config need; `body` gets it once it is there. */
function WithConfig({
  ns,
  key_,
  body,
}: Prompt & {
  readonly body: (parts: {
    readonly config: ConfigDetail
    readonly environments: readonly ListedEnvironment[]
    readonly mayEdit: boolean
    readonly mayRelease: boolean
    readonly onMove: (move: Move) => void
  }) => ReactNode
}) {
  const trpc = useTRPC()
  const [move, setMove] = useState<Move | null>(null)
  const config = useQuery(trpc.configs.get.queryOptions({ ns, key: key_ }))
  const environments = useQuery(trpc.runtimes.environments.queryOptions())
  const me = useQuery(trpc.members.me.queryOptions())
  useHints({ kind: 'config' }, () => void config.refetch())
  useHints({ kind: 'runtime' }, () => void config.refetch())
  if (config.error !== null && config.data === undefined) {
    return (
      <ErrorState
        what={`Could not open ${ns}/${key_}.`}
        why={config.error.message}
        onRetry={() => void config.refetch()}
      />
    )
  }
  if (config.data === undefined) return <SkeletonRows />
  const role = me.data?.role ?? 'viewer'
  const list = environments.data ?? []
  const demands = list.find(({ name }) => name === move?.environment)
  return (
    <>
      {body({
        config: config.data,
        environments: list,
        mayEdit: role !== 'viewer',
        mayRelease: role === 'publisher' || role === 'admin',
        onMove: setMove,
      })}
      {move !== null && demands !== undefined && (
        <MoveDialog
          key={`${move.kind} ${move.environment}`}
          config={config.data}
          demands={demands}
          move={move}
          onMove={setMove}
        />
      )}
    </>
  )
}

export function ConfigPage(prompt: Prompt) {
  return (
    <WithConfig
      {...prompt}
      body={({ config, environments, mayEdit, mayRelease, onMove }) => {
        const { ns, key } = config
        const chain = environments.map(({ name }) => name)
        return (
          <>
            <PageHeader
              above={
                <Link href="/configs" className="text-link hover:underline">
                  Configs
                </Link>
              }
              title={`${ns}/${key}`}
              facts={config.archivedAt === null ? factsOf(config) : 'Archived'}
              actions={
                <>
                  {mayRelease && config.pointers.length === 0 && <ArchiveButton config={config} />}
                  <LinkButton href={`${configPath(ns, key)}/versions`}>Versions</LinkButton>
                  <LinkButton href={`${configPath(ns, key)}/cohorts`}>Cohorts</LinkButton>
                  <LinkButton variant="primary" href={`${configPath(ns, key)}/edit`}>
                    <PencilLine size={14} aria-hidden /> {mayEdit ? 'Edit' : 'Read in the editor'}
                  </LinkButton>
                </>
              }
            />
            <div className="flex flex-col gap-3 p-4 max-sm:p-2">
              <ul className="grid grid-cols-1 gap-3 md:grid-cols-3">
                {environments.map((environment) => (
                  <li key={environment.id}>
                    <EnvironmentCard config={config} environment={environment} onMove={onMove} />
                  </li>
                ))}
              </ul>
              <InForce config={config} chain={chain} />
              <Card>
                <CardHeader title="Versions" aside={`${config.versions.length}`} />
                <VersionsTable config={config} chain={chain} onMove={onMove} />
              </Card>
            </div>
          </>
        )
      }}
    />
  )
}

function factsOf(config: ConfigDetail): string {
  const live = config.pointers.map(({ environment, version }) => `v${version} in ${environment}`)
  return live.length === 0 ? 'Not released yet' : live.join(' · ')
}

function EnvironmentCard({
  config,
  environment,
  onMove,
}: {
  readonly config: ConfigDetail
  readonly environment: ListedEnvironment
  readonly onMove: (move: Move) => void
}) {
  const { name, requiresTypedName } = environment
  const pointer = config.pointers.find((each) => each.environment === name)
  const [back] = rollbackTargets(config, name)
  return (
    <Card className="flex h-full flex-col">
      <CardHeader
        title={
          <span className="inline-flex items-center gap-1.5">
            {requiresTypedName && <Lock size={12} aria-hidden />}
            {name}
          </span>
        }
        aside={pointer === undefined ? 'nothing live' : `v${pointer.version}`}
      />
      <div className="flex flex-1 flex-col gap-2 p-3">
        {pointer === undefined ? (
          <p className="text-text-2">No version runs here yet.</p>
        ) : (
          <>
            <Adopted releaseId={pointer.releaseId} />
            <p className="text-text-2">
              {pointer.author ?? 'Signalbox'}, <Ago at={pointer.releasedAt} />
            </p>
          </>
        )}
        {pointer !== undefined && back !== undefined && (
          <ReleaseButton
            environment={name}
            className="mt-auto self-start"
            onClick={() => onMove({ kind: 'rollback', environment: name, version: back })}
          >
            <Undo2 size={14} aria-hidden /> Roll back {name}
          </ReleaseButton>
        )}
      </div>
    </Card>
  )
}

function Adopted({ releaseId }: { readonly releaseId: string }) {
  const { data } = useAdoption(releaseId)
  if (data === undefined) return null
  const refused = data.runtimes.filter(({ state }) => state === 'rejected')
  return (
    <div className="flex flex-col items-start gap-1">
      <AdoptionBadge adoption={data} />
      {refused.map(({ id, name, reason }) => (
        <p key={id} className="text-deny-fg text-small">
          Rejected by {name}: {reason ?? 'no reason given'}
        </p>
      ))}
    </div>
  )
}

/** The rules of the version current in the chosen environment: `?env=`, else the one furthest along the chain. */
function InForce({
  config,
  chain,
}: {
  readonly config: ConfigDetail
  readonly chain: readonly string[]
}) {
  const trpc = useTRPC()
  const [env] = useQueryState('env', parseAsString)
  const released = chain.filter((name) => liveIn(config, name) !== null)
  const shown = released.find((name) => name === env) ?? released.at(-1)
  const number = shown === undefined ? null : liveIn(config, shown)
  const { ns, key } = config
  const version = useQuery({
    ...trpc.configs.version.queryOptions({ ns, key, number: number ?? 1 }),
    enabled: number !== null,
  })
  if (number === null) {
    return (
      <Card>
        <EmptyState title="Nothing is in force.">
          This config has a draft only. Publish it, and its rules show here.
        </EmptyState>
      </Card>
    )
  }
  return (
    <Card>
      <CardHeader title="Rules in force" aside={`v${number}, live in ${shown ?? ''}`} />
      {version.data === undefined ? (
        <SkeletonRows />
      ) : (
        <RulesInWords text={version.data.text} fired={config.firedByRule} />
      )}
    </Card>
  )
}
