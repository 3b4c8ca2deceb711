// Measures the candidates over seeded incidents of worlds whose rules only the test knows.
import {
  HELD_OUT,
  listSeededIncidents,
  type SeededIncident,
  tellHarmless,
  toConfig,
} from '@signalbox/testkit'
import { describe, expect, test } from 'vitest'
import { IS_SOAK } from '@/scripts/soak-sample.mjs'
import { openBacktest } from '../analysis/backtest/backtest-session.ts'
import { type CompiledConfig, compileConfig } from '../engine/compile.ts'
import { celExpressions } from '../expression/index.ts'
import type { ConfigDocument } from '../kinds/config.ts'
import type { SessionEvent } from '../model/event.ts'
import { type Candidate, type Marked, openPrevent, verifyCandidate } from './index.ts'

/** A soak takes all 40; otherwise one of every kind. */
const [RULES, CALLS] = IS_SOAK ? [24, 16] : [5, 4]
const GOOD = IS_SOAK ? 300 : 150
const HELD = IS_SOAK ? 200 : 20
const OTHERS = 5
const TRIES = 40
const FIRST_SEED = 101
/** Numbers of sessions in which incidents happen. */
const [MARKED, HELD_MARKED] = [HELD_OUT + 10_000, HELD_OUT + 20_000]

const expressions = celExpressions()

function compile(document: ConfigDocument): CompiledConfig {
  const result = compileConfig(document, { expressions })
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.config
}
const ran = compile(toConfig([]))

/** Incidents that break nothing else. */
function listMarked(
  { world, breaks }: SeededIncident,
  incidents: SeededIncident['others'],
  { from, count }: { readonly from: number; readonly count: number },
): readonly Marked[] {
  const kept = world.rules.filter((rule) => rule !== breaks && rule.kind !== 'value')
  // The rules of a stop are broken together, because the agent stops once.
  const others = toConfig(breaks?.kind === 'finish' ? [] : kept)
  const found: Marked[] = []
  for (let i = 0; i < TRIES && found.length < count; i++) {
    const incident = incidents[i % incidents.length]
    if (incident === undefined) break
    const { events, incident: seq } = tellHarmless(world, from + i, { incident })
    if (seq !== null && !isRefused({ events, seq }, others)) found.push({ events, seq })
  }
  return found
}

/** The engine's verdict about the marked call or stop, by a backtest of the changed config. */
function isRefused({ events, seq }: Marked, document: ConfigDocument): boolean {
  const backtest = openBacktest(ran, compile(document))
  for (const event of events) {
    const { verdict } = backtest.fold(event)
    if (event.seq === seq)
      return verdict?.class === 'would_deny' || verdict?.class === 'would_block'
  }
  return false
}

/** `whole`: the candidate is the rule that the incident broke. `part`: without what makes a success outdated. */
function compareToTruth(
  { breaks }: SeededIncident,
  { edit }: Candidate,
): 'whole' | 'part' | 'other' {
  const hidden = breaks === null ? undefined : toConfig([breaks])
  const wanted = hidden?.policies?.[0] ?? hidden?.task_completion_checker
  const given =
    edit.kind === 'add_policy'
      ? edit.policy
      : edit.kind === 'add_checker'
        ? edit.checker
        : undefined
  if (wanted === undefined || given === undefined) return 'other'
  // A limit of another window that was never passed is as good.
  const free = { id: '', max_calls: 0, per_seconds: 0 }
  const write = (rule: object, more: object = {}) => {
    const fields = Object.entries({ ...rule, ...free, ...more })
    return JSON.stringify(fields.filter(([, value]) => value !== undefined).sort())
  }
  if (write(given) === write(wanted)) return 'whole'
  return write(given) === write(wanted, { after: undefined }) ? 'part' : 'other'
}

interface Measured {
  readonly name: string
  readonly first: Candidate
  readonly truth: ReturnType<typeof compareToTruth>
  readonly stops: boolean
  readonly deniedGood: number
  readonly deniedHeld: number
  readonly others: number
  readonly othersStopped: number
  readonly marked: Marked
  readonly good: readonly (readonly SessionEvent[])[]
}

