'use client'
import { useState } from 'react'
import { liveIn } from '@/components/paths/live-in.ts'
import { Select } from '@/components/ui/select.tsx'
import type { ConfigDetail } from '@/server/configs/configs.ts'
import { type Move, rollbackTargets } from './moves.ts'
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
      above={kind === 'rollback' && <TargetChoice config={config} move={move} onMove={onMove} />}
      running={config.liveSessions.find((row) => row.environment === environment)?.count ?? 0}
      onClose={() => onMove(null)}
    >
      <VersionChanges config={config} from={live} to={version} heading="What changes" />
    </ReleaseDialog>
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
        options={versions.map((version, index) => ({
          value: String(version),
          label: index === 0 ? `v${version} (previous)` : `v${version}`,
        }))}
        onChange={(version) => onMove({ ...move, version: Number(version) })}
      />
    </div>
  )
}
