// Files, rates, and the tool as a whole.

import type { FilesExistCheckerDocument } from '../kinds/checkers/files-exist.ts'
import { type CheckerDocument, isKnownChecker } from '../kinds/checkers.ts'
import { listRequired } from '../kinds/edit-document.ts'
import type { RateLimitDocument } from '../kinds/policies/rate-limit.ts'
import { fileFact } from '../model/fact.ts'
import type { Context, Draft } from './draft.ts'
import { listOwnLimits, WIDEN_COST } from './present-rules.ts'
import type { Row, RowTest } from './row.ts'

const FILE_COST = 2
const READ_COST = 2.5
const RATE_COST = 5
/** A longer window, and a count far above the usual one, say more. */
const RATE_WINDOW_BONUS = 0.1
const RATE_EXCESS_BONUS = 0.2
const TOOL_COST = 6
const APPROVAL_COST = 9
const APPROVAL_SECONDS = 900

const NO_ORDER = { atoms: [], order: null } as const

/** A file that was known to be missing at the stop. */
export function listFileDrafts({ config, row }: Context): readonly Draft[] {
  const files = Object.entries(row.facts?.files ?? {})
  const present = listRequired(config.document).find(
    (checker): checker is FilesExistCheckerDocument =>
      isKnownChecker(checker) && checker.type === 'files_exist',
  )
  return files.flatMap(([file, { exists }]): Draft[] => {
    if (exists !== false) return []
    const checker: CheckerDocument =
      present === undefined
        ? { id: 'files-at-end', type: 'files_exist', files: [file] }
        : { ...present, files: [...present.files, file] }
    const kind = present === undefined ? 'add_checker' : 'change_checker'
    return [
      {
        kind: 'file',
        cost: present === undefined ? FILE_COST : WIDEN_COST,
        edit: { kind, checker },
        test: ({ facts }) =>
          facts?.files !== undefined && Object.hasOwn(facts.files, file)
            ? fileFact(facts, file).exists !== true
            : null,
        ...NO_ORDER,
      },
    ]
  })
}

/** A file that existed and that no tool had read which reads files in good sessions. */
export function listReadDrafts({ names, row, table }: Context, tool: string): readonly Draft[] {
  const own = names.number(tool)
  if (!Array.isArray(row.files) || !row.files.some(isUnread(own))) return []
  const reading = new Set(
    table.rows.flatMap(({ files }) =>
      Array.isArray(files) ? files.flatMap(({ readers }) => readers) : [],
    ),
  )
  return names.list().flatMap((reader, number): Draft[] => {
    if (number === own || !reading.has(number)) return []
    return [
      {
        kind: 'read',
        cost: READ_COST,
        edit: {
          kind: 'add_policy',
          policy: {
            id: `${reader}-before-${tool}`,
            type: 'read_before_write',
            read_tools: [reader],
            write_tools: [tool],
            reads_expire_on_change: false,
          },
        },
        test: testReads([number, own]),
        ...NO_ORDER,
      },
    ]
  })
}

type File = Extract<Row['files'], readonly unknown[]>[number]

function isUnread(...tools: readonly number[]): (file: File) => boolean {
  return ({ exists, readers }) => exists && !readers.some((reader) => tools.includes(reader))
}

function testReads(tools: readonly number[]): RowTest {
  const isMissing = isUnread(...tools)
  return ({ files, unseen }) => {
    if (unseen.some((tool) => tools.includes(tool)) || files === 'unknown') return null
    return files === 'refused' || files.some(isMissing)
  }
}

/** As many calls as good sessions ever made within a window. */
export function listRateDrafts(
  { config, row, table, windows }: Context,
  tool: string,
): readonly Draft[] {
  const limits = listOwnLimits(config.document, tool)
  return windows.flatMap((seconds, window): Draft[] => {
    const most = table.rows.reduce(
      (max, { earlier }) => Math.max(max, (earlier[window] ?? 0) + 1),
      1,
    )
    const now = (row.earlier[window] ?? 0) + 1
    if (now <= most) return []
    const present = limits.find(({ per_seconds }) => per_seconds === seconds)
    const policy: RateLimitDocument =
      present === undefined
        ? {
            id: `${tool}-rate`,
            type: 'rate_limit',
            tools: [tool],
            max_calls: most,
            per_seconds: seconds,
          }
        : { ...present, max_calls: most }
    const bonus = window * RATE_WINDOW_BONUS + (now - most) * RATE_EXCESS_BONUS
    return [
      {
        kind: 'rate',
        cost: present === undefined ? RATE_COST - bonus : WIDEN_COST,
        edit: { kind: present === undefined ? 'add_policy' : 'change_policy', policy },
        test: ({ earlier }) => (earlier[window] ?? 0) >= most,
        ...NO_ORDER,
      },
    ]
  })
}

/** Always works: no call, if good sessions have none, or a reviewer for each call. */
export function listToolDrafts({ table }: Context, tool: string): readonly Draft[] {
  const never: Draft = {
    kind: 'tool',
    cost: TOOL_COST,
    edit: {
      kind: 'add_policy',
      policy: { id: `no-${tool}`, type: 'expression', tools: [tool], deny_when: 'true' },
    },
    test: () => true,
    ...NO_ORDER,
  }
  const asked: Draft = {
    kind: 'approval',
    cost: APPROVAL_COST,
    edit: {
      kind: 'add_policy',
      policy: {
        id: `ask-${tool}`,
        type: 'approval',
        tools: [tool],
        timeout_seconds: APPROVAL_SECONDS,
      },
    },
    test: () => false,
    ...NO_ORDER,
  }
  return table.rows.length === 0 ? [never, asked] : [asked]
}
