'use client'
// Promote and roll back: what the environment runs now, what it would run, the difference in words, and who is affected.
// A roll back asks for nothing but the choice.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { JsonDifference } from '@/components/kit/diff/json-difference.tsx'
import { liveIn } from '@/components/paths/live-in.ts'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { Select } from '@/components/ui/select.tsx'
import { Skeleton } from '@/components/ui/states.tsx'
import type { ConfigDetail } from '@/server/configs/configs.ts'
import type { MadeRelease } from '@/server/releases/release-outcome.ts'
import { demandGates, standingGates } from './gates.ts'
import { LateTextChanges } from './late-text-changes.tsx'
import type { Reach } from './reach-fields.tsx'
import type { Demands } from './release-fields.tsx'
import {
  mayRelease,
  Planned,
  ReleaseBody,
  type ReleaseForm,
  useReleaseForm,
  wordsOf,
} from './release-form.tsx'
import { releaseText } from './release-text.ts'
import { Released } from './released.tsx'
import { useReview } from './use-review.ts'

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

export interface MoveDialogProps {
  /** Whom it reaches as long as nobody chose otherwise. Absent: every new session. */
  readonly reach?: Reach
  readonly config: ConfigDetail
  readonly demands: Demands
  readonly move: Move
  readonly onMove: (move: Move | null) => void
}

export function MoveDialog(props: MoveDialogProps) {
  const { config, move, onMove } = props
  const [released, setReleased] = useState<{ release: MadeRelease; reach: Reach } | null>(null)
  return released === null ? (
    <Before {...props} onReleased={(release, reach) => setReleased({ release, reach })} />
  ) : (
    <Released
      {...released}
      prompt={config}
      canRollBack={move.kind !== 'rollback'}
      onClose={() => onMove(null)}
    />
  )
}

type OnReleased = (release: MadeRelease, reach: Reach) => void

/** The gates of this version for this environment. A roll back shows only those that stop it. */
function useGates({ config, demands, move }: MoveDialogProps, form: ReleaseForm) {
  const { kind, environment, version } = move
  const { ns, key } = config
  const subject = async () => ({ kind: 'version' as const, version })
  const place = { ns, key, environment }
  const asked = { place, kind, content: `v${version}`, subject }
  const { review, problem } = useReview(asked)
  const { words, acknowledged, time } = form
  const standing = standingGates({
    ...{ standing: review?.gates ?? null, acknowledged, isLater: time.isLater },
  })
  const gates =
    kind === 'rollback'
      ? standing.filter(({ passed, isOpen }) => !passed && isOpen !== true)
      : [...standing, ...demandGates(demands, words)]
  return { gates, place, review, problem, subject }
}

function Before(props: MoveDialogProps & { readonly onReleased: OnReleased }) {
  const { config, demands, move, onMove, onReleased } = props
  const { kind, environment, version } = move
  // What ran when the dialog opened: the server refuses the move when that has changed.
  const [live] = useState(() => liveIn(config, environment))
  const form = useReleaseForm({ environment, live }, props.reach)
  const judged = useGates(props, form)
  const release = useMove({ config, move, expectedLive: live, onReleased })
  const { gates, problem } = judged
  const close = () => onMove(null)
  const name = `${config.ns}/${config.key}`
  if (release.data?.ok === true && form.due !== null) {
    return (
      <Dialog
        open
        onOpenChange={close}
        title={`Planned for ${environment}`}
        description={name}
        actions={<Button onClick={close}>Close</Button>}
      >
        <Planned what={`v${version}`} environment={environment} dueAt={form.due.dueAt} />
      </Dialog>
    )
  }
  const refused = release.data?.ok === false ? release.data.message : release.error?.message
  const isBack = kind === 'rollback'
  const said = { verb: 'Promote', what: `v${version}`, place: environment } as const
  return (
    <Dialog
      open
      wide
      onOpenChange={close}
      title={isBack ? `Roll back ${environment}` : `Promote to ${environment}`}
      description={`${name}: ${live === null ? 'nothing' : `v${live}`} → v${version}`}
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button
            variant="primary"
            disabled={!mayRelease(form, gates) || release.isPending}
            onClick={() => release.mutate(form)}
          >
            {isBack ? `Roll back to v${version} in ${environment}` : releaseText(form, said)}
          </Button>
        </>
      }
    >
      <ReleaseBody
        {...judged}
        {...{ form, live }}
        demands={isBack ? null : demands}
        above={isBack && <TargetChoice config={config} move={move} onMove={onMove} />}
        running={config.liveSessions.find((row) => row.environment === environment)?.count ?? 0}
        problems={[problem, refused]}
      >
        <VersionChanges config={config} from={live} to={version} heading="What changes" />
      </ReleaseBody>
    </Dialog>
  )
}

function useMove({
  config,
  move,
  expectedLive,
  onReleased,
}: {
  readonly config: ConfigDetail
  readonly move: Move
  readonly expectedLive: number | null
  readonly onReleased: OnReleased
}) {
  const trpc = useTRPC()
  const client = useTRPCClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (form: ReleaseForm) => {
      const { kind, environment, version } = move
      const { typedName, ...words } = wordsOf(form)
      const place = { ns: config.ns, key: config.key, environment, ...words }
      if (kind === 'rollback') {
        return await client.releases.rollBack.mutate({ ...place, version, expectedLive })
      }
      if (!form.time.isLater) {
        return await client.releases.promote.mutate({ ...place, version, expectedLive, typedName })
      }
      if (form.due === null) throw new Error('Choose a time.')
      const subject = { kind: 'version' as const, version }
      return await client.schedules.create.mutate({ ...place, ...form.due, subject, typedName })
    },
    onSuccess: async (result, { reach }) => {
      if (result.ok && 'release' in result) onReleased(result.release, reach)
      const { configs, drafts, releases, schedules, stagedRollouts } = trpc
      for (const { pathKey } of [configs, drafts, releases, schedules, stagedRollouts]) {
        await queries.invalidateQueries({ queryKey: pathKey() })
      }
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

export function useVersionText({ ns, key }: ConfigDetail, number: number | null) {
  const trpc = useTRPC()
  return useQuery({
    ...trpc.configs.version.queryOptions({ ns, key, number: number ?? 1 }),
    enabled: number !== null,
    // A version never changes.
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** From what runs to what would run: in words, and as JSON. */
export function VersionChanges({
  config,
  from,
  to,
  heading,
  startsOpen = false,
}: {
  readonly config: ConfigDetail
  readonly from: number | null
  readonly to: number
  /** Absent where the heading of a card says it. */
  readonly heading?: string
  /** The JSON is shown at once. */
  readonly startsOpen?: boolean
}) {
  const before = useVersionText(config, from)
  const after = useVersionText(config, to)
  const [oldText, newText] = [from === null ? null : before.data?.text, after.data?.text]
  if (oldText === undefined || newText === undefined) return <Skeleton className="w-3/5" />
  const labels = [from === null ? 'nothing' : `v${from}`, `v${to}`] as const
  return (
    <div className="flex flex-col gap-2">
      <LateTextChanges from={oldText} to={newText} heading={heading} />
      <JsonDifference before={oldText ?? ''} after={newText} {...{ labels, startsOpen }} />
    </div>
  )
}
