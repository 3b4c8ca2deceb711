'use client'
import { useState } from 'react'
import { liveIn } from '@/components/paths/live-in.ts'
import { Select } from '@/components/ui/select.tsx'
import { WarningLine } from '@/components/ui/states.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { ConfigDetail } from '@/server/configs/configs.ts'
import { findRolledBack, type Move, rollbackTargets } from './moves.ts'
import { permilleText } from './permille-text.ts'
import type { Reach } from './reach-fields.tsx'
import { ReleaseDialog } from './release-dialog.tsx'
import type { Demands } from './release-fields.tsx'
import { VersionChanges } from './version-changes.tsx'

export interface MoveDialogProps {
  /** Preselected reach. Absent: every new session. */
  readonly reach?: Reach
  readonly config: ConfigDetail
  readonly demands: Demands
  readonly move: Move
  readonly onMove: (move: Move | null) => void
}

export function MoveDialog({ config, demands, move, reach, onMove }: MoveDialogProps) {
  const { kind, environment, version } = move
  // Live version when the dialog opened; the server refuses the move if another version went live.
  const [live] = useState(() => liveIn(config, environment))
  return (
    <ReleaseDialog
      kind={kind}
      prompt={config}
      environment={{ ...demands, live }}
      version={version}
      content={`v${version}`}
      subject={async () => ({ kind: 'version', version })}
      {...(reach === undefined ? {} : { reach })}
      above={
        <>
          {kind === 'rollback' && <TargetChoice config={config} move={move} onMove={onMove} />}
          <Before config={config} move={move} />
        </>
      }
      running={config.liveSessions.find((row) => row.environment === environment)?.count ?? 0}
      onClose={() => onMove(null)}
    >
      <VersionChanges config={config} from={live} to={version} heading="What changes" />
    </ReleaseDialog>
  )
}

/** Warns of an earlier rollback of the version here, and of a staged rollout that the release ends. */
function Before({ config, move }: { readonly config: ConfigDetail; readonly move: Move }) {
  const { environment, version } = move
  const end = findRolledBack(config, move)?.successor
  const staged = config.staged.find((one) => one.environment === environment)
  return (
    <>
      {end != null && (
        <WarningLine>
          v{version} was rolled back here by {end.author ?? 'a former member'} on{' '}
          <Timestamp at={end.at} style="second" />
          {end.note !== null && `: “${end.note}”`}
        </WarningLine>
      )}
      {staged !== undefined && (
        <WarningLine>
          v{staged.version} gets {permilleText(staged.share)} of new sessions here. A release ends
          this staged rollout.
        </WarningLine>
      )}
    </>
  )
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
        options={versions.map((version, index) => {
          const isBad = findRolledBack(config, { ...move, version }) !== undefined
          const more = isBad ? ' (was rolled back)' : index === 0 ? ' (previous)' : ''
          return { value: String(version), label: `v${version}${more}` }
        })}
        onChange={(version) => onMove({ ...move, version: Number(version) })}
      />
    </div>
  )
}
