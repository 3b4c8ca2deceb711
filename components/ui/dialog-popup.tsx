'use client'

import { Dialog as Base } from '@base-ui/react/dialog'
import { clsx } from 'clsx'
import { X } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useRef } from 'react'

export interface DialogProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly title: ReactNode
  readonly description?: ReactNode
  readonly children?: ReactNode
  readonly actions?: ReactNode
  readonly wide?: boolean
  readonly isSheet?: boolean
  /** Takes the focus when the dialog closes. Absent: what opened it, which must still be on the page. */
  readonly returnTo?: () => HTMLElement | null
}

const FIELDS =
  'input:enabled:not([type="hidden"]), textarea:enabled, [role="combobox"], [aria-haspopup="listbox"]'

/** The default is the close button. `by`: how the dialog was opened; a focused field would open the keyboard of a phone over it. */
function findFirstField(body: HTMLElement | null, by: string): HTMLElement | boolean {
  if (by === 'touch') return true
  // A field with `autoFocus` keeps the focus.
  if (body?.contains(document.activeElement) === true) return false
  return body?.querySelector<HTMLElement>(FIELDS) ?? true
}

/** ⌘Enter presses the primary button of the dialog, unless a confirmation must be typed. */
function useConfirm() {
  const actions = useRef<HTMLElement>(null)
  const confirm = (event: KeyboardEvent<HTMLElement>): void => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey) || event.shiftKey) return
    if (event.defaultPrevented) return
    const typed = event.currentTarget.querySelector('[data-typed]')
    const main = actions.current?.querySelector<HTMLElement>('[data-main]')
    if (typed === null && main !== null && main !== undefined) {
      event.preventDefault()
      main.click()
    }
  }
  return { actions, confirm }
}

export function DialogPopup({
  open,
  onOpenChange,
  title,
  description,
  children,
  actions,
  wide,
  isSheet,
  returnTo,
}: DialogProps) {
  const { actions: actionsRef, confirm } = useConfirm()
  const body = useRef<HTMLDivElement>(null)
  return (
    <Base.Root open={open} onOpenChange={onOpenChange}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-text/25" />
        <Base.Popup
          onKeyDown={confirm}
          initialFocus={(by) => findFirstField(body.current, by)}
          finalFocus={returnTo}
          className={clsx(
            'fixed left-1/2 z-40 flex max-h-[92dvh] w-[calc(100vw-16px)] -translate-x-1/2 flex-col rounded-card border border-border bg-surface shadow-xl',
            isSheet === true ? 'bottom-2' : 'top-1/2 -translate-y-1/2',
            wide === true ? 'max-w-3xl' : 'max-w-lg',
          )}
        >
          <header className="flex items-start justify-between gap-3 border-border border-b px-4 py-3">
            <div>
              <Base.Title className="font-semibold text-h1">{title}</Base.Title>
              {description !== undefined && (
                <Base.Description className="text-text-2">{description}</Base.Description>
              )}
            </div>
            <Base.Close
              aria-label="Close"
              className="inline-flex size-7 items-center justify-center rounded-control text-text-3 hover:bg-surface-3"
            >
              <X size={16} aria-hidden />
            </Base.Close>
          </header>
          <div ref={body} className="overflow-y-auto px-4 py-3">
            {children}
          </div>
          {actions !== undefined && (
            <footer
              ref={actionsRef}
              className="flex justify-end gap-2 border-border border-t px-4 py-3"
            >
              {actions}
            </footer>
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
