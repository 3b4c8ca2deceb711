'use client'
import type { DialogProps } from './dialog-popup.tsx'
import { lazyPopup, PopupFailure, useLazyPopup } from './lazy-popup.tsx'

const POPUP = lazyPopup(() => import('./dialog-popup.tsx').then((module) => module.DialogPopup))

export function Dialog(props: DialogProps) {
  const { Part, hasFailed } = useLazyPopup(POPUP, props.open)
  if (Part !== null) return <Part {...props} />
  return hasFailed ? <PopupFailure onRetry={POPUP.fetch} /> : null
}
