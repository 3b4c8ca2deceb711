'use client'
// A modal dialog: title, content, actions at the bottom right; as a sheet it stands on the lower edge of the screen. Esc and
// the cross close it.
import type { DialogProps } from './dialog-popup.tsx'
import { latePopup, PopupFailure, useLatePopup } from './late-popup.tsx'

const POPUP = latePopup(() => import('./dialog-popup.tsx').then((module) => module.DialogPopup))

export function Dialog(props: DialogProps) {
  const { Part, hasFailed } = useLatePopup(POPUP, props.open)
  if (Part !== null) return <Part {...props} />
  return hasFailed ? <PopupFailure onRetry={POPUP.fetch} /> : null
}
