'use client'
import { useQuery } from '@tanstack/react-query'
import { usePathname, useRouter } from 'next/navigation'
import { useEffect, useEffectEvent } from 'react'
import { configPath } from '@/components/paths/config-path.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button, LinkButton } from '@/components/ui/button.tsx'
import { Dialog } from '@/components/ui/dialog.tsx'
import { toast } from '@/components/ui/toast.tsx'
import type { MadeRelease } from '@/server/releases/release-outcome.ts'
import { AdoptionView, useAdoption } from './adoption-view.tsx'
import { type Reach, reachText } from './reach-fields.tsx'

interface Props {
  readonly prompt: { readonly ns: string; readonly key: string }
  readonly release: MadeRelease
  readonly reach: Reach
  readonly onClose: () => void
  /** False: this release was a rollback. Absent: true. */
  readonly canRollBack?: boolean
  /** Environment that the version can be promoted to next; absent or null: none is offered. */
  readonly next?: string | null
  readonly onPromote?: ((environment: string) => void) | undefined
  readonly outcome?: string | undefined
}

const TOAST_MS = 15_000

export function Released(props: Props) {
  return props.release.rolloutId === null ? <ToAll {...props} /> : <ToAShare {...props} />
}

function ToAShare({ prompt: { ns, key }, release, reach, onClose }: Props) {
  const { version, environment } = release
  const stagedRollout = `${configPath(ns, key)}/staged-rollout`
  const isThere = usePathname() === stagedRollout
  const leave = useEffectEvent(onClose)
  // The page below already shows the progress.
  useEffect(() => {
    if (isThere) leave()
  }, [isThere])
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`${ns}/${key} → ${environment}`}
      actions={
        <>
          <Button onClick={onClose}>Close</Button>
          <LinkButton variant="primary" href={stagedRollout}>
            Open staged rollout
          </LinkButton>
        </>
      }
    >
      <p role="status" className="text-h1">
        v{version} is staged in {environment}
      </p>
      <p className="text-text-2">{reachText(reach)}</p>
    </Dialog>
  )
}

/** Shown while no runtime hosts the prompt, and none ever started a session of it. */
function ConnectLink({ prompt }: Pick<Props, 'prompt'>) {
  const trpc = useTRPC()
  const { data } = useQuery(trpc.overview.steps.queryOptions({ prompt }))
  if (data?.session !== null) return null
  const name = encodeURIComponent(`${prompt.ns}/${prompt.key}`)
  return (
    <LinkButton variant="primary" href={`/get-started?prompt=${name}`}>
      Connect an agent
    </LinkButton>
  )
}

function ToAll(props: Props) {
  const { prompt, release, reach, outcome, onClose } = props
  const { canRollBack = true, next = null, onPromote } = props
  const { ns, key } = prompt
  const { id, environment, version, previousVersion } = release
  const router = useRouter()
  const { data } = useAdoption(id)
  const way = `${configPath(ns, key)}/versions?move=rollback:${environment}:${previousVersion}`
  const hasWayBack = canRollBack && previousVersion !== null
  // Repeated in a toast, so that the rollback stays available after the dialog closes.
  const close = () => {
    onClose()
    if (!hasWayBack) return
    toast(`v${version} was released to ${environment}`, {
      duration: TOAST_MS,
      action: { label: 'Roll back', onClick: () => router.push(way) },
    })
  }
  const said = reachText(reach)
  return (
    <Dialog
      open
      wide
      onOpenChange={close}
      title={`${ns}/${key} → ${environment}`}
      actions={
        <>
          <Button onClick={close}>Close</Button>
          {hasWayBack && <LinkButton href={way}>Roll back to v{previousVersion}</LinkButton>}
          <LinkButton href={`/releases/${id}`}>Open release</LinkButton>
          {next !== null && (
            <Button
              variant={data?.status === 'live' ? 'primary' : 'secondary'}
              onClick={() => onPromote?.(next)}
            >
              Promote to {next}
            </Button>
          )}
          {data?.status === 'waiting' && <ConnectLink prompt={prompt} />}
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <AdoptionView releaseId={id} />
        {outcome !== undefined && <p>{outcome}</p>}
        {said !== null && (
          <p className="flex flex-wrap items-center gap-x-2 text-text-2">
            {said}
            <LinkButton variant="quiet" href={`${configPath(ns, key)}/staged-rollout`}>
              Open staged rollout
            </LinkButton>
          </p>
        )}
      </div>
    </Dialog>
  )
}
