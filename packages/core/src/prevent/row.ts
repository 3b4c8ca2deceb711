import type { Facts } from '../model/fact.ts'
import type { JsonObject } from '../model/json.ts'

/** Sequence numbers or counts by number of the tool (tool-names.ts). A missing or empty place is 0. */
export type ByTool = readonly number[]

export interface RowFile {
  readonly exists: boolean
  /** Numbers of the tools that had read or written the file. */
  readonly readers: readonly number[]
}

/** A call of the tool, or a stop, in a session: everything at which a candidate can look. */
export interface Row {
  readonly seq: number
  /** Empty for a stop. */
  readonly args: JsonObject
  /** True: a part of the arguments was removed from the log. */
  readonly isHidden: boolean
  /** True: the arguments are no object, so no condition on one can be evaluated. */
  readonly isOpaque: boolean
  /** null: not recorded. */
  readonly environment: string | null
  /** Sequence number of the last success. */
  readonly successes: ByTool
  /** Sequence number of the end of the last call that ran. */
  readonly runs: ByTool
  readonly failures: ByTool
  /** Allowed calls of the tool before this one, in each window. */
  readonly earlier: readonly number[]
  /** Files that the arguments name. `refused`: a rule about files refuses the call, whatever was read. `unknown`: not recorded. */
  readonly files: readonly RowFile[] | 'refused' | 'unknown'
  /** Numbers of the tools that succeeded on a file about which nothing is recorded. */
  readonly unseen: readonly number[]
  /** Facts of a stop. Absent: none, or a call. */
  readonly facts?: Facts
}

/** True: the candidate refuses it. null: the log does not contain what decides it. */
export type RowTest = (row: Row) => boolean | null

export function at(values: ByTool, tool: number): number {
  return values[tool] ?? 0
}
