import {
  type AnswerRequest,
  type CompiledConfig,
  type EventOf,
  type FactRequest,
  type Facts,
  type FileFact,
  isJsonObject,
  type JsonObject,
  type RuleAnswer,
  type SessionState,
} from '@signalbox/core'
import { factsNeeded, listLeaves } from '@signalbox/core/host'
import { snapshotState } from '@signalbox/core/snapshot'
import { type Redact, RuleAnswerV1 } from '@signalbox/wire'
import type { OnDiagnostic } from '../base/diagnostic.ts'
import { describeError } from '../base/guardrail-error.ts'
import { awaitedSleep } from '../base/sleep.ts'
import type { CustomRules, RuleContext } from './custom-rules.ts'
import type { FileLookup } from './file-lookup.ts'
import { askJudge, DEFAULT_JUDGE_TIMEOUT_MS, type JudgeOptions, judgeQuestion } from './judge.ts'
import { type RuleDocument, ruleDocuments } from './rule-documents.ts'

/** Events that core cannot evaluate without facts. */
export type AskingEvent =
  | EventOf<'tool.requested'>
  | EventOf<'tool.invoked'>
  | EventOf<'stop.attempted'>

export interface FactSources {
  readonly files: FileLookup
  readonly custom: CustomRules
  /** null: no model can be asked. */
  readonly judge: JudgeOptions | null
}

export interface FactFinderParts extends FactSources {
  readonly config: CompiledConfig
  readonly redact: Redact
  readonly report: OnDiagnostic
  /** Milliseconds allowed for a file look-up or for custom code. */
  readonly answerMs: number
}

/** The calls of a session wait for each other, so look-ups must be short. */
export const DEFAULT_ANSWER_MS = 5000
const TOO_LATE: unique symbol = Symbol('too late')

/** Repeats until no fact is missing. A look-up that fails or hangs is unknown, and unknown denies. */
export class FactFinder {
  readonly #parts: FactFinderParts
  readonly #rules: ReadonlyMap<string, RuleDocument>
  /** By rule: criteria of the checkers that a model answers. */
  readonly #criteria: ReadonlyMap<string, string>