function measure(seeded: SeededIncident): Measured {
  const { world } = seeded
  const [incident] = listMarked(seeded, [seeded.incident], { from: MARKED, count: 1 })
  if (incident === undefined) throw new Error(`${seeded.name} did not happen.`)
  const opened = openPrevent(ran, incident.events, incident.seq)
  if (!opened.ok) throw new Error(JSON.stringify(opened.fault))
  const good = Array.from({ length: GOOD }, (_, i) => tellHarmless(world, i).events)
  for (const events of good) opened.prevent.addGood(events)
  const [first] = opened.prevent.candidates().candidates
  if (first === undefined) throw new Error(`${seeded.name} has no answer.`)
  const held = Array.from({ length: HELD }, (_, i) => tellHarmless(world, HELD_OUT + i).events)
  const bad = listMarked(seeded, seeded.others, { from: HELD_MARKED, count: OTHERS })
  const verified = verifyCandidate(ran, first.document, { incident, good, bad })
  const outside = verifyCandidate(ran, first.document, { incident, good: held })
  return {
    name: seeded.name,
    first,
    truth: compareToTruth(seeded, first),
    stops: verified.stops && isRefused(incident, first.document),
    deniedGood: verified.deniedGood.length,
    deniedHeld: outside.deniedGood.length,
    others: bad.length,
    othersStopped: verified.alsoStops,
    marked: incident,
    good,
  }
}

const SEEDED = listSeededIncidents(FIRST_SEED, { rules: RULES, calls: CALLS })

describe(`${SEEDED.length} seeded incidents, ${GOOD} good sessions each`, () => {
  const measured = SEEDED.map(measure)
  const list = (is: (one: Measured) => boolean) => measured.filter(is).map(({ name }) => name)

  test('each has a first candidate of one rule that refuses it, and more than asking a reviewer', () => {
    expect(list(({ stops }) => !stops)).toEqual([])
    expect(list(({ first }) => first.kind === 'approval')).toEqual([])
  })

  test('no good session is denied, neither by the whole backtest nor among held-out ones', () => {
    expect(list(({ deniedGood }) => deniedGood > 0)).toEqual([])
    expect(list(({ deniedHeld }) => deniedHeld > 0)).toEqual([])
  })

  test('where a rule was broken, the first candidate is this rule', () => {
    const broken = measured.filter((_, i) => SEEDED[i]?.breaks !== null)
    const count = (truth: Measured['truth']) => broken.filter((one) => one.truth === truth).length
    expect(count('other')).toBe(0)
    // A stop at which the last tests had failed, too, needs less than the whole rule.
    expect(count('part')).toBeLessThanOrEqual(IS_SOAK ? 3 : 1)
  })

  test('other incidents of the same kind are refused, too, where the whole rule was found', () => {
    const found = measured.filter(({ truth }) => truth !== 'part')
    const sum = (field: 'others' | 'othersStopped') =>
      found.reduce((total, one) => total + one[field], 0)
    expect(sum('others')).toBeGreaterThan(4 * found.length)
    expect(sum('othersStopped')).toBe(sum('others'))
  })

  test('a candidate that only watches is found to refuse nothing', () => {
    for (const { first, marked, good } of measured.slice(0, 4)) {
      const { edit, document } = first
      if (edit.kind !== 'add_policy') continue
      const policies = document.policies?.map((one) => ({ ...one, mode: 'shadow' as const })) ?? []
      const shadow = { ...document, policies }
      expect(isRefused(marked, shadow)).toBe(false)
      expect(verifyCandidate(ran, shadow, { incident: marked, good: [] }).stops).toBe(false)
      // The same rule for every call refuses good sessions, so a count of 0 means something.
      const every = {
        ...document,
        policies: [{ id: 'no', type: 'expression', deny_when: 'true' }],
      } as const
      expect(verifyCandidate(ran, every, { incident: marked, good }).deniedGood).toHaveLength(
        good.length,
      )
    }
  })
})
