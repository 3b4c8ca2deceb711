import type { ManagedProduct } from './operation-cases.mjs'

export interface ShippedProduct {
  readonly url: string
  readonly product: ManagedProduct
  readonly person: {
    readonly cookie: string
    readonly ask: (procedure: string, input: object) => Promise<unknown>
    readonly tell: (procedure: string, input: object) => Promise<unknown>
  }
}
