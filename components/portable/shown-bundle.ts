// A portable bundle that can be shown: one that was not refused.
import type { OpenedBundle } from '@signalbox/cli/portable'

export type ShownBundle = Exclude<OpenedBundle, { readonly status: 'refused' }>
