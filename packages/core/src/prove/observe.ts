// Decisions about some tools look at a part of a session only. The search does not tell apart what differs elsewhere.
import type { CompiledConfig } from '../engine/compile.ts'
import type { Atom, AtomReader, Literal } from '../expression/condition-atoms.ts'
import { listVariables } from '../kinds/base/expression-names.ts'
import { type CheckerDocument, isKnownChecker } from '../kinds/checkers.ts'
import { placeDocument } from '../kinds/placed.ts'
import { readCondition } from '../kinds/policies/expression.ts'
import type { ReadBeforeWriteDocument } from '../kinds/policies/read-before-write.ts'
import type { SequentialDependencyDocument } from '../kinds/policies/sequential-dependency.ts'
import { isKnownPolicy, type PolicyDocument } from '../kinds/policies.ts'

export interface Observed {
  readonly tools: Set<string>
  /** Tools whose success a decision looks at. */
  readonly successes: Set<string>
  /** Pairs of tools of which a decision looks at which succeeded last. */
  readonly pairs: Map<string, readonly [tool: string, other: string]>
  /** Tools whose last outcome a decision looks at. */
  readonly lasts: Set<string>
  /** By `tool field`: counts above it make no difference. */
  readonly counts: Map<string, { readonly tool: string; readonly field: Count; most: number }>
  /** Constants with which a field of the session is compared. */
  readonly session: Map<string, Set<Literal>>
  readonly rates: RateObserved[]
  /** `read_before_write` rules by id, with the argument that names the path. */
  readonly reads: Map<string, string>
  /** By tool: parts of conditions that read one of its arguments. */
  readonly args: Map<string, Set<Atom>>
  isReviewed: boolean
  /** True: content rules look into arguments. */
  isInspected: boolean
  /** True: a condition reads facts of a stop. */
  readsStop: boolean
  /** True: a condition looks at the session in a way that the key does not tell exactly. */
  isVague: boolean
  /** Ids of the rules that take part. */
  readonly rules: Set<string>
  /** Reasons why the search is not exact: the rule (null: the question, or a check), and a sentence without a period. */
  readonly doubts: { readonly rule: string | null; readonly why: string }[]
}

export interface RateObserved {
  readonly lane: number
  readonly rule: string
  readonly ms: number
  /** Calls that make a difference together: one for later states, the whole limit for the next decision. */
  readonly unit: number
}

/** Counts of a tool's calls that a condition may read. */
const COUNTS = ['calls', 'succeeded', 'failed', 'denied'] as const
type Count = (typeof COUNTS)[number]

export interface Focus {
  readonly tools: readonly string[]
  readonly pairs?: readonly (readonly [tool: string, after: string | null])[]
  /** True: decisions about stops matter, too. */
  readonly stops: boolean
  /** True: a tool that can only deny others is called only if something needs it. Sound when the question is whether a call can be allowed. */
  readonly isLean: boolean
  /** True: only what the rules of `tools` look at themselves. Absent: also what decides about the tools that they look at. */
  readonly isDirect?: boolean
  /** CEL condition over `args` of calls of `tool` that the question is about. Absent: none. */
  readonly where?: { readonly tool: string; readonly source: string }
}

const CALL_VARIABLES = listVariables('call').map(({ name }) => name)
/** Variables of the condition of a question. */
export const WHERE_VARIABLES = ['args'] as const
const STOP_VARIABLES = listVariables('stop').map(({ name }) => name)

/** Stands for the tools that no rule names; rules for every tool govern it. */
export const OTHER_TOOL = 'another_tool'

/** Variables about the session so far. */
const REMEMBERED = new Set(['session', 'calls'])

/** Fields of a session that the search varies. */
const VARIED = new Set([
  'environment',
  'elapsed_seconds',
  'remaining_seconds',
  'stop_blocks',
  'calls',
  'plan.total',
  'plan.done',
])

export function observe(
  configs: readonly CompiledConfig[],
  focus: Focus,
  readAtoms: AtomReader,
): Observed {
  return new Observer(configs, focus, readAtoms).observed
}

/** True: a denied call can make another one possible. */
export function countsDenials({ counts, session }: Observed): boolean {
  const isDenial = ({ field }: { readonly field: Count }) => field === 'denied' || field === 'calls'
  return session.has('calls') || [...counts.values()].some(isDenial)
}

interface Condition {
  readonly source: string
  readonly variables: readonly string[]
  /** null: the condition is about a stop. */
  readonly tool: string | null
  /** null: the condition belongs to no policy. */
  readonly rule: string | null
}

/** Counts that are compared with each other are tried up to this number. */
const MOST_TRIED = 4

