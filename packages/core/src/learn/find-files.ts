// "W on an existing file only after R on it", files that are there at the end, and the offer to record facts about files.
import { quoted } from '../kinds/base/judgment.ts'
import { FAMILIES, findGroup, type LearnCounts, STOP } from './counts.ts'
import { seemsToLook } from './effects.ts'
import type { Pattern, Samples } from './pattern.ts'
import { nameRule } from './rule-name.ts'
import { computeLowerBound, computeSurprise, type Share, shareLimit } from './statistics.ts'

/** A session has many writes, and one miss breaks it; the share of calls is the one that must be high. */
const LEAST_SESSIONS_KEPT = 0.8
const LEAST_MISSED = 0.1

export function findReads(samples: Samples): readonly Pattern[] {
  const { good, effect } = samples
  const writers = [...findGroup(good, FAMILIES.fileSessions).keys()]
  const need = shareLimit(writers.length ** 2)
  const reads = writers.flatMap((writer) => {
    if (effect(writer) !== 'writes') return []
    const readers = [...findGroup(good, FAMILIES.onReadFile, writer).keys()]
    const found = readers.flatMap((reader) => testRead(samples, { writer, reader, need }) ?? [])
    return found.reduce<readonly Read[]>(
      ([best], one) => [best === undefined || one.confidence > best.confidence ? one : best],
      [],
    )
  })
  return reads.map(({ pattern }) => pattern)
}

interface TriedRead {
  readonly writer: string
  readonly reader: string
  /** Digits of surprise. */
  readonly need: number
}

interface Read {
  readonly pattern: Pattern
  readonly confidence: number
}

function testRead(samples: Samples, { writer, reader, need }: TriedRead): Read | null {
  const { good, bad, limits, effect } = samples
  if (effect(reader) === 'writes') return null
  const calls = countMet(good, writer, reader)
  const sessions = countBroken(good, writer, reader)
  if (sessions.all < limits.minSessions || calls.of / calls.all < limits.minKept) return null
  if (1 - sessions.of / sessions.all < LEAST_SESSIONS_KEPT) return null
  const chance = computeChance(good, writer, reader)
  const found = computeSurprise(calls.of, calls.all, chance)
  if (found < need || 1 - chance < LEAST_MISSED) return null
  const pattern: Pattern = {
    kind: 'read',
    placed: {
      pointer: '/policies/-',
      rule: {
        id: nameRule(writer, 'after', reader, 'of-file'),
        type: 'read_before_write',
        read_tools: [reader],
        write_tools: [writer],
        reads_expire_on_change: false,
      },
    },
    sentence: `\`${writer}\` changed an existing file only when \`${reader}\` had read it`,
    good: sessions,
    bad: countBroken(bad, writer, reader),
    chance,
    surprise: found,
    unknownEffects: [],
  }
  return { pattern, confidence: computeLowerBound(calls.of, calls.all) }
}

/** Calls on an existing file on which the reader, or the writer itself, had succeeded. */
function countMet(counts: LearnCounts, writer: string, reader: string): Share {
  const own = findGroup(counts, FAMILIES.onOwnFile).get(writer) ?? 0
  const read = findGroup(counts, FAMILIES.onReadFile, writer).get(reader) ?? 0
  return { of: own + read, all: findGroup(counts, FAMILIES.onFile).get(writer) ?? 0 }
}

function countBroken(counts: LearnCounts, writer: string, reader: string): Share {
  const all = findGroup(counts, FAMILIES.fileSessions).get(writer) ?? 0
  const own = findGroup(counts, FAMILIES.ownFileSessions).get(writer) ?? 0
  const read = findGroup(counts, FAMILIES.readFileSessions, writer).get(reader) ?? 0
  return { of: all - own - read, all }
}

/** How often other tools were called on a file on which the reader had succeeded. */
function computeChance(good: LearnCounts, writer: string, reader: string): number {
  let [all, met] = [0, 0]
  for (const [tool, calls] of findGroup(good, FAMILIES.onFile)) {
    if (tool === writer || tool === reader) continue
    all += calls
    met += findGroup(good, FAMILIES.onMetFile, tool).get(reader) ?? 0
  }
  return all === 0 ? 0.5 : met / all
}

/** Files that sessions began without. A file that was always there says nothing. */
export function findMadeFiles({ good, bad, limits }: Samples): readonly Pattern[] {
  const [stops, badStops] = [countStops(good), countStops(bad)]
  if (stops < limits.minSessions) return []
  return [...findGroup(good, FAMILIES.made)].flatMap(([file, made]) => {
    if (made / stops < limits.minKept) return []
    const id = nameRule('file', file)
    return [
      {
        kind: 'file' as const,
        placed: {
          pointer: '/task_completion_checker' as const,
          rule: { id, type: 'files_exist' as const, files: [file] },
        },
        sentence: `\`${file}\` was made before each stop`,
        good: { of: stops - made, all: stops },
        bad: { of: badStops - (findGroup(bad, FAMILIES.made).get(file) ?? 0), all: badStops },
        chance: null,
        surprise: computeSurprise(made, stops, 0.5),
        unknownEffects: [],
      },
    ]
  })
}

function countStops(counts: LearnCounts): number {
  return findGroup(counts, FAMILIES.called).get(STOP) ?? 0
}

/** Facts about files are recorded only where a rule asks for them, so without one nothing about reading and writing can be learned. */
export function offerFileFacts({ good, limits }: Samples): readonly Pattern[] {
  const tools = [...findGroup(good, FAMILIES.pathTools)]
    .filter(([, sessions]) => sessions >= limits.minSessions)
    .map(([tool]) => tool)
  const isRecorded = findGroup(good, FAMILIES.pathFacts).size > 0
  const readers = tools.filter((tool) => seemsToLook([good], tool))
  const writers = tools.filter((tool) => !seemsToLook([good], tool))
  if (isRecorded || readers.length === 0 || writers.length === 0) return []
  const sessions = Math.max(...findGroup(good, FAMILIES.pathTools).values())
  return [
    {
      kind: 'file_facts',
      placed: {
        pointer: '/policies/-',
        rule: {
          id: 'record-file-facts',
          type: 'read_before_write',
          read_tools: readers,
          write_tools: writers,
          reads_expire_on_change: false,
        },
      },
      sentence: `${quoted(tools)} take paths, and no facts about files are recorded`,
      good: { of: 0, all: sessions },
      bad: { of: 0, all: 0 },
      chance: null,
      surprise: 0,
      unknownEffects: tools,
    },
  ]
}

export function findPlan({ good, bad, limits }: Samples): readonly Pattern[] {
  const read = (counts: LearnCounts) => {
    const plans = findGroup(counts, FAMILIES.plan)
    return { done: plans.get('done') ?? 0, open: plans.get('open') ?? 0 }
  }
  const [plans, badPlans] = [read(good), read(bad)]
  const stops = countStops(good)
  if (stops < limits.minSessions || plans.done / stops < limits.minKept) return []
  return [
    {
      kind: 'plan',
      placed: { pointer: '/task_completion_checker', rule: { id: 'plan-done', type: 'plan' } },
      sentence: 'Every step of the plan was done at each stop',
      good: { of: plans.open, all: plans.done + plans.open },
      bad: { of: badPlans.open, all: badPlans.done + badPlans.open },
      chance: null,
      surprise: computeSurprise(plans.done, stops, 0.5),
      unknownEffects: [],
    },
  ]
}
