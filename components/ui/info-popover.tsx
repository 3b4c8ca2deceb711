'use client'
// Uses the browser's own popover, which Esc and a press elsewhere close.
import { Info } from 'lucide-react'
import { type FocusEvent, type ReactNode, useId, useRef } from 'react'
import { IconButton } from './button.tsx'
import { Link } from './link.tsx'

/** Width of the popover, px. */
const WIDTH = 288
/** Distance to the button and to the edges of the window, px. */
const GAP = 4

interface Props {
  /** Completes "What is …?", the name of the button. */
  readonly term: string
  /** Where the documentation covers it: an address, `/docs/specs/leases`. */
  readonly page: string
  readonly children: ReactNode
  /** Below the text, such as a table. */
  readonly more?: ReactNode
}

export function InfoPopover({ term, page, children, more }: Props) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const note = useRef<HTMLDivElement>(null)
  const place = ({ style }: HTMLElement) => {
    const at = button.current?.getBoundingClientRect()
    if (at === undefined) return
    style.top = `${at.bottom + GAP}px`
    style.maxHeight = `${window.innerHeight - at.bottom - 2 * GAP}px`
    style.left = `${Math.max(GAP, Math.min(at.left, window.innerWidth - WIDTH - GAP))}px`
  }
  // Focus by a press does not open it, because the press itself does; nor does focus that Esc returns from within.
  const open = ({ relatedTarget: last }: FocusEvent) => {
    if (note.current?.contains(last) === true) return
    if (button.current?.matches(':focus-visible') === true) note.current?.showPopover()
  }
  const leave = ({ relatedTarget: next }: FocusEvent) => {
    const isWithin = next === button.current || note.current?.contains(next) === true
    if (next !== null && !isWithin) note.current?.hidePopover()
  }
  return (
    <>
      <IconButton
        ref={button}
        onFocus={open}
        onBlur={leave}
        label={`What is ${term}?`}
        popoverTarget={id}
        className="size-[24px] min-w-[24px]"
      >
        <Info size={14} aria-hidden />
      </IconButton>
      <div
        ref={note}
        id={id}
        onBlur={leave}
        popover="auto"
        role="note"
        aria-label={term}
        onBeforeToggle={({ currentTarget }) => place(currentTarget)}
        style={{ width: WIDTH }}
        className="inset-auto m-0 max-w-[calc(100vw-8px)] overflow-y-auto rounded-card border border-border bg-surface p-3 text-small text-text-2 shadow-lg"
      >
        <p>{children}</p>
        {more}
        <p className="mt-2">
          <Link href={page} className="text-link">
            Read more
          </Link>
        </p>
      </div>
    </>
  )
}
