// Holds what is learned from the sessions of a world against the world's hidden rules.
import { compileConfig, type SessionEvent } from '@signalbox/core'
import { celExpressions } from '@signalbox/core/expression'
import { addRules, openProposalTests, type Proposal, propose } from '@signalbox/core/learn'
import { type HiddenRule, isHiddenRule, toConfig } from './hidden-rule.ts'
import { holdsInWorld, makeWorld, tellSession, type World } from './world.ts'
import { learnSessions } from './write-session.ts'

export interface LearnedSample {
  readonly seeds: readonly number[]
  /** Good and bad sessions of each world. A bad one breaks one hidden rule, each rule in turn. */
  readonly good: number
  readonly bad: number
  readonly noise: number
  /** Sessions without noise that a rule must hold in. */
  readonly heldOut: number
  /** True: proposals are also tested by backtest, which takes most of the time. */
  readonly isTested: boolean
}

/** Sums over all worlds. */
export interface Learned {
  readonly hidden: number
  /** Hidden rules that were proposed; as guards; and proposed and kept by the test. */
  readonly found: number
  readonly foundAsGuards: number
  readonly foundAndKept: number
  readonly proposals: number
  /** Proposals that no held-out session without noise breaks; that are hidden rules. */
  readonly holding: number
  readonly strict: number
  readonly guards: number
  readonly strictGuards: number
  readonly kept: number
  readonly strictKept: number
  /** Misses and wrong proposals, as text. */
  readonly notes: readonly string[]
}

export function measureLearning(sample: LearnedSample): Learned {
  const worlds = sample.seeds.map((seed) => measureWorld(makeWorld(seed), sample))
  const sum = (read: (one: Learned) => number) => worlds.reduce((all, one) => all + read(one), 0)
  return {
    hidden: sum(({ hidden }) => hidden),
    found: sum(({ found }) => found),
    foundAsGuards: sum(({ foundAsGuards }) => foundAsGuards),
    foundAndKept: sum(({ foundAndKept }) => foundAndKept),
    proposals: sum(({ proposals }) => proposals),
    holding: sum(({ holding }) => holding),
    strict: sum(({ strict }) => strict),
    guards: sum(({ guards }) => guards),
    strictGuards: sum(({ strictGuards }) => strictGuards),
    kept: sum(({ kept }) => kept),
    strictKept: sum(({ strictKept }) => strictKept),
    notes: worlds.flatMap(({ notes }) => notes),
  }
}

function measureWorld(
  world: World,
  { good, bad, noise, heldOut, isTested }: LearnedSample,
): Learned {
  const { seed, rules } = world
  const incident = (i: number) => rules[i % rules.length]
  const goodLogs = tellAll(good, (i) => tellSession(world, i, { noise }).events)
  const badLogs = tellAll(bad, (i) => {
    const breaks = incident(i)
    const options = breaks === undefined ? { noise } : { noise, incident: { breaks } }
    return tellSession(world, good + i, options).events
  })
  const proposals = propose(
    { good: learnSessions(goodLogs), bad: learnSessions(badLogs) },
    toConfig([]),
  )
  const find = (rule: HiddenRule) => proposals.find((one) => isHiddenRule(rule, one.rule))
  const isStrict = ({ rule }: Proposal) => rules.some((hidden) => isHiddenRule(hidden, rule))
  const isHolding = (one: Proposal) =>
    isStrict(one) ||
    holdsInWorld(world, addRules(toConfig([]), [one], { mode: 'enforce' }), heldOut)
  const guards = proposals.filter(({ group }) => group === 'guard')
  const kept = isTested ? test(proposals, { goodLogs, badLogs }) : proposals
  const missed = rules.filter((rule) => find(rule)?.group !== 'guard')
  const wrong = proposals.filter((one) => !isHolding(one))
  const odd = guards.filter((one) => !isStrict(one))
  return {
    hidden: rules.length,
    found: rules.filter(find).length,
    foundAsGuards: rules.length - missed.length,
    foundAndKept: rules.filter((rule) => kept.some((one) => isHiddenRule(rule, one.rule))).length,
    proposals: proposals.length,
    holding: proposals.length - wrong.length,
    strict: proposals.filter(isStrict).length,
    guards: guards.length,
    strictGuards: guards.filter(isStrict).length,
    kept: kept.length,
    strictKept: kept.filter(isStrict).length,
    notes: [
      ...missed.map(
        (rule) => `${seed}: ${find(rule) ? 'a habit' : 'missed'}: ${JSON.stringify(rule)}`,
      ),
      ...wrong.map((one) => `${seed}: does not hold: ${JSON.stringify(one)}`),
      ...odd.map((one) => `${seed}: no hidden rule: ${JSON.stringify(one)}`),
    ],
  }
}

type Log = readonly SessionEvent[]

function tellAll(count: number, tell: (i: number) => Log): readonly Log[] {
  return Array.from({ length: count }, (_, i) => tell(i))
}

const expressions = celExpressions()

function test(
  proposals: readonly Proposal[],
  { goodLogs, badLogs }: { readonly goodLogs: readonly Log[]; readonly badLogs: readonly Log[] },
): readonly Proposal[] {
  const present = compileConfig(toConfig([]), { expressions })
  if (!present.ok) throw new Error(JSON.stringify(present.problems))
  const tests = openProposalTests(present.config, proposals)
  for (const log of goodLogs) tests.add('good', log)
  for (const log of badLogs) tests.add('bad', log)
  return tests.results().flatMap(({ proposal, isKept }) => (isKept ? [proposal] : []))
}
