'use client'
import { diffConfigs } from '@signalbox/core/views'
import { parseConfigText } from '@signalbox/wire'
// Promote and roll back: what the environment runs now, what it would run, the difference in words, and who is affected.
// A roll back asks for nothing but the choice.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { ConfigDetail } from '@/server/services/configs.ts'
import { useTRPC, useTRPCClient } from '../trpc-provider.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Select } from '../ui/select.tsx'
import { Skeleton } from '../ui/states.tsx'
import { AdoptionView } from './adoption-view.tsx'
import { ChangeList } from './change-list.tsx'
import { type Demands, NO_WORDS, ReleaseFields } from './release-fields.tsx'

export interface Move {
  readonly kind: 'promote' | 'rollback'
  readonly environment: string
  readonly version: number
}

/** Versions that ran in the environment before and differ from what it runs now; the nearest older one first. */
export function rollbackTargets(config: ConfigDetail, environment: string): readonly number[] {
  const live = liveIn(config, environment)
  const ran = config.releases
    .filter((release) => release.environment === environment)
    .map(({ version }) => version)
  const others = [...new Set(ran)].filter((version) => version !== live)
  const older = others.filter((version) => version < (live ?? 0)).sort((a, b) => b - a)
  return [...older, ...others.filter((version) => !older.includes(version))]
}

export function liveIn(config: ConfigDetail, environment: string): number | null {
  return config.pointers.find((pointer) => pointer.environment === environment)?.version ?? null
}

export function MoveDialog({
  config,
  demands,
  move,
  onMove,
}: {
  readonly config: ConfigDetail
  readonly demands: Demands
  readonly move: Move
  readonly onMove: (move: Move | null) => void
}) {
  const { kind, environment, version } = move
  const [words, setWords] = useState(NO_WORDS)
  // What ran when the dialog opened: the server refuses the move when that has changed.
  const [expectedLive] = useState(() => liveIn(config, environment))
  const release = useMove(config, move, expectedLive)
  const close = () => onMove(null)
  const done = release.data?.ok === true ? release.data.release.id : null
  const refused = release.data?.ok === false ? release.data.message : release.error?.message
  const isBack = kind === 'rollback'
  const isReady =
    isBack ||
    ((!demands.requiresNote || words.note.trim() !== '') &&
      (!demands.requiresTypedName || words.typedName === environment))
  const verb = isBack ? `Roll back to v${version}` : `Promote v${version}`
  if (done !== null) {
    return (
      <Dialog
        open
        onOpenChange={close}
        title={`${config.ns}/${config.key} → ${environment}`}
        actions={<Button onClick={close}>Close</Button>}
      >
        <AdoptionView releaseId={done} />
      </Dialog>
    )
  }
  return (
    <Dialog
      open
      wide
      onOpenChange={close}
      title={isBack ? `Roll back ${environment}` : `Promote to ${environment}`}
      description={`${config.ns}/${config.key}: ${expectedLive === null ? 'nothing' : `v${expectedLive}`} → v${version}`}
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button
            variant="primary"
            disabled={!isReady || release.isPending}
            aria-label={`${verb} in ${environment}`}
            onClick={() => release.mutate(words)}
          >
            {verb}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {isBack && <TargetChoice config={config} move={move} onMove={onMove} />}
        <Changes config={config} from={expectedLive} to={version} />
        <Affected config={config} environment={environment} />
        {!isBack && <ReleaseFields demands={demands} words={words} onChange={setWords} />}
        {refused !== undefined && (
          <p role="alert" className="text-deny-fg">
            {refused}
          </p>
        )}
      </div>
    </Dialog>
  )
}

function useMove(config: ConfigDetail, move: Move, expectedLive: number | null) {
  const trpc = useTRPC()
  const client = useTRPCClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (words: typeof NO_WORDS) => {
      const { ns, key } = config
      const { environment, version } = move
      const note = words.note.trim() === '' ? null : words.note
      const request = { ns, key, environment, version, expectedLive, note }
      return move.kind === 'rollback'
        ? client.releases.rollBack.mutate(request)
        : client.releases.promote.mutate({ ...request, typedName: words.typedName })
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: trpc.configs.pathKey() })
      await queries.invalidateQueries({ queryKey: trpc.drafts.pathKey() })
    },
  })
}

function TargetChoice({
  config,
  move,
  onMove,
}: {
  readonly config: ConfigDetail
  readonly move: Move
  readonly onMove: (move: Move) => void
}) {
  const versions = rollbackTargets(config, move.environment)
  return (
    <div className="flex items-center gap-2">
      <span className="text-small text-text-2">Back to</span>
      <Select
        label="Version to go back to"
        value={String(move.version)}
        options={versions.map((version, index) => ({
          value: String(version),
          label: index === 0 ? `v${version} (previous)` : `v${version}`,
        }))}
        onChange={(version) => onMove({ ...move, version: Number(version) })}
      />
    </div>
  )
}

function useVersionText(config: ConfigDetail, number: number | null) {
  const trpc = useTRPC()
  const { ns, key } = config
  return useQuery({
    ...trpc.configs.version.queryOptions({ ns, key, number: number ?? 1 }),
    enabled: number !== null,
    // A version never changes.
    staleTime: Number.POSITIVE_INFINITY,
  })
}

function Changes({
  config,
  from,
  to,
}: {
  readonly config: ConfigDetail
  readonly from: number | null
  readonly to: number
}) {
  const before = useVersionText(config, from)
  const after = useVersionText(config, to)
  const [oldText, newText] = [from === null ? '' : before.data?.text, after.data?.text]
  const changes = useMemo(() => {
    if (oldText === undefined || newText === undefined) return undefined
    const [old, now] = [parseConfigText(oldText), parseConfigText(newText)]
    return now.ok ? diffConfigs(old.ok ? old.document : null, now.document) : null
  }, [oldText, newText])
  return (
    <section aria-label="Changes" className="flex flex-col gap-2">
      <h3 className="font-semibold text-h2">What changes</h3>
      {changes === undefined && <Skeleton className="w-3/5" />}
      {changes === null && (
        <p className="text-text-2">
          This version was written by another build and cannot be put into words.
        </p>
      )}
      {changes !== undefined && changes !== null && <ChangeList changes={changes} />}
    </section>
  )
}

function Affected({
  config,
  environment,
}: {
  readonly config: ConfigDetail
  readonly environment: string
}) {
  const runtimes = config.runtimes.filter((runtime) => runtime.environment === environment).length
  const running = config.liveSessions.find((row) => row.environment === environment)?.count ?? 0
  const who = runtimes === 1 ? '1 runtime changes' : `${runtimes} runtimes change`
  return (
    <p className="text-text-2">
      {who}.{' '}
      {running > 0 &&
        `${running === 1 ? '1 running session keeps' : `${running} running sessions keep`} the version that it began with until it ends.`}
    </p>
  )
}
