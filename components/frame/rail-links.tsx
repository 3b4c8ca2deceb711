// Rendered by the server, so that no page loads code for them: CommandPalette and Shortcuts listen to the buttons.
import { CircleHelp, Search } from 'lucide-react'
import { withPrefix } from '@/components/paths/prefix.ts'
import { Kbd } from '@/components/ui/kbd.tsx'

const ROW =
  'flex h-7 items-center justify-center gap-2 rounded-control px-2 text-text-2 hover:bg-surface-2 rail:justify-start'

export function SearchButton() {
  return (
    <button
      type="button"
      data-palette
      aria-haspopup="dialog"
      title="Search or jump"
      className={`${ROW} shrink-0 rail:border rail:border-border rail:bg-surface-2`}
    >
      <Search size={16} className="shrink-0" aria-hidden />
      <span className="sr-only rail:not-sr-only rail:flex-1 rail:text-left">Search or jump</span>
      <span className="hidden rail:inline" aria-hidden>
        <Kbd>⌘K</Kbd>
      </span>
    </button>
  )
}

export function HelpLink() {
  return (
    <div className="flex">
      <a href={withPrefix('/docs')} title="Help and docs" className={`${ROW} min-w-0 flex-1`}>
        <CircleHelp size={16} className="shrink-0" aria-hidden />
        <span className="sr-only rail:not-sr-only">Help and docs</span>
      </a>
      <button
        type="button"
        data-keys
        aria-haspopup="dialog"
        aria-label="Keyboard shortcuts"
        title="Keyboard shortcuts"
        className="hidden px-2 rail:pointer-fine:block"
      >
        <Kbd>?</Kbd>
      </button>
    </div>
  )
}