class Observer {
  readonly observed: Observed = {
    tools: new Set(),
    successes: new Set(),
    pairs: new Map(),
    lasts: new Set(),
    counts: new Map(),
    session: new Map(),
    rates: [],
    reads: new Map(),
    args: new Map(),
    isReviewed: false,
    isInspected: false,
    readsStop: false,
    isVague: false,
    rules: new Set(),
    doubts: [],
  }
  readonly #configs: readonly CompiledConfig[]
  readonly #focus: Focus
  readonly #readAtoms: AtomReader
  readonly #waiting: string[] = []
  /** Pairs that matter only if the other tool is called for another reason. */
  readonly #outdating: (readonly [string, string])[] = []
  /** Tools that only use up what others need. */
  readonly #sharing: string[] = []
  readonly #known = new Set<string>()

  constructor(configs: readonly CompiledConfig[], focus: Focus, readAtoms: AtomReader) {
    this.#configs = configs
    this.#focus = focus
    this.#readAtoms = readAtoms
    this.#begin(focus)
    this.#lookAtWaiting()
    while (!this.#isLean && this.#sharing.length + this.#outdating.length > 0) {
      for (const tool of this.#sharing.splice(0)) this.#need(tool)
      for (const pair of this.#outdating.splice(0)) this.#pair(...pair)
      this.#lookAtWaiting()
    }
    for (const [tool, after] of this.#outdating)
      if (this.observed.tools.has(after)) this.#pair(tool, after)
  }

  get #isLean(): boolean {
    return this.#focus.isLean && !countsDenials(this.observed)
  }

  #lookAtWaiting(): void {
    for (let tool = this.#waiting.pop(); tool !== undefined; tool = this.#waiting.pop())
      for (const lane of this.#configs.keys()) this.#lookAtRules(tool, lane)
  }

  #begin(focus: Focus): void {
    for (const tool of focus.tools) this.#need(tool)
    for (const [tool, after] of focus.pairs ?? []) {
      this.#need(tool)
      if (after === null) this.observed.successes.add(tool)
      else this.#pair(tool, after)
    }
    if (focus.where !== undefined)
      this.#condition({ ...focus.where, variables: WHERE_VARIABLES, rule: null })
    if (focus.stops)
      for (const config of this.#configs) this.#check(config.document.task_completion_checker)
  }

  #need(tool: string): void {
    if (this.observed.tools.has(tool)) return
    this.observed.tools.add(tool)
    if (this.#focus.isDirect !== true || this.#focus.tools.includes(tool)) this.#waiting.push(tool)
  }

  #pair(tool: string, after: string): void {
    this.#need(after)
    this.observed.successes.add(tool)
    this.observed.successes.add(after)
    this.observed.pairs.set(`${tool} ${after}`, [tool, after])
  }

  #lookAtRules(tool: string, lane: number): void {
    const config = this.#configs[lane]
    if (config === undefined) return
    const { policies, content } = config.rulesFor(tool)
    const inspecting = content.arguments.filter(({ mode }) => mode === 'enforce')
    this.observed.isInspected ||= inspecting.length > 0
    for (const { document } of inspecting)
      if (document.action === 'mask')
        this.#doubt(document.id, `content rule \`${document.id}\` changes arguments`)
    for (const { id, mode, pointer } of policies) {
      if (mode !== 'enforce') continue
      const document = findPolicy(config, pointer)
      if (document === undefined) continue
      this.observed.rules.add(id)
      this.#lookAt(document, tool, lane)
    }
  }

  #lookAt(document: PolicyDocument, tool: string, lane: number): void {
    const { id } = document
    const isFirst = !this.#known.has(`${lane} ${id}`)
    this.#known.add(`${lane} ${id}`)
    if (!isKnownPolicy(document)) return
    switch (document.type) {
      case 'sequential_dependency':
        this.#lookAtOrder(document, tool)
        return
      case 'read_before_write':
        if (isFirst) this.#lookAtReads(document)
        return
      case 'rate_limit':
        if (isFirst) {
          const unit = this.#focus.isDirect === true ? document.max_calls : 1
          this.observed.rates.push({ lane, rule: id, ms: document.per_seconds * 1000, unit })
        }
        this.#sharing.push(...document.tools)
        return
      case 'approval':
        this.observed.isReviewed = true
        if (document.when !== undefined)
          this.#condition({ source: document.when, variables: CALL_VARIABLES, tool, rule: id })
        return
      case 'expression':
        this.#condition({
          source: readCondition(document).source,
          variables: CALL_VARIABLES,
          tool,
          rule: id,
        })
        return
      default:
        document satisfies never
    }
  }

  #lookAtOrder({ dependencies, after = [] }: SequentialDependencyDocument, tool: string): void {
    for (const needed of dependencies[tool] ?? []) {
      this.#need(needed)
      this.observed.successes.add(needed)
      for (const other of after) this.#outdating.push([needed, other])
    }
  }

  #lookAtReads({ id, path_params, read_tools, write_tools }: ReadBeforeWriteDocument): void {
    this.observed.reads.set(id, path_params?.[0] ?? 'path')
    for (const tool of [...read_tools, ...write_tools]) this.#need(tool)
  }

  #check(checker: CheckerDocument | undefined): void {
    if (checker === undefined || !isKnownChecker(checker)) return
    switch (checker.type) {
      case 'composite':
        for (const child of checker.checkers) this.#check(child)
        return
      case 'tool_succeeded':
        this.#need(checker.tool)
        this.observed.lasts.add(checker.tool)
        for (const other of checker.after ?? []) this.#pair(checker.tool, other)
        return
      case 'plan':
        this.#compareSession('plan.done', null)
        return
      case 'expression':
        this.#condition({
          source: checker.require,
          variables: STOP_VARIABLES,
          tool: null,
          rule: null,
        })
        return
      // Files and answers are facts of the stop.
      case 'files_exist':
      case 'llm_judge':
        return
      default:
        checker satisfies never
    }
  }

  #doubt(rule: string | null, why: string): void {
    if (!this.observed.doubts.some((doubt) => doubt.rule === rule && doubt.why === why))
      this.observed.doubts.push({ rule, why })
  }

  #compareSession(field: string, literal: Literal): void {
    const known = this.observed.session.get(field) ?? new Set()
    this.observed.session.set(field, known.add(literal))
  }

  #condition(condition: Condition): void {
    const { source, variables, rule } = condition
    const atoms = this.#readAtoms(source, variables)
    if (atoms === null) this.#doubt(rule, `\`${source}\` cannot be read`)
    for (const atom of atoms ?? []) this.#atom(atom, condition)
  }

  #atom(atom: Atom, condition: Condition): void {
    const { source, tool, rule } = condition
    const [first, ...others] = atom.paths
    if (first === undefined || atom.paths.every(([root]) => root === 'tool')) return
    if (others.length > 0) {
      this.observed.isVague ||= atom.paths.some(([root]) => REMEMBERED.has(root ?? ''))
      this.#doubt(rule, `\`${source}\` compares two values with each other`)
      for (const path of atom.paths) this.#value(path, { literals: [MOST_TRIED], tool })
    } else if (first[0] === 'args') {
      this.#argument(atom, condition)
    } else {
      const isExact = atom.form === 'compared' || atom.form === 'present'
      if (!isExact) {
        this.observed.isVague = true
        this.#doubt(rule, `\`${source}\` computes with a value of the session`)
      }
      this.#value(first, { literals: atom.literals, tool })
    }
  }

  #argument(atom: Atom, { source, tool, rule }: Condition): void {
    const path = atom.paths[0] ?? []
    const isNamed = path.length > 1 && !path.includes(null)
    if (atom.form === 'other' || !isNamed)
      this.#doubt(rule, `\`${source}\` is tried on samples only`)
    if (tool !== null && isNamed)
      this.observed.args.set(tool, (this.observed.args.get(tool) ?? new Set()).add(atom))
  }

  #value(
    path: readonly (string | null)[],
    { literals, tool }: { literals: readonly Literal[]; tool: string | null },
  ): void {
    const [root, ...rest] = path
    if (root === 'stop') this.observed.readsStop = true
    if (root === 'session') this.#field(rest.join('.'), literals)
    if (root === 'calls')
      this.#count(rest[0] === null ? tool : (rest[0] ?? null), rest[1] ?? null, literals)
  }

  #field(field: string, literals: readonly Literal[]): void {
    if (!VARIED.has(field) && !field.startsWith('tags.')) {
      this.observed.isVague = true
      this.#doubt(null, `\`session.${field}\` is not varied`)
    }
    if (field === 'calls') this.#need(OTHER_TOOL)
    if (field === 'stop_blocks' && !this.#focus.stops)
      this.#doubt(null, 'a condition counts blocked stops, which this question does not try')
    const isTried = (literal: Literal): boolean => typeof literal !== 'number' || literal <= 1
    if (field.startsWith('plan.') && !literals.every(isTried))
      this.#doubt(null, 'only plans of one step are tried')
    for (const literal of literals.length === 0 ? [null] : literals)
      this.#compareSession(field, literal)
  }

  #count(tool: string | null, field: string | null, literals: readonly Literal[]): void {
    if (tool === null || field === null) {
      this.observed.isVague = true
      this.#doubt(null, 'a condition reads the counts of every tool')
      return
    }
    this.#need(tool)
    if (field === 'last') {
      this.observed.lasts.add(tool)
      return
    }
    const count = COUNTS.find((name) => name === field)
    // The condition cannot be evaluated, whatever the session did.
    if (count === undefined) return
    const key = `${tool} ${count}`
    const numbers = literals.filter((literal) => typeof literal === 'number')
    const most = Math.max(0, ...numbers.map((number) => Math.ceil(number))) + 1
    const known = this.observed.counts.get(key)
    this.observed.counts.set(key, { tool, field: count, most: Math.max(most, known?.most ?? 0) })
  }
}

function findPolicy(config: CompiledConfig, pointer: string): PolicyDocument | undefined {
  return placeDocument(config.document).policies.find((one) => one.pointer === pointer)?.item
}
