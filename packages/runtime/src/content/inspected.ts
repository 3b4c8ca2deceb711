import type { ContentFacts, JsonValue } from '@signalbox/core'
import type { FlatText, Place } from './flat-text.ts'

export interface InspectedPlace extends Place {
  readonly rule: string
  readonly kind: string
}

export interface Inspected {
  /** The value, converted to JSON. */
  readonly value: JsonValue
  readonly flat: FlatText
  /** Every finding; the facts list the first of each rule. */
  readonly places: readonly InspectedPlace[]
  /** Rules that limit the size, and were exceeded. */
  readonly limits: readonly { readonly rule: string; readonly chars: number }[]
  readonly facts: ContentFacts
}
