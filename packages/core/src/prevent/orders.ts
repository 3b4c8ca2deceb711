// Drafts that require another tool's success before.

import type { ToolSucceededCheckerDocument } from '../kinds/checkers/tool-succeeded.ts'
import { type CheckerDocument, isKnownChecker } from '../kinds/checkers.ts'
import { listRequired } from '../kinds/edit-document.ts'
import type { SequentialDependencyDocument } from '../kinds/policies/sequential-dependency.ts'
import type { Context, Draft } from './draft.ts'
import { listPlacedFor, WIDEN_COST } from './present-rules.ts'
import { at, type Row, type RowTest } from './row.ts'

const ORDER_COST = 3
const FRESH_COST = 4
const FRESH_STOP_COST = 3.5
/** A changed rule with `after` says more than one without it. */
const WIDEN_FRESH_COST = 2

/** Pairs of tools of which the first had succeeded before the second, at the incident. */
export function listStalePairs(row: Row): readonly (readonly [number, number])[] {
  return row.successes.flatMap((needed, one) =>
    row.successes.flatMap((after, other) =>
      needed > 0 && after > needed ? [[one, other] as const] : [],
    ),
  )
}

/** A prerequisite of the call that was missing or outdated. */
export function listCallOrders(context: Context, tool: string): readonly Draft[] {
  const { names, row, pairs, table } = context
  // Without a good call there is nothing that was always so.
  if (table.rows.length === 0) return []
  const all = names.list()
  const own = names.number(tool)
  const missing = all.flatMap((needed, number): Draft[] => {
    if (number === own || at(row.successes, number) > 0) return []
    const test: RowTest = (other) => at(other.successes, number) === 0
    return [
      {
        kind: 'order',
        ...changeOrder(context, { tool, needed, after: [] }),
        test,
        atoms: [],
        order: { needs: number, pair: null },
      },
    ]
  })
  const outdated = pairs.flatMap(([number, newer], pair): Draft[] => {
    const [needed, after] = [all[number], all[newer]]
    if (needed === undefined || after === undefined || number === own || newer === own) return []
    const test: RowTest = ({ successes }) =>
      at(successes, number) === 0 || at(successes, newer) >= at(successes, number)
    return [
      {
        kind: 'fresh',
        ...changeOrder(context, { tool, needed, after: [after] }),
        test,
        atoms: [],
        order: { needs: number, pair },
      },
    ]
  })
  return [...missing, ...outdated]
}

interface Order {
  readonly tool: string
  readonly needed: string
  readonly after: readonly string[]
}

/** In a rule of the document about the prerequisites of this tool, or else a new one. */
function changeOrder(
  { config }: Context,
  { tool, needed, after }: Order,
): Pick<Draft, 'cost' | 'edit'> {
  const isSame = ({ dependencies, after: newer }: SequentialDependencyDocument): boolean =>
    after.length === 0
      ? newer === undefined && (dependencies[tool] ?? []).length > 0
      : Object.keys(dependencies).join() === tool && dependencies[tool]?.join() === needed
  const changed = listPlacedFor(config.document, tool, 'sequential_dependency').find(isSame)
  if (changed === undefined) {
    const cost = after.length === 0 ? ORDER_COST : FRESH_COST
    const policy = {
      id: `${tool}-after-${needed}`,
      type: 'sequential_dependency' as const,
      dependencies: { [tool]: [needed] },
      ...(after.length === 0 ? {} : { after }),
    }
    return { cost, edit: { kind: 'add_policy', policy } }
  }
  const policy =
    after.length === 0
      ? {
          ...changed,
          dependencies: {
            ...changed.dependencies,
            [tool]: [...(changed.dependencies[tool] ?? []), needed],
          },
        }
      : { ...changed, after: [...(changed.after ?? []), ...after] }
  return {
    cost: after.length === 0 ? WIDEN_COST : WIDEN_FRESH_COST,
    edit: { kind: 'change_policy', policy },
  }
}

/** A tool whose last run was no success at the stop, or that ran before a change. */
export function listStopOrders(context: Context): readonly Draft[] {
  const { names, row, pairs, table } = context
  if (table.rows.length === 0) return []
  const all = names.list()
  const passes = ({ runs, successes }: Row, number: number): boolean =>
    at(successes, number) > 0 && at(successes, number) === at(runs, number)
  const failed = all.flatMap((tool, number): Draft[] => {
    if (passes(row, number)) return []
    return [
      {
        kind: 'order',
        ...changeFinish(context, tool, []),
        test: (other) => !passes(other, number),
        atoms: [],
        order: { needs: number, pair: null },
      },
    ]
  })
  const outdated = pairs.flatMap(([number, newer], pair): Draft[] => {
    const [tool, after] = [all[number], all[newer]]
    if (tool === undefined || after === undefined) return []
    return [
      {
        kind: 'fresh',
        ...changeFinish(context, tool, [after]),
        test: (other) =>
          !passes(other, number) || at(other.successes, newer) > at(other.successes, number),
        atoms: [],
        order: { needs: number, pair },
      },
    ]
  })
  return [...failed, ...outdated]
}

function changeFinish(
  { config }: Context,
  tool: string,
  after: readonly string[],
): Pick<Draft, 'cost' | 'edit'> {
  const present = listRequired(config.document).find(
    (checker): checker is ToolSucceededCheckerDocument =>
      isKnownChecker(checker) && checker.type === 'tool_succeeded' && checker.tool === tool,
  )
  if (present !== undefined && after.length > 0) {
    const checker = { ...present, after: [...(present.after ?? []), ...after] }
    return { cost: WIDEN_FRESH_COST, edit: { kind: 'change_checker', checker } }
  }
  const checker: CheckerDocument = {
    id: `${tool}-at-end`,
    type: 'tool_succeeded',
    tool,
    ...(after.length === 0 ? {} : { after }),
  }
  const cost = after.length === 0 ? ORDER_COST : FRESH_STOP_COST
  return { cost, edit: { kind: 'add_checker', checker } }
}
