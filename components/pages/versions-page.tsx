'use client'
// Versions of a config: a timeline of where each ran, every version with its next step, a comparison of any two, the rules of one. The
// address has the move to make (`?move=rollback:production:14`), the compared versions (`?compare=14,15`), and the version with the rule
// that is shown (`?version=14&path=/policies/0`).
import { useQuery } from '@tanstack/react-query'
import { Undo2 } from 'lucide-react'
import { parseAsArrayOf, parseAsInteger, parseAsString, useQueryState, useQueryStates } from 'nuqs'
import { ConfigCrumbs } from '@/components/configs/config-crumbs.tsx'
import { listMoves, useMoveActions } from '@/components/configs/use-move-actions.ts'
import { VersionCard } from '@/components/configs/version-card.tsx'
import { VersionComparison } from '@/components/configs/version-comparison.tsx'
import { VersionTimeline } from '@/components/configs/version-timeline.tsx'
import { VersionsTable } from '@/components/configs/versions-table.tsx'
import { useListKeys } from '@/components/kit/list/use-list-keys.ts'
import { useReadOnChange } from '@/components/live/use-read-on-change.ts'
import { configPath } from '@/components/paths/config-path.ts'
import { liveIn } from '@/components/paths/live-in.ts'
import { MoveDialog } from '@/components/releases/lazy-move-dialog.ts'
import { moveText, parseMove, rollbackTargets } from '@/components/releases/moves.ts'
import { ReleaseList } from '@/components/releases/release-list.tsx'
import { usePageActions } from '@/components/shell/page-actions.ts'
import { PageHeader } from '@/components/shell/page-header.tsx'
import { usePageKeys } from '@/components/shell/page-keys.ts'
import { ReleaseButton } from '@/components/shell/release-button.tsx'
import { useReleaseRight } from '@/components/shell/release-right.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { LinkButton } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { ErrorState, SkeletonRows } from '@/components/ui/states.tsx'
import type { ConfigDetail } from '@/server/configs/configs.ts'

export function VersionsPage({ ns, key_: key }: { readonly ns: string; readonly key_: string }) {
  const trpc = useTRPC()
  const query = useQuery(trpc.configs.get.queryOptions({ ns, key }))
  useReadOnChange([{ kind: 'config' }, { kind: 'runtime' }], query)
  if (query.isError && query.data === undefined) {
    return (
      <ErrorState
        what={`Could not open ${ns}/${key}.`}
        why={query.error}
        onRetry={() => void query.refetch()}
      />
    )
  }
  return query.data === undefined ? <SkeletonRows /> : <Versions config={query.data} />
}

/** At most two rows are marked: a third mark replaces the oldest. The first mark also marks the previous version. */
function useCompared({ versions }: ConfigDetail) {
  const [marked, setMarked] = useQueryState(
    'compare',
    parseAsArrayOf(parseAsInteger).withDefault([]),
  )
  const onMark = (version: number) => {
    const others = marked.filter((each) => each !== version)
    const before = versions[versions.findIndex(({ number }) => number === version) + 1]
    const added =
      marked.length === 0 && before !== undefined ? [before.number, version] : [...marked, version]
    const next = others.length < marked.length ? others : added.slice(-2)
    void setMarked(next.length === 0 ? null : next)
  }
  const compare = (versions: readonly number[]) => void setMarked([...versions])
  return { marked, onMark, compare, clear: () => void setMarked(null) }
}

/** Number of the focused row's version; null: none. */
function focusedVersion(): number | null {
  const row = document.activeElement?.closest('[data-version]')
  const version = Number(row?.getAttribute('data-version'))
  return Number.isInteger(version) && version > 0 ? version : null
}

