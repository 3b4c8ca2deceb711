export interface ToastShape {
  readonly kind: 'plain' | 'error' | 'success'
  readonly text: string
  readonly description?: string
  /** Display time in ms; absent: a few seconds. */
  readonly duration?: number
  readonly action?: { readonly label: string; readonly onClick: () => void }
}
