// Conditions on what was asked for. A part that also holds for good calls is joined with the part that is false of most of these
// counterexamples, up to three.
import {
  type Atom,
  isEverHidden,
  listArgumentAtoms,
  listArguments,
  listGoodValues,
  listSessionAtoms,
} from './atoms.ts'
import type { Context, Draft } from './draft.ts'
import type { Row, RowTest } from './row.ts'
import { listRefused } from './table.ts'

const VALUES_COST = 3.2
const CONDITION_COST = 4
const SPECIALITY_COST = 0.5
const MORE_COST = 2
const MORE_SPECIALITY_COST = 0.3
const MOST_ATOMS = 3
const LONGEST_CONDITION = 4000
const REASON = 'A call like this one led to an incident.'

export function listConditionDrafts(context: Context, tool: string): readonly Draft[] {
  const { row, table } = context
  if (row.isOpaque) return []
  const named = listArguments(row.args).filter((one) => !isEverHidden(one, table.rows))
  const values = named.flatMap((one): Draft[] => {
    const good = listGoodValues(one, table.rows)
    if (good === null) return []
    const id = `${tool}-${one.place.path.join('-')}`
    const policy = { id, type: 'expression' as const, tools: [tool], require: good.text }
    return [
      {
        kind: 'values',
        cost: VALUES_COST,
        edit: { kind: 'add_policy', policy },
        test: good.test,
        tools: new Set([tool]),
        atoms: [good.text],
        order: null,
      },
    ]
  })
  const atoms = named.flatMap((one) => listArgumentAtoms(one, table.rows))
  return [
    ...values,
    ...refine(
      context,
      tool,
      atoms.filter(({ test }) => test(row) === true),
    ),
  ]
}

interface Part extends Atom {
  /** Tool whose counts it reads. null, absent: none. */
  readonly tool?: string | null
  /** By row of the table: 1 if it is true of this call. */
  readonly holds: Uint8Array
}

function refine(context: Context, tool: string, atoms: readonly Atom[]): readonly Draft[] {
  const { row, table, names } = context
  const toPart = <One extends Atom>(atom: One): One & Part => {
    const holds = new Uint8Array(table.rows.length)
    for (const index of listRefused(table, atom.test)) holds[index] = 1
    return { ...atom, holds }
  }
  const own = atoms.map(toPart)
  const all: readonly Part[] = [
    ...own,
    ...listSessionAtoms(row, { target: tool, names }).map(toPart),
  ]
  const known = new Set<string>()
  return own.flatMap((first): Draft[] => {
    const parts: Part[] = [first]
    let left = keepLeft([...table.rows.keys()], first)
    let cost = CONDITION_COST + first.speciality * SPECIALITY_COST
    while (left.length > 0 && parts.length < MOST_ATOMS) {
      const next = findNext(all, left)
      if (next === null) break
      parts.push(next)
      left = keepLeft(left, next)
      cost += MORE_COST + next.speciality * MORE_SPECIALITY_COST
    }
    const draft = left.length === 0 ? toDraft(tool, parts, cost) : null
    const key = parts
      .map(({ text }) => text)
      .sort()
      .join('\n')
    if (draft === null || known.has(key)) return []
    known.add(key)
    return [draft]
  })
}

/** The part that is true of the fewest counterexamples; of equal ones the most general. null: none is true of fewer. */
function findNext(all: readonly Part[], left: readonly number[]): Part | null {
  let best: Part | null = null
  let fewest = left.length
  for (const part of all) {
    const count = keepLeft(left, part).length
    const isAsGood = count === fewest && best !== null && part.speciality < best.speciality
    if (count >= fewest && !isAsGood) continue
    best = part
    fewest = count
  }
  return best
}

function keepLeft(among: readonly number[], { holds }: Part): readonly number[] {
  return among.filter((index) => holds[index] === 1)
}

function toDraft(tool: string, parts: readonly Part[], cost: number): Draft | null {
  const guards = [...new Set(parts.flatMap(({ guard }) => guard ?? []))]
  const condition = [...guards, ...parts.map(({ text }) => text)].join(' && ')
  if (condition.length > LONGEST_CONDITION) return null
  const policy = {
    id: `no-${tool}-like-this`,
    type: 'expression' as const,
    tools: [tool],
    deny_when: condition,
    reason: REASON,
  }
  return {
    kind: 'condition',
    cost,
    edit: { kind: 'add_policy', policy },
    test: joinTests(parts.map(({ test }) => test)),
    tools: new Set([tool, ...parts.flatMap((part) => part.tool ?? [])]),
    atoms: parts.map(({ text }) => text),
    order: null,
  }
}

function joinTests(tests: readonly RowTest[]): RowTest {
  return (row: Row) => tests.every((test) => test(row) === true)
}