function Versions({ config }: { readonly config: ConfigDetail }) {
  const { ns, key } = config
  const trpc = useTRPC()
  const list = useQuery(trpc.environments.list.queryOptions()).data ?? []
  const [asked, setAsked] = useQueryState('move', parseAsString)
  const { marked, onMark, compare, clear } = useCompared(config)
  const [opened, setOpened] = useQueryStates({ version: parseAsInteger, path: parseAsString })
  const wanted = parseMove(asked, config)
  const move = wanted === null || wanted.kind === 'nothing_before' ? null : wanted
  const demands = list.find(({ name }) => name === move?.environment)
  const { isAllowed: mayRelease, reason } = useReleaseRight(move?.environment ?? '')
  useListKeys('versions', { noun: 'version' })
  usePageKeys('versions', [
    {
      keys: 'x',
      shown: 'x',
      does: 'compare the version that has the focus',
      run: () => {
        const version = focusedVersion()
        if (version !== null) onMark(version)
      },
    },
  ])
  const chain = list.map(({ name }) => name)
  const newest = config.versions.slice(0, 2).map(({ number }) => number)
  const moves = useMoveActions((next) => void setAsked(moveText(next)))(listMoves(config, chain))
  usePageActions([
    {
      name: newest.length < 2 ? 'Compare two versions' : `Compare v${newest[1]} with v${newest[0]}`,
      run: () => compare(newest),
      refusal: newest.length < 2 ? 'There is only one version.' : undefined,
    },
    ...moves,
  ])
  const [a, b] = marked
  return (
    <>
      <PageHeader
        above={<ConfigCrumbs ns={ns} name={key} here="Versions" />}
        title={`Versions of ${ns}/${key}`}
        facts={inForce(config)}
        actions={
          <>
            <LinkButton href={`${configPath(ns, key)}/edit`}>Open the editor</LinkButton>
            {list.flatMap(({ name }) => {
              const [back] = rollbackTargets(config, name)
              if (liveIn(config, name) === null || back === undefined) return []
              const target = { kind: 'rollback', environment: name, version: back } as const
              return [
                <ReleaseButton
                  key={name}
                  environment={name}
                  onClick={() => void setAsked(moveText(target))}
                >
                  <Undo2 size={14} aria-hidden /> Roll back {name}
                </ReleaseButton>,
              ]
            })}
          </>
        }
      />
      <div className="flex flex-col gap-3 p-4 max-sm:p-2">
        {wanted?.kind === 'nothing_before' && (
          <p role="status">
            {wanted.environment} never ran another version, so there is nothing to roll back to.
          </p>
        )}
        {move !== null && reason !== null && <p role="status">{reason}</p>}
        {opened.version !== null && (
          <VersionCard
            key={`${opened.version} ${opened.path}`}
            config={config}
            number={opened.version}
            pointer={opened.path}
            onClose={() => void setOpened(null)}
          />
        )}
        <VersionTimeline ns={ns} name={key} />
        {a !== undefined && b !== undefined && (
          <VersionComparison
            config={config}
            versions={[Math.min(a, b), Math.max(a, b)]}
            onClose={clear}
          />
        )}
        <Card>
          <CardHeader
            title="Versions"
            aside={
              marked.length === 1
                ? `v${a} is marked; mark another to compare`
                : 'immutable, newest first'
            }
          />
          <VersionsTable
            config={config}
            chain={chain}
            onMove={(next) => void setAsked(moveText(next))}
            compare={{ marked, onMark }}
          />
        </Card>
        <Card>
          <CardHeader title="Releases" aside="by environment, over time" />
          <ReleaseList releases={config.releases} />
        </Card>
      </div>
      {move !== null && demands !== undefined && mayRelease && (
        <MoveDialog
          key={`${move.kind} ${move.environment}`}
          config={config}
          demands={demands}
          move={move}
          onMove={(next) => void setAsked(next === null ? null : moveText(next))}
        />
      )}
    </>
  )
}

function inForce(config: ConfigDetail): string {
  const live = config.pointers.map(({ environment, version }) => `v${version} in ${environment}`)
  return live.length === 0 ? 'Not released yet' : live.join(' · ')
}
