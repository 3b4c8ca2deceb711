'use client'
// The card stays until the user dismisses it, because a key that was made here must not disappear with it.
import { useQuery } from '@tanstack/react-query'
import { CircleCheck, CircleDashed, Play } from 'lucide-react'
import { useState } from 'react'
import { ConnectCommand } from '@/components/runtimes/connect-command.tsx'
import { keepMadeKey } from '@/components/runtimes/made-key.ts'
import { setCookie } from '@/components/shell/set-cookie.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'
import { Button } from '@/components/ui/button.tsx'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Link } from '@/components/ui/link.tsx'
import { DISMISSED, FIRST_STEPS_COOKIE } from './first-steps-cookie.ts'
import { useDemoRun } from './use-demo-run.ts'

const LOOK_EVERY_MS = 5_000

interface Steps {
  readonly hasRuntime: boolean
  readonly hasRelease: boolean
  readonly hasSession: boolean
}

function isDone(steps: Steps | undefined): boolean {
  return steps?.hasRuntime === true && steps.hasRelease && steps.hasSession
}

/** `isDismissed`: the card was dismissed before the page opened. */
export function FirstSteps({ isDismissed }: { readonly isDismissed: boolean }) {
  const trpc = useTRPC()
  const [isHidden, setHidden] = useState(isDismissed)
  const { data: steps } = useQuery({
    ...trpc.overview.steps.queryOptions(),
    enabled: !isHidden,
    refetchInterval: ({ state }) => (isDone(state.data) ? false : LOOK_EVERY_MS),
  })
  if (isHidden || steps === undefined) return null
  const dismiss = (): void => {
    setCookie(FIRST_STEPS_COOKIE, DISMISSED)
    keepMadeKey(null)
    setHidden(true)
  }
  return <StepsCard steps={steps} onDismiss={dismiss} />
}

function Step({ done, children }: { readonly done: boolean; readonly children: React.ReactNode }) {
  return (
    <li className="flex items-start gap-2">
      {done ? (
        <CircleCheck size={16} className="mt-0.5 shrink-0 text-allow-mark" aria-label="done" />
      ) : (
        <CircleDashed size={16} className="mt-0.5 shrink-0 text-neutral-mark" aria-label="to do" />
      )}
      <div className="min-w-0 flex-1">{children}</div>
    </li>
  )
}

function StepsCard({
  steps,
  onDismiss,
}: {
  readonly steps: Steps
  readonly onDismiss: () => void
}) {
  const demo = useDemoRun()
  return (
    <Card>
      <CardHeader
        title="Get started"
        aside="Steps complete automatically; the demo agent does not count"
        actions={<Button onClick={onDismiss}>Dismiss</Button>}
      />
      <ol className="flex flex-col gap-3 p-3">
        <Step done={steps.hasRuntime}>
          <p className="mb-2">
            Connect a runtime: run a coding agent under the daemon, or install{' '}
            <code>@signalbox/runtime</code> in your own.
          </p>
          <ConnectCommand />
        </Step>
        <Step done={steps.hasRelease}>
          Publish a config for its prompt.{' '}
          <Link href="/configs" className="text-link underline">
            Open Configs
          </Link>
        </Step>
        <Step done={steps.hasSession}>
          Watch its first session.{' '}
          <Link href="/sessions" className="text-link underline">
            Open Sessions
          </Link>
        </Step>
      </ol>
      <div className="flex flex-wrap items-center gap-3 border-border border-t p-3">
        <Button onClick={() => demo.mutate()} disabled={demo.isPending}>
          <Play size={14} aria-hidden />
          Run the demo agent
        </Button>
        <p className="text-text-2">
          A real agent in a scratch folder, about 15 seconds. It gets denied, gets feedback, is
          blocked from stopping, then finishes.
        </p>
      </div>
    </Card>
  )
}
