import type { CompiledConfig } from '../engine/compile.ts'
import type { SessionEvent } from '../model/event.ts'

/** Tools are canonical names. `after` absent: a success counts whenever it was. */
export type Question =
  /** Can `tool` be allowed although `needs` has not succeeded since the last success of the tools in `after`? */
  | {
      readonly ask: 'run_without'
      readonly tool: string
      readonly needs: string
      readonly after?: readonly string[]
    }
  /** Can a call of `tool` be allowed for which the CEL condition `when` over `args` holds? */
  | { readonly ask: 'run_where'; readonly tool: string; readonly when: string }
  /** Can a stop pass its checks without `needs` (since `after`)? A stop that passes because of `max_stop_blocks` does not count. */
  | {
      readonly ask: 'stop_without'
      readonly needs: string
      readonly after?: readonly string[]
    }
  /** Can the agent get into a state from which no stop can ever pass? */
  | { readonly ask: 'trapped' }
  /** Is there a call that the policy `rule` alone refuses, or alone asks a reviewer about? */
  | { readonly ask: 'decisive'; readonly rule: string }
  /** Is there a call that this config does not refuse and `than` refuses? */
  | { readonly ask: 'allows_more'; readonly than: CompiledConfig }
  /** How many calls of `tool` can be allowed in one session? */
  | { readonly ask: 'most_calls'; readonly tool: string }

export interface Assumed {
  /** Calls that are under way at a time, at most. */
  readonly underWay: number
  /** Sentences about what the search does not vary, without a period. */
  readonly also: readonly string[]
}

interface Measured {
  readonly assumed: Assumed
  /** Kinds of states that were looked at. */
  readonly states: number
}

export type Answer = Measured &
  (
    | {
        readonly answer: 'never'
        /** Ids of policies that are sufficient for it, none of which can be left out. null: not determined, because the question is about stops or
         * rules, or too many rules take part. */
        readonly restsOn: readonly string[] | null
      }
    | {
        readonly answer: 'trace'
        /** A session that ends with it, as `step` decides. */
        readonly events: readonly SessionEvent[]
      }
    | { readonly answer: 'most'; readonly calls: number }
    | { readonly answer: 'unbounded' }
    /** `because`: sentences without a period. */
    | { readonly answer: 'unknown'; readonly because: readonly string[] }
  )
