// Messages between the plugin inside opencode and the daemon. Ours, not opencode's.

export type PluginMessage = {
  /** The root session; sub-agents have sessions of their own. */
  readonly session: string
  /** The sub-agent's session. Absent: the main agent. */
  readonly agent?: string
  readonly cwd: string
} & (
  | {
      readonly kind: 'before'
      readonly tool: string
      readonly call_id: string
      readonly args: unknown
    }
  | {
      readonly kind: 'after'
      readonly tool: string
      readonly call_id: string
      readonly args: unknown
      readonly output: unknown
      /** Exit code of a command; null: opencode gave none. */
      readonly exit: number | null
    }
  | {
      readonly kind: 'failed'
      readonly tool: string
      readonly call_id: string
      readonly args: unknown
      readonly error: string
    }
  | { readonly kind: 'stop'; readonly text: string }
  | { readonly kind: 'deleted' }
)

export interface PluginAnswer {
  readonly deny?: string
  readonly feedback?: string
  readonly block?: string
}
