import type { OpenedBundle } from '@signalbox/cli/portable'

export type ShownBundle = Exclude<OpenedBundle, { readonly status: 'refused' }>
