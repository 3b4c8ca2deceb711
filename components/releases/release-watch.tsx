'use client'
// See specs/staged-rollouts.md.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { configPath } from '@/components/paths/config-path.ts'
import { ReleaseButton } from '@/components/shell/release-button.tsx'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button, LinkButton } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { ErrorLine } from '@/components/ui/states.tsx'
import { Timestamp } from '@/components/ui/time.tsx'
import type { ReleaseDetail } from '@/server/releases/release-pages.ts'
import { ReachTerms, toReachTerms, WATCHED } from './reach-fields.tsx'
import { permilleText } from './staged-rollout-fields.tsx'
import { useStagedRolloutAction } from './use-staged-rollout-actions.ts'

export function ReleaseWatch({ release }: { readonly release: ReleaseDetail }) {
  const { ns, key, environment, version, previousVersion, successor } = release
  const trpc = useTRPC()
  const overview = useQuery(trpc.stagedRollouts.of.queryOptions({ ns, key }))
  const [isAsking, setAsking] = useState(false)
  if (successor !== null || overview.data === undefined) return null
  const running = overview.data.rollouts.find(
    (rollout) => rollout.environment === environment && rollout.state === 'running',
  )
  return (
    <Card>
      <CardHeader title="Watch" />
      <div className="flex flex-col items-start gap-2 p-3">
        {running !== undefined && (
          <>
            <p>
              {running.kind === 'watch' && running.endsAt !== null ? (
                <>
                  Watched beside v{running.baseVersion} until{' '}
                  <Timestamp at={running.endsAt} style="second" />.
                </>
              ) : (
                `v${running.version} gets ${permilleText(running.share)} of new sessions here; its guard compares it with v${version}.`
              )}
            </p>
            <LinkButton href={`${configPath(ns, key)}/staged-rollout`}>
              Open staged rollout
            </LinkButton>
          </>
        )}
        {running === undefined && previousVersion === null && (
          <p className="text-text-2">
            No earlier version ran here, so there is nothing to compare with.
          </p>
        )}
        {running === undefined && previousVersion !== null && (
          <>
            <p className="text-text-2">
              Not watched. A watch compares its sessions with those of v{previousVersion} and rolls
              back automatically if they do worse.
            </p>
            <ReleaseButton environment={environment} onClick={() => setAsking(true)}>
              Watch v{version}
            </ReleaseButton>
          </>
        )}
      </div>
      {isAsking && previousVersion !== null && (
        <WatchDialog
          release={release}
          previous={previousVersion}
          onClose={() => setAsking(false)}
        />
      )}
    </Card>
  )
}

function WatchDialog({
  release,
  previous,
  onClose,
}: {
  readonly release: ReleaseDetail
  readonly previous: number
  readonly onClose: () => void
}) {
  const { id: releaseId, ns, key, environment, version } = release
  const [reach, setReach] = useState(WATCHED)
  const begin = useStagedRolloutAction<void>(async (client) => {
    const { watch } = toReachTerms(reach)
    if (watch === undefined) throw new Error('Choose how long to watch.')
    return await client.stagedRollouts.watch.mutate({ releaseId, watch, note: null })
  }, onClose)
  return (
    <Dialog
      open
      wide
      onOpenChange={onClose}
      title={`Watch v${version} in ${environment}`}
      description={`${ns}/${key}: sessions that start from now on`}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={begin.isPending} onClick={() => begin.run()}>
            Start watching v{version}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <ReachTerms reach={reach} live={previous} onChange={setReach} />
        <ErrorLine>{begin.refused}</ErrorLine>
      </div>
    </Dialog>
  )
}
