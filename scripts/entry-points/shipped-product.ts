// The started product, shared by the suites of entry points.
import type { ManagedProduct } from './operation-cases.mjs'

export interface ShippedProduct {
  readonly url: string
  readonly product: ManagedProduct
  /** The administrator. */
  readonly person: {
    readonly cookie: string
    /** Queries and mutations of the console, called as the administrator. */
    readonly ask: (procedure: string, input: object) => Promise<unknown>
    readonly tell: (procedure: string, input: object) => Promise<unknown>
  }
}
