import { CircleHelp } from 'lucide-react'
import { withPrefix } from '@/components/paths/prefix.ts'

/** A plain link: its code stays on the server. */
export function HelpLink() {
  return (
    <a
      href={withPrefix('/docs')}
      title="Help"
      className="flex h-7 items-center justify-center gap-2 rounded-control px-2 text-text-2 hover:bg-surface-2 rail:justify-start"
    >
      <CircleHelp size={16} className="shrink-0" aria-hidden />
      <span className="hidden rail:inline">Help</span>
    </a>
  )
}
