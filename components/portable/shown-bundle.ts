// A portable bundle that can be shown, because it was not refused.
import type { OpenedBundle } from '@signalbox/cli/portable'

export type ShownBundle = Exclude<OpenedBundle, { readonly status: 'refused' }>
