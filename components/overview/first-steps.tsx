'use client'
// The empty Overview: three steps that tick by themselves, and the demo agent for the impatient.
import { useMutation } from '@tanstack/react-query'
import { CircleCheck, CircleDashed, Play } from 'lucide-react'
import { Link } from '@/components/ui/link.tsx'
import { ConnectCommand } from '../runtimes/connect-command.tsx'
import { useTRPC } from '../trpc-provider.tsx'
import { Button } from '../ui/button.tsx'
import { Card, CardHeader } from '../ui/card.tsx'
import { toast } from '../ui/toast.tsx'

export interface Steps {
  readonly hasRuntime: boolean
  readonly hasRelease: boolean
  readonly hasSession: boolean
}

function Step({ done, children }: { readonly done: boolean; readonly children: React.ReactNode }) {
  return (
    <li className="flex items-start gap-2">
      {done ? (
        <CircleCheck size={16} className="mt-0.5 shrink-0 text-allow-mark" aria-label="done" />
      ) : (
        <CircleDashed size={16} className="mt-0.5 shrink-0 text-neutral-mark" aria-label="to do" />
      )}
      <div className="min-w-0">{children}</div>
    </li>
  )
}

export function FirstSteps({ steps }: { readonly steps: Steps }) {
  const trpc = useTRPC()
  const demo = useMutation(
    trpc.overview.runDemo.mutationOptions({
      onSuccess: () => toast('The demo agent is running. Its session appears below.'),
      onError: (error) => toast(error.message),
    }),
  )
  return (
    <Card>
      <CardHeader title="Get started" aside="each step ticks by itself" />
      <ol className="flex flex-col gap-3 p-3">
        <Step done={steps.hasRuntime}>
          <p className="mb-2">
            Connect a runtime: run a coding agent under the daemon, or install{' '}
            <code>@signalbox/runtime</code> in your own.
          </p>
          <ConnectCommand isWaiting={!steps.hasRuntime} />
        </Step>
        <Step done={steps.hasRelease}>
          Publish a config for its prompt.{' '}
          <Link href="/configs" className="text-link underline">
            Open Configs
          </Link>
        </Step>
        <Step done={steps.hasSession}>See its first session here.</Step>
      </ol>
      <div className="flex flex-wrap items-center gap-3 border-border border-t p-3">
        <Button variant="primary" onClick={() => demo.mutate()} disabled={demo.isPending}>
          <Play size={14} aria-hidden />
          Run the demo agent
        </Button>
        <p className="text-text-2">
          A real agent in a scratch folder, about 15 seconds: denied, advised, blocked, then done.
        </p>
      </div>
    </Card>
  )
}
