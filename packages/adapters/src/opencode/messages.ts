// Messages between the plugin in opencode and the daemon. The format is ours, not opencode's.

export type PluginMessage = {
  /** Root session; sub-agents have their own sessions. */
  readonly session: string
  /** Session of the sub-agent. Absent: the main agent. */
  readonly agent?: string
  readonly cwd: string
  /** Version of opencode. Absent: opencode did not report it. */
  readonly version?: string
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
      /** Exit code of a command; null: opencode reported none. */
      readonly exit: number | null
    }
  | {
      readonly kind: 'failed'
      readonly tool: string
      readonly call_id: string
      readonly args: unknown
      /** Text that the model would read. */
      readonly error: string
    }
  | { readonly kind: 'stop'; readonly text: string }
  | { readonly kind: 'deleted' }
)

export interface PluginAnswer {
  readonly deny?: string
  /** Arguments with which the call must run. Absent: its own. */
  readonly args?: object
  readonly feedback?: string
  /** Output or error that the model must read in place of that of the call. Absent: that of the call. */
  readonly replaced?: unknown
  readonly block?: string
}
