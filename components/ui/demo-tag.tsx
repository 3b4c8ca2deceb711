import { DEMO_NAMESPACE, DEMO_RUNTIME, isDemoSession } from '@signalbox/wire'

interface Labeled {
  readonly session?: string
  readonly ns?: string
  readonly runtime?: string
  /** The caller knows it. */
  readonly isDemo?: boolean
}

function isOfDemo({ session, ns, runtime, isDemo }: Labeled): boolean {
  if (isDemo !== undefined) return isDemo
  if (session !== undefined) return isDemoSession(session)
  return ns === DEMO_NAMESPACE || runtime === DEMO_RUNTIME
}

/** Stands beside a session, config, release or runtime of the demo; renders nothing for others. */
export function DemoTag(of: Labeled) {
  if (!isOfDemo(of)) return null
  return (
    <span
      title="From the demo. Figures and alerts omit its sessions."
      className="inline-block shrink-0 rounded-control border border-border border-dashed px-1 font-medium text-micro text-text-2"
    >
      Demo
    </span>
  )
}