  constructor(parts: FactFinderParts) {
    this.#parts = parts
    const { document, checker } = parts.config
    this.#rules = ruleDocuments(document)
    const leaves = checker === null ? [] : listLeaves(checker)
    this.#criteria = new Map(
      leaves.flatMap(({ id, criteria }) => (criteria === null ? [] : [[id, criteria] as const])),
    )
  }

  /** Returns the event with all facts that core needs. `args`: arguments of a request before redaction. */
  async complete(state: SessionState, event: AskingEvent, args?: unknown): Promise<AskingEvent> {
    let asking = event
    for (;;) {
      const request = factsNeeded(this.#parts.config, state, asking)
      const { files, links, answers } = request
      if (files.length === 0 && links.length === 0 && answers.length === 0) return asking
      const facts = await this.#find(request, { state, event: asking, args })
      // Only `facts` was added, which each of these three events may have.
      asking = { ...asking, data: { ...asking.data, facts } } as AskingEvent
    }
  }

  async #find(request: FactRequest, asked: Asked): Promise<Facts> {
    const known = asked.event.data.facts
    const files = await Promise.all(
      request.files.map(async (file) => [file, await this.#lookUp(file)] as const),
    )
    const links = await Promise.all(
      request.links.map(async (path) => [path, await this.#isLink(path)] as const),
    )
    const answers = await Promise.all(
      request.answers.map(async (each) => [each.rule, await this.#answer(each, asked)] as const),
    )
    return {
      ...(known?.content === undefined ? {} : { content: known.content }),
      ...(files.length === 0 && known?.files === undefined
        ? {}
        : { files: { ...known?.files, ...Object.fromEntries(files) } }),
      ...(links.length === 0 && known?.links === undefined
        ? {}
        : { links: { ...known?.links, ...Object.fromEntries(links) } }),
      ...(answers.length === 0 && known?.answers === undefined
        ? {}
        : { answers: { ...known?.answers, ...Object.fromEntries(answers) } }),
    }
  }

  async #lookUp(file: string): Promise<FileFact> {
    try {
      const found = await inTime(this.#parts.answerMs, () => this.#parts.files.lookUp(file))
      return found === TOO_LATE ? { exists: 'unknown' } : found
    } catch (error) {
      this.#failed('file_not_looked_up', error)
      return { exists: 'unknown' }
    }
  }

  async #isLink(path: string): Promise<boolean | 'unknown'> {
    const { files, answerMs } = this.#parts
    try {
      const found = await inTime(answerMs, async () => files.isLink?.(path) ?? 'unknown')
      return found === TOO_LATE ? 'unknown' : found
    } catch (error) {
      this.#failed('file_not_looked_up', error)
      return 'unknown'
    }
  }

  /** Redacts the answer like everything that is recorded, then checks it. A wrong shape is an error. */
  async #answer(request: AnswerRequest, asked: Asked): Promise<RuleAnswer> {
    try {
      const limit = this.#criteria.has(request.rule) ? this.#judgeMs() : this.#parts.answerMs
      const given = await inTime(limit, (signal) => this.#ask(request, asked, signal))
      if (given === TOO_LATE) return this.#refuse(request, `No answer within ${limit / 1000} s.`)
      const parsed = RuleAnswerV1.safeParse(this.#parts.redact(given))
      if (!parsed.success) return this.#refuse(request, 'The answer has the wrong form.')
      return parsed.data.kind === 'error' ? this.#refuse(request, parsed.data.error) : parsed.data
    } catch (error) {
      return this.#refuse(request, describeError(error))
    }
  }

  #judgeMs(): number {
    return this.#parts.judge?.timeoutMs ?? DEFAULT_JUDGE_TIMEOUT_MS
  }

  #refuse({ rule }: AnswerRequest, reason: string): RuleAnswer {
    this.#failed('rule_not_answered', new Error(`Rule "${rule}": ${reason}`))
    return { kind: 'error', error: reason.slice(0, 2000) }
  }

  async #ask(request: AnswerRequest, asked: Asked, signal: AbortSignal): Promise<RuleAnswer> {
    const { state, event } = asked
    const document = this.#rules.get(request.rule)
    const context: RuleContext = {
      session: event.session,
      rule: request.rule,
      params: readRuleParams(document),
      snapshot: () => structuredClone(snapshotState(state)),
      at: event.at,
      signal,
    }
    const { custom, judge } = this.#parts
    switch (event.type) {
      case 'tool.requested': {
        const { tool, call_id: callId } = event.data
        const question = { ...context, tool, callId, args: asked.args ?? event.data.args }
        return required(custom.policies, request).answer(question)
      }
      case 'tool.invoked':
        return required(custom.providers, request).answer({ ...context, call: event.data })
      case 'stop.attempted': {
        const criteria = this.#criteria.get(request.rule)
        if (criteria === undefined) {
          return required(custom.checkers, request).answer({ ...context, stop: event.data })
        }
        if (judge === null) return { kind: 'unavailable' }
        const question = judgeQuestion(criteria, state, event.data)
        return askJudge(judge.model, question, signal)
      }
      default:
        return event satisfies never
    }
  }

  #failed(code: string, error: unknown): void {
    this.#parts.report({ level: 'error', code, message: describeError(error) })
  }
}

interface Asked {
  readonly state: SessionState
  readonly event: AskingEvent
  readonly args: unknown
}

function readRuleParams(document: RuleDocument | undefined): JsonObject {
  const params = document !== undefined && 'params' in document ? document.params : undefined
  return isJsonObject(params) ? params : {}
}

/** Throws if the type is not registered. A config with such a rule is refused earlier, so this happens only after a defect, and denies. */
function required<Custom>(
  types: { readonly [type: string]: Custom } | undefined,
  { type }: AnswerRequest,
): Custom {
  const custom = types !== undefined && Object.hasOwn(types, type) ? types[type] : undefined
  if (custom === undefined) throw new Error(`No code is registered for the type "${type}".`)
  return custom
}

async function inTime<Result>(
  ms: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result | typeof TOO_LATE> {
  const done = new AbortController()
  const late = new AbortController()
  const timer = awaitedSleep(ms, done.signal).then((): typeof TOO_LATE => {
    late.abort()
    return TOO_LATE
  })
  try {
    return await Promise.race([work(late.signal), timer])
  } finally {
    done.abort()
  }
}
