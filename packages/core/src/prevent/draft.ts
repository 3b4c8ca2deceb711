import type { CompiledConfig } from '../engine/compile.ts'
import type { Edit } from './edit.ts'
import type { ToolsRead } from './fold-alone.ts'
import type { Row, RowTest } from './row.ts'
import type { Table } from './table.ts'
import type { ToolNames } from './tool-names.ts'

export type CandidateKind =
  /** A rule in shadow mode, or switched off, is enforced. */
  | 'enforce'
  /** A rule of the document covers this tool, too. */
  | 'widen'
  /** A file must exist at a stop. */
  | 'file'
  /** A file must be read before it is overwritten. */
  | 'read'
  /** Another tool must have succeeded before a call, or at a stop; `fresh`: since the last success of a third. */
  | 'order'
  | 'fresh'
  /** An argument has only the values of good sessions. */
  | 'values'
  /** The arguments, or counts of calls, are not like those of the incident. */
  | 'condition'
  | 'rate'
  /** The tool is never allowed. */
  | 'tool'
  | 'approval'

/** A change that would have refused the incident, before the engine has tried it. */
export interface Draft {
  readonly kind: CandidateKind
  /** Small: the change is simple, and says much about what went wrong. */
  readonly cost: number
  readonly edit: Edit
  /** null: only the engine can tell what it refuses. */
  readonly test: RowTest | null
  /** Tools whose events it reads. Absent: those that its rule names. */
  readonly tools?: ToolsRead
  /** CEL of each part of a condition. Empty: there is none. */
  readonly atoms: readonly string[]
  /** Number of the prerequisite, and of the pair with what makes it outdated. null: the change is about no order. */
  readonly order: { readonly needs: number; readonly pair: number | null } | null
}

export interface Context {
  readonly config: CompiledConfig
  readonly row: Row
  readonly table: Table
  readonly names: ToolNames
  /** In seconds, in the order of `Row.earlier`. */
  readonly windows: readonly number[]
  /** Numbers of a prerequisite and of a tool that was newer, in the incident. */
  readonly pairs: readonly (readonly [number, number])[]
}
