'use client'
// The address has the environment whose rules are shown (`?env=`) and the move to make (`?move=`).
import { useQuery } from '@tanstack/react-query'
import { Archive, ArchiveRestore, Copy, PencilLine } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { parseAsString, useQueryState } from 'nuqs'
import { type ReactNode, useState } from 'react'
import { PinnedCasesCard } from '@/components/backtests/pinned-cases-card.tsx'
import { ClaimsCard } from '@/components/claims/claims-card.tsx'
import { ArchiveDialog, useSetArchived } from '@/components/configs/archive-dialog.tsx'
import { ComingLines } from '@/components/configs/coming-lines.tsx'
import { archiveRefusal } from '@/components/configs/config-actions.tsx'
import { DayText, RuntimesText } from '@/components/configs/config-cells.tsx'
import { EnvironmentCard } from '@/components/configs/environment-card.tsx'
import { InheritanceCard } from '@/components/configs/inheritance-card.tsx'
import { newConfigPath } from '@/components/configs/new-config-sources.ts'
import { RecentRefusals } from '@/components/configs/recent-refusals.tsx'
import { RulesInForce } from '@/components/configs/rules-in-force.tsx'
import { listMoves, useMoveActions } from '@/components/configs/use-move-actions.ts'
import { VersionsTable } from '@/components/configs/versions-table.tsx'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { configPath } from '@/components/paths/config-path.ts'
import { shownEnvironment } from '@/components/paths/live-in.ts'
import { MoveDialog } from '@/components/releases/lazy-move-dialog.ts'
import { type Move, moveText, parseMove } from '@/components/releases/moves.ts'
import { type PageAction, usePageActions } from '@/components/shell/page-actions.ts'
import { PageHeader } from '@/components/shell/page-header.tsx'
import { usePageKeys } from '@/components/shell/page-keys.ts'
import { useReleaseRight } from '@/components/shell/release-right.ts'
import { useConfigRights } from '@/components/shell/use-config-rights.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { LinkButton } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { DemoTag } from '@/components/ui/demo-tag.tsx'
import { Link } from '@/components/ui/link.tsx'
import { Menu } from '@/components/ui/menu.tsx'
import { ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import { Ago } from '@/components/ui/time.tsx'
import { toast } from '@/components/ui/toast.tsx'
import type { ConfigDetail } from '@/server/configs/configs.ts'
import type { ListedEnvironment } from '@/server/runtimes/runtime-list.ts'

export function ConfigPage({ ns, key_: key }: { readonly ns: string; readonly key_: string }) {
  const trpc = useTRPC()
  const config = useQuery(trpc.configs.get.queryOptions({ ns, key }))
  const environments = useQuery(trpc.runtimes.environments.queryOptions())
  useReadOnChange([{ kind: 'config' }, { kind: 'runtime' }], config)
  if (config.error !== null && config.data === undefined) {
    return (
      <ErrorState
        what={`Could not open ${ns}/${key}.`}
        why={config.error}
        onRetry={() => void config.refetch()}
      />
    )
  }
  if (config.data === undefined) return <SkeletonRows />
  return <Opened config={config.data} environments={environments.data ?? []} />
}

interface OpenedProps {
  readonly config: ConfigDetail
  /** In order of promotion. */
  readonly environments: readonly ListedEnvironment[]
}

function Opened({ config, environments }: OpenedProps) {
  const { ns, key } = config
  const [env, setEnv] = useQueryState('env', parseAsString)
  const [asked, setAsked] = useQueryState('move', parseAsString)
  const onMove = (move: Move | null) => void setAsked(move === null ? null : moveText(move))
  const chain = environments.map(({ name }) => name)
  const shown = shownEnvironment(config, chain, env)
  return (
    <>
      <Header config={config} chain={chain} onMove={onMove} />
      <div className="flex flex-col gap-3 p-4 max-sm:p-2">
        <ComingLines config={config} />
        <ul className="grid grid-cols-1 gap-3 md:grid-cols-3">
          {environments.map((environment, index) => (
            <li key={environment.id}>
              <EnvironmentCard
                config={config}
                environment={environment}
                onMove={onMove}
                next={chain[index + 1] ?? null}
                isShown={environment.name === shown}
                onShow={() => void setEnv(environment.name)}
              />
            </li>
          ))}
        </ul>
        <RulesInForce config={config} environment={shown} />
        <InheritanceCard ns={ns} name={key} />
        <RecentRefusals ns={ns} name={key} />
        <PinnedCasesCard ns={ns} name={key} />
        <ClaimsCard ns={ns} name={key} />
        <Card>
          <CardHeader title="Versions" aside={`${config.versions.length}`} />
          <VersionsTable config={config} chain={chain} onMove={onMove} />
        </Card>
      </div>
      <AskedMove config={config} environments={environments} asked={asked} onMove={onMove} />
    </>
  )
}

function AskedMove({
  config,
  environments,
  asked,
  onMove,
}: OpenedProps & {
  readonly asked: string | null
  readonly onMove: (move: Move | null) => void
}) {
  const wanted = parseMove(asked, config)
  const move = wanted === null || wanted.kind === 'nothing_before' ? null : wanted
  const demands = environments.find(({ name }) => name === move?.environment)
  const { isAllowed } = useReleaseRight(move?.environment ?? '')
  if (move === null || demands === undefined || !isAllowed) return null
  return (
    <MoveDialog
      key={`${move.kind} ${move.environment}`}
      config={config}
      demands={demands}
      move={move}
      onMove={onMove}
    />
  )
}

interface HeaderProps {
  readonly config: ConfigDetail
  readonly chain: readonly string[]
  readonly onMove: (move: Move) => void
}

function Header({ config, chain, onMove }: HeaderProps) {
  const router = useRouter()
  const { ns, key, archivedAt } = config
  const path = configPath(ns, key)
  const rights = useConfigRights()
  const [asking, setAsking] = useState<'archive' | null>(null)
  const [menu, setMenu] = useState(false)
  const restore = useSetArchived()
  const isArchived = archivedAt !== null
  const duplicate = {
    name: 'Duplicate…',
    onSelect: () => router.push(newConfigPath({ from: 'copy', source: `${ns}/${key}` })),
    refusal: rights.edit.reason ?? undefined,
  }
  const shelve = {
    name: isArchived ? 'Restore' : 'Archive…',
    onSelect: () =>
      isArchived
        ? restore.mutate(
            { ns, key, archived: false },
            { onError: ({ message }) => toast.error(message) },
          )
        : setAsking('archive'),
    refusal: isArchived ? (rights.archive.reason ?? undefined) : archiveRefusal(config, rights),
  }
  useConfigActions({ config, chain, onMove }, [duplicate, shelve])
  return (
    <>
      <PageHeader
        above={
          <Link href="/configs" className="text-link hover:underline">
            Configs
          </Link>
        }
        title={
          <>
            {ns}/{key} <DemoTag ns={ns} />
          </>
        }
        facts={<Facts config={config} />}
        actions={
          <>
            <LinkButton href={`${path}/versions`}>Versions</LinkButton>
            <LinkButton href={`${path}/suggested`}>Suggested rules</LinkButton>
            <LinkButton href={`${path}/staged-rollout`}>Staged rollout</LinkButton>
            <LinkButton variant="primary" href={`${path}/edit`}>
              <PencilLine size={14} aria-hidden />{' '}
              {rights.edit.isAllowed && !isArchived ? 'Edit' : 'View in the editor'}
            </LinkButton>
            <Menu
              label={`More actions for ${ns}/${key}`}
              items={[
                { ...duplicate, icon: <Copy size={14} aria-hidden /> },
                {
                  ...shelve,
                  icon: isArchived ? (
                    <ArchiveRestore size={14} aria-hidden />
                  ) : (
                    <Archive size={14} aria-hidden />
                  ),
                },
              ]}
              open={menu}
              onOpenChange={setMenu}
            />
          </>
        }
      />
      {asking === 'archive' && <ArchiveDialog config={config} onClose={() => setAsking(null)} />}
    </>
  )
}

function Facts({ config }: { readonly config: ConfigDetail }) {
  const { ns, key, archivedAt, pointers, draft, runtimes, day } = config
  const live = pointers.map(({ environment, version }) => `v${version} in ${environment}`)
  const facts: readonly (readonly [string, ReactNode])[] = [
    ['live', archivedAt !== null ? 'Archived' : live.join(' · ') || 'Not released yet'],
    ...(runtimes.total === 0
      ? []
      : [['runtimes', <RuntimesText key="runtimes" runtimes={runtimes} />] as const]),
    ...(day === null
      ? []
      : [
          [
            'day',
            <span key="day">
              <DayText day={day} form="sentence" /> in 24 h
              {pointers.length > 1 && ', all environments'}
            </span>,
          ] as const,
        ]),
    ...(draft === null || draft.state === 'clean'
      ? []
      : [
          [
            'draft',
            <span key="draft">
              <Link
                href={`${configPath(ns, key)}/edit?tab=diff`}
                className="text-link hover:underline"
              >
                {draft.state === 'invalid' ? 'invalid draft' : 'draft'}
              </Link>{' '}
              of {draft.author ?? 'a former member'}, <Ago at={draft.updatedAt} />
            </span>,
          ] as const,
        ]),
  ]
  return (
    // Clipped: a dot before the first fact of a line.
    <span className="flex flex-wrap overflow-hidden">
      {facts.map(([name, fact]) => (
        <span
          key={name}
          className="-ml-3 inline-flex items-center pr-3 before:w-3 before:shrink-0 before:text-center before:content-['·']"
        >
          {fact}
        </span>
      ))}
    </span>
  )
}

interface NamedAction {
  readonly name: string
  readonly onSelect: () => void
  readonly refusal: string | undefined
}

function useConfigActions(
  { config, chain, onMove }: HeaderProps,
  others: readonly NamedAction[],
): void {
  const { ns, key, draft, archivedAt } = config
  const router = useRouter()
  const path = configPath(ns, key)
  const edit = () => router.push(`${path}/edit`)
  const isChanged = draft !== null && draft.state !== 'clean'
  const noDraft = isChanged ? undefined : 'The draft has no changes.'
  const diff = () => {
    if (noDraft === undefined) router.push(`${path}/edit?tab=diff`)
    else toast(noDraft)
  }
  usePageKeys('config', [
    { keys: 'e', shown: 'e', does: 'edit', run: edit },
    { keys: 'd', shown: 'd', does: 'diff of draft and live', run: diff },
  ])
  const target = chain[0] ?? ''
  const moves = useMoveActions(onMove)(listMoves(config, chain))
  const publish: PageAction = {
    name: `Publish to ${target}…`,
    run: () => router.push(`${path}/edit?publish=${target}`),
    refusal: noDraft,
  }
  usePageActions([
    { name: 'Edit', run: edit },
    { name: 'Diff of draft and live', run: diff, refusal: noDraft },
    ...(archivedAt === null ? [publish] : []),
    ...moves,
    { name: 'Versions', run: () => router.push(`${path}/versions`) },
    { name: 'Suggested rules', run: () => router.push(`${path}/suggested`) },
    ...others.map(({ name, onSelect, refusal }) => ({ name, run: onSelect, refusal })),
  ])
}
