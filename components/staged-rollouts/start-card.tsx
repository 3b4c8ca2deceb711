'use client'
import { useState } from 'react'
import { liveIn } from '@/components/paths/live-in.ts'
import { MoveDialog } from '@/components/releases/lazy-move-dialog.ts'
import { STAGED } from '@/components/releases/reach-fields.tsx'
import { useStagedRolloutAction } from '@/components/releases/use-staged-rollout-actions.ts'
import { ReleaseButton } from '@/components/shell/release-button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { ReasonedButton } from '@/components/ui/reasoned-button.tsx'
import { Select } from '@/components/ui/select.tsx'
import { EmptyState, ErrorLine, WarningLine } from '@/components/ui/states.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { ConfigDetail } from '@/server/configs/configs.ts'
import type { ListedEnvironment } from '@/server/runtimes/runtime-list.ts'
import type { RolloutView } from '@/server/staged-rollouts/staged-rollout-overview.ts'

interface Props {
  readonly config: ConfigDetail
  /** Newest first. */
  readonly ended: readonly RolloutView[]
  readonly environments: readonly ListedEnvironment[]
  /** No rollout is running. Environments in which one runs are not offered. */
  readonly isIdle: boolean
}

const NONE_RUNS = 'No staged rollout is running.'

export function StartCard({ config, ended, environments, isIdle }: Props) {
  const running = environments.filter(({ name }) => liveIn(config, name) !== null)
  const [where, setWhere] = useState<string | null>(null)
  const environment = running.find(({ name }) => name === where) ?? running[0]
  if (environment === undefined) {
    if (!isIdle) return null
    return (
      <Card>
        <CardHeader title="Roll out to a share of sessions" />
        <EmptyState title={NONE_RUNS}>
          Publish or promote a version to a share of sessions.
          <OneVersion reason="No version is live yet. Publish the first one to all sessions." />
        </EmptyState>
      </Card>
    )
  }
  return (
    <Card>
      <CardHeader title="Roll out to a share of sessions" />
      {isIdle && (
        <p className="px-3 pt-3">
          {NONE_RUNS} Publish or promote a version to a share of sessions.
        </p>
      )}
      <Choice
        key={environment.name}
        config={config}
        environment={environment}
        ended={ended}
        isFirst={environment.name === environments[0]?.name}
        places={
          <Select
            label="Environment"
            value={environment.name}
            options={running.map(({ name }) => ({
              value: name,
              label: `${name} (v${liveIn(config, name)})`,
            }))}
            onChange={setWhere}
          />
        }
      />
    </Card>
  )
}

/** The version was tried here before. */
function WorseBefore({ rollout }: { readonly rollout: RolloutView | undefined }) {
  if (rollout === undefined) return null
  const { version, baseVersion, settledAt } = rollout
  return (
    <WarningLine>
      v{version} was worse than v{baseVersion} here and was rolled back
      {settledAt !== null && (
        <>
          {' '}
          on <Timestamp at={settledAt} style="second" />
        </>
      )}
      .
    </WarningLine>
  )
}

function OneVersion({ reason }: { readonly reason: string }) {
  return (
    <>
      <ReasonedButton isAllowed={false} reason={reason}>
        Choose a version
      </ReasonedButton>
      <span className="block w-full text-small text-text-2">{reason}</span>
    </>
  )
}

function Choice({
  config,
  environment,
  ended,
  isFirst,
  places,
}: {
  readonly isFirst: boolean
  readonly ended: readonly RolloutView[]
  readonly config: ConfigDetail
  readonly environment: ListedEnvironment
  readonly places: React.ReactNode
}) {
  const { ns, key } = config
  const { name } = environment
  const live = liveIn(config, name)
  const liveDigest = config.versions.find(({ number }) => number === live)?.digest
  const others = config.versions.filter(({ digest }) => digest !== liveDigest)
  const [picked, setPicked] = useState<number | null>(null)
  const version = picked ?? others[0]?.number ?? null
  const [isStaging, setStaging] = useState(false)
  const shadow = useStagedRolloutAction<number>((client, number) =>
    client.stagedRollouts.shadow.mutate({ ns, key, environment: name, version: number }),
  )
  if (version === null) {
    return (
      <div className="flex flex-wrap items-center gap-2 p-3">
        {places}
        <OneVersion
          reason={
            isFirst
              ? 'There is no other version. Change the config in the editor, and publish it to a share of sessions.'
              : 'There is no other version. Publish a change to an earlier environment, then try it here.'
          }
        />
      </div>
    )
  }
  return (
    <div className="flex flex-col gap-2 p-3">
      <div className="flex flex-wrap items-center gap-2">
        {places}
        <Select
          label="Version"
          value={String(version)}
          options={others.map(({ number, note }) => ({
            value: String(number),
            label: note === null ? `v${number}` : `v${number} · ${note.slice(0, 40)}`,
          }))}
          onChange={(value) => setPicked(Number(value))}
        />
        <ReleaseButton environment={name} onClick={() => setStaging(true)}>
          Stage v{version}
        </ReleaseButton>
        <ReleaseButton
          environment={name}
          disabled={shadow.isPending}
          onClick={() => shadow.run(version)}
        >
          Run v{version} as shadow
        </ReleaseButton>
      </div>
      <p className="text-small text-text-2">
        Staged: a share of new sessions gets it. Shadow: it is evaluated next to v{live} and has no
        effect.
      </p>
      <WorseBefore
        rollout={ended.find(
          (one) =>
            one.environment === name && one.version === version && one.state === 'rolled_back',
        )}
      />
      <ErrorLine>{shadow.refused}</ErrorLine>
      {isStaging && (
        <MoveDialog
          config={config}
          demands={environment}
          move={{ kind: 'promote', environment: name, version }}
          reach={STAGED}
          onMove={() => setStaging(false)}
        />
      )}
    </div>
  )
}
