import { EXIT, type Io } from '../base/io.ts'
import { printable } from '../base/printable.ts'
import type { Refused } from './control-plane.ts'
import { type Prompt, promptName } from './folder.ts'

export interface Row extends Prompt {
  readonly result: string
  readonly detail: string
  /** True: the command exits with 1. */
  readonly isFinding?: boolean
  readonly lines?: readonly string[]
  readonly [more: string]: unknown
}

export function refusedRow(prompt: Prompt, refused: Refused): Row {
  const { detail, gates, problems } = refused
  const others = gates.map((gate) => gate.detail).filter((text) => text !== detail)
  const errors = problems.map(({ pointer, severity, message }) => {
    return `${pointer === '' ? '(document)' : pointer}  ${severity}  ${message}`
  })
  const lines = [...others, ...errors]
  return { ...prompt, result: 'refused', detail, isFinding: true, lines, gates, problems }
}

/** `none`: printed when there are no rows. */
export function report(
  io: Io,
  rows: readonly Row[],
  { json, none }: { readonly json: boolean; readonly none: string },
): number {
  const code = rows.some(({ isFinding }) => isFinding === true) ? EXIT.findings : EXIT.clean
  if (json) {
    const printed = rows.map(({ isFinding: _isFinding, lines: _lines, ...row }) => row)
    io.out(JSON.stringify({ ok: code === EXIT.clean, configs: printed }))
    return code
  }
  if (rows.length === 0) io.out(none)
  for (const { lines = [], ...row } of rows) {
    io.out(printable(`${promptName(row)}: ${row.detail}`))
    for (const line of lines) io.out(printable(`  ${line}`))
  }
  return code
}
