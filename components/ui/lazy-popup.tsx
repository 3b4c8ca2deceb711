'use client'
// Fetched at the first interaction with the page, at the latest when the popup opens: no page waits for it or loads it in vain.
import { type ComponentType, useEffect, useState } from 'react'
import { atFirstUse } from './first-use.ts'
import { type LazyModule, LoadFailure, lazyModule, useLazyModule } from './lazy-section.tsx'

const programs = new Set<{ readonly fetch: () => void }>()

/** Like `lazyModule`, and prefetched by `useLazyPopups`. */
export function lazyPopup<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): LazyModule<Props> {
  const program = lazyModule(load)
  programs.add(program)
  return program
}

/** Called by the frame of all pages. */
export function useLazyPopups(): void {
  useEffect(
    () =>
      atFirstUse(() => {
        for (const program of programs) program.fetch()
      }),
    [],
  )
}

/** `Part`: null until the popup was opened and its chunk is loaded; from then on it stays, closed or open. */
export function useLazyPopup<Props>(program: LazyModule<Props>, isOpen: boolean) {
  const [wasOpened, setOpened] = useState(isOpen)
  if (isOpen && !wasOpened) setOpened(true)
  const state = useLazyModule(program, wasOpened)
  return {
    Part: wasOpened && state.kind === 'loaded' ? state.Part : null,
    hasFailed: isOpen && state.kind === 'failed',
  }
}

export function PopupFailure({ onRetry }: { readonly onRetry: () => void }) {
  return (
    <div className="fixed inset-x-2 bottom-2 z-50 mx-auto max-w-lg rounded-card border border-border bg-surface shadow-xl">
      <LoadFailure onRetry={onRetry} />
    </div>
  )
}

/** The dialog is open while it is rendered. */
export function lazyDialog<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const program = lazyPopup(load)
  return function LazyDialog(props: Props) {
    const { Part, hasFailed } = useLazyPopup(program, true)
    if (Part !== null) return <Part {...props} />
    return hasFailed ? <PopupFailure onRetry={program.fetch} /> : null
  }
}
