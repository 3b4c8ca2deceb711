import { shortId } from '@/components/ui/copy.tsx'
import { DemoTag } from '@/components/ui/demo-tag.tsx'
import { Link } from '@/components/ui/link.tsx'
import { Timestamp } from '@/components/ui/time.tsx'

export function AtCell({ row }: { readonly row: { readonly at: number } }) {
  return <Timestamp at={row.at} style="row" />
}

export function EnvironmentCell({ row }: { readonly row: { readonly environment: string } }) {
  return row.environment
}

/** `sessionId` absent: the row is a release. */
export function PromptCell({
  row: { prompt, ns, sessionId },
}: {
  readonly row: { readonly prompt: string; readonly ns: string; readonly sessionId?: string }
}) {
  return (
    <span title={prompt}>
      {prompt} <DemoTag {...(sessionId === undefined ? { ns } : { session: sessionId })} />
    </span>
  )
}

export function SessionCell({
  row: { sessionId, seq },
}: {
  readonly row: { readonly sessionId: string; readonly seq: number }
}) {
  return (
    <Link
      className="font-mono text-link text-mono"
      tabIndex={-1}
      href={`/sessions/${sessionId}?e=${seq}`}
    >
      {shortId(sessionId)}
    </Link>
  )
}

export function EventCell({ row }: { readonly row: { readonly seq: number } }) {
  return <>#{row.seq}</>
}

export function CodeText({ text }: { readonly text: string }) {
  return (
    <span className="font-mono text-mono leading-4" title={text}>
      {text === '' ? '–' : text}
    </span>
  )
}
