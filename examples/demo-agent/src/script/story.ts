import type { ToolSet } from 'ai'
import type { Move } from './moves.ts'
import type { Transcript } from './transcript.ts'

export interface Story {
  readonly task: string
  /** Text files of the scratch workspace, by path. */
  readonly files: Readonly<Record<string, string>>
  /** A file that appears while the agent works. Absent: none. */
  readonly appears?: { readonly file: string; readonly content: string; readonly afterMs: number }
  /** The agent has the tool `update_plan`. */
  readonly isPlanned: boolean
  readonly nextMove: (seen: Transcript) => Move
  readonly tools: (root: string) => ToolSet
}
