// Agents whose rules are known to the test alone. Each seed makes another world, and each number in it another session.
import { type ConfigDocument, compileConfig, type SessionEvent } from '@signalbox/core'
import { openBacktest } from '@signalbox/core/analysis'
import { celExpressions } from '@signalbox/core/expression'
import { type Dice, dice } from '../story/random.ts'
import { HIDDEN_RULES, type HiddenRule, toConfig } from './hidden-rule.ts'
import { type Incident, type Run, SimulatedAgent } from './simulated-agent.ts'

export interface World {
  readonly seed: number
  /** Kept by the agent, unless noise or an incident breaks them. */
  readonly rules: readonly HiddenRule[]
}

export interface TellOptions {
  /** Chance that a rule is not kept when it is due. Absent: 0. */
  readonly noise?: number
  /** Absent: none. */
  readonly incident?: Incident
  /** Config under which the session runs. Absent: no rules. */
  readonly config?: ConfigDocument
}

export interface ToldSession extends Run {
  readonly id: string
}

export function makeWorld(seed: number): World {
  const below = dice(seed * 7919 + 5)
  const pool = [...HIDDEN_RULES]
  const count = 4 + below.upTo(4)
  const rules = Array.from({ length: count }, () => pool.splice(below.upTo(pool.length), 1))
  return { seed, rules: rules.flat() }
}

/** The same world, number and options tell the same session. */
export function tellSession(world: World, number: number, options: TellOptions = {}): ToldSession {
  const die: Dice = dice(world.seed * 1_000_003 + number * 31 + 7)
  const { config = toConfig([]), noise = 0, incident } = options
  const id = `sess_world${world.seed}n${number}`
  const agent = new SimulatedAgent({
    session: id,
    startAt: 1_700_000_000_000 + number * 3_600_000,
    config: compileWorld(config),
    rules: world.rules,
    noise,
    dice: die,
  })
  return { id, ...agent.run(incident) }
}

/** True: no session without noise breaks a rule of the config, among sessions that no test learns from. */
export function holdsInWorld(world: World, rules: ConfigDocument, sessions = 300): boolean {
  const config = compileWorld(rules)
  const none = compileWorld(toConfig([]))
  for (let i = 0; i < sessions; i++) {
    const events = tellHeldOut(world, i)
    const backtest = openBacktest(none, config)
    for (const event of events) {
      const { verdict } = backtest.fold(event)
      if (verdict?.class === 'would_deny' || verdict?.class === 'would_block') return false
    }
  }
  return true
}

const HELD: WeakMap<World, (readonly SessionEvent[])[]> = new WeakMap()

/** Told once, because many rules are asked about in one world. */
function tellHeldOut(world: World, number: number): readonly SessionEvent[] {
  const known = HELD.get(world) ?? []
  HELD.set(world, known)
  const events = known[number] ?? tellSession(world, HELD_OUT + number).events
  known[number] = events
  return events
}

/** Numbers from here on are for held-out sessions. */
export const HELD_OUT = 1_000_000

const expressions = celExpressions()

function compileWorld(document: ConfigDocument) {
  const result = compileConfig(document, { expressions, customTypes: 'any' })
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.config
}
