// Everything that is counted is a number in a group, so that samples add, and a session can be taken out again.

/** Counts of one subject: a number for each thing that was seen with it. */
export type Group = ReadonlyMap<string, number>

/** Counts of a sample of sessions. */
export interface LearnCounts {
  readonly sessions: number
  readonly events: number
  /** By family and subject (`groupName`). Zeros are absent. */
  readonly groups: ReadonlyMap<string, Group>
}

export const NO_COUNTS: LearnCounts = { sessions: 0, events: 0, groups: new Map() }

/** Families of groups. Most entries count sessions, so that a long session has one vote. X, Y and Z are tools. */
export const FAMILIES = {
  /** Sessions that called X, or stopped (`STOP`). */
  called: 'called',
  /** By X: sessions in which Y had succeeded before each call of X. */
  before: 'before',
  /** By X and Y: sessions of `before` in which Z had succeeded, too. */
  both: 'both',
  /** By X and Y: sessions of `before` in which Z was newer than Y at a call of X. */
  late: 'late',
  /** By Y: moments at which Y and Z had succeeded, and Y was newer. */
  newer: 'newer',
  /** By X: sessions by the position of its first call, in powers of two. */
  firstCall: 'first-call',
  /** By X: sessions by the position of its first success. */
  firstSuccess: 'first-success',
  /** Results of X on a file of which the content before and after is known. */
  looked: 'looked',
  /** Results of `looked` that changed the file. */
  changed: 'changed',
  /** Sessions in which X had a path as an argument. */
  pathTools: 'path-tools',
  /** Sessions of `pathTools` in which a fact about such a file is recorded. */
  pathFacts: 'path-facts',
  /** Calls of X on an existing file. */
  onFile: 'on-file',
  /** Calls of `onFile` on a file on which X itself had succeeded. */
  onOwnFile: 'on-own-file',
  /** By X: calls of `onFile` on a file on which Y had succeeded. */
  onMetFile: 'on-met-file',
  /** By X: calls of `onMetFile` that are not in `onOwnFile`. */
  onReadFile: 'on-read-file',
  /** Sessions in which X was called on existing files. */
  fileSessions: 'file-sessions',
  /** Sessions of `fileSessions` in which X had succeeded on each before. */
  ownFileSessions: 'own-file-sessions',
  /** By X: the other sessions of `fileSessions` in which Y, or X itself, had succeeded on each before. */
  readFileSessions: 'read-file-sessions',
  /** Sessions in which a file was missing at first and existed at the last stop. */
  made: 'made',
  /** Sessions by the state of the plan at their stops. */
  plan: 'plan',
  /** By X and seconds: sessions by their most calls in such a time. */
  rate: 'rate',
  /** By X: sessions by their longest row of failures. */
  failures: 'failures',
  /** Sessions by their longest row of equal calls. */
  repeats: 'repeats',
  /** By X: calls with an argument. */
  argumentCalls: 'argument-calls',
  /** By X: sessions with an argument. */
  argumentSessions: 'argument-sessions',
  /** By X: calls in which a value of the argument, or all arguments (``), were removed. */
  hidden: 'hidden',
  /** By X and argument: sessions by value. */
  value: 'value',
  /** By X and argument: sessions by the one prefix that all values share. */
  prefix: 'prefix',
  /** By X and argument: sessions by their largest number, rounded up. */
  largest: 'largest',
  /** By X and argument: sessions by their smallest number, rounded down. */
  smallest: 'smallest',
  /** Calls of tools that are not looked at. */
  skipped: 'skipped',
} as const

type Family = (typeof FAMILIES)[keyof typeof FAMILIES]

/** Stands for a stop where a tool is named; no tool has an empty name. */
export const STOP = ''

/** Takes the place of the entries of a group that had too many. */
const DROPPED = '*'

/** Most entries of groups whose entries come from the agent's own texts. */
const MOST_ENTRIES: Readonly<Record<string, number>> = {
  [FAMILIES.value]: 24,
  [FAMILIES.prefix]: 24,
  [FAMILIES.made]: 10_000,
  [FAMILIES.skipped]: 1_000,
}

const SEPARATOR = '\n'

/** Tool names have no line breaks; names of arguments are JSON. */
export function groupName(family: Family, ...subject: readonly (string | number)[]): string {
  return subject.length === 0 ? family : `${family}${SEPARATOR}${subject.join(SEPARATOR)}`
}

export function splitGroupName(name: string): readonly string[] {
  return name.split(SEPARATOR)
}

const EMPTY: Group = new Map()

export function findGroup(
  { groups }: LearnCounts,
  family: Family,
  ...subject: readonly (string | number)[]
): Group {
  return groups.get(groupName(family, ...subject)) ?? EMPTY
}

export function isDropped(group: Group): boolean {
  return group.has(DROPPED)
}

export function sumGroup(group: Group): number {
  let sum = 0
  for (const count of group.values()) sum += count
  return sum
}

/** Removes zeros, and the entries of a group that has too many. null: nothing is left. */
export function closeGroup(name: string, group: Map<string, number>): Group | null {
  for (const [entry, count] of group) if (count === 0) group.delete(entry)
  const [family = ''] = splitGroupName(name)
  if (group.has(DROPPED) || group.size > (MOST_ENTRIES[family] ?? Number.POSITIVE_INFINITY))
    return new Map([[DROPPED, 1]])
  return group.size === 0 ? null : group
}

/** Associative and commutative. */
export function addCounts(a: LearnCounts, b: LearnCounts): LearnCounts {
  return combine(a, b, 1)
}

/** The counts without those of sessions among them. A group that was dropped for its many entries stays dropped. */
export function subtractCounts(all: LearnCounts, part: LearnCounts): LearnCounts {
  return combine(all, part, -1)
}

function combine(a: LearnCounts, b: LearnCounts, sign: 1 | -1): LearnCounts {
  const groups = new Map(a.groups)
  for (const [name, group] of b.groups) {
    const sum = new Map(groups.get(name))
    for (const [entry, count] of group) sum.set(entry, (sum.get(entry) ?? 0) + sign * count)
    if (isDropped(a.groups.get(name) ?? EMPTY)) sum.set(DROPPED, 1)
    const closed = closeGroup(name, sum)
    if (closed === null) groups.delete(name)
    else groups.set(name, closed)
  }
  return { sessions: a.sessions + sign * b.sessions, events: a.events + sign * b.events, groups }
}
