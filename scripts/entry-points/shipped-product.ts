// The started product as the suites of its entry points share it. Tests only.
import type { ManagedProduct } from './operation-cases.mjs'

export interface ShippedProduct {
  readonly url: string
  readonly product: ManagedProduct
  /** The administrator. */
  readonly person: {
    readonly cookie: string
    /** Queries and mutations of the console. */
    readonly ask: (procedure: string, input: object) => Promise<unknown>
    readonly tell: (procedure: string, input: object) => Promise<unknown>
  }
}
