export const BAND_CLASS = {
  gap: 'border-warning-bd bg-warning-bg text-warning-fg',
  breach: 'border-deny-bd bg-deny-bg text-deny-fg',
} as const
