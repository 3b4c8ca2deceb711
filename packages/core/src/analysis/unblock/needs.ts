// What each checker of the tree still needs, one by one. Steps that are the same thing have the same key, so that two checkers
// that wait for one file need it once.

import type { CompiledConfig } from '../../engine/compile.ts'
import { type CheckContext, isComplete, type LeafChecker } from '../../kinds/checkers/checker.ts'
import type { FilesExistCheckerDocument } from '../../kinds/checkers/files-exist.ts'
import type { LlmJudgeCheckerDocument } from '../../kinds/checkers/llm-judge.ts'
import type { ToolSucceededCheckerDocument } from '../../kinds/checkers/tool-succeeded.ts'
import { runChecker } from '../../kinds/checkers/tree.ts'
import type { CheckerDocument } from '../../kinds/checkers.ts'
import { isComposite, isKnownChecker } from '../../kinds/checkers.ts'
import type { CheckResult } from '../../model/effect.ts'
import { answerOf, fileFact, type RuleAnswer } from '../../model/fact.ts'
import { pathInDocument } from '../../model/path.ts'
import type { UnblockStep } from './unblock-step.ts'

/** A step before it is known who else needs it. */
export type KeyedStep = Omit<UnblockStep, 'checkers' | 'prerequisiteOf'> & { readonly key: string }

export interface Need {
  readonly checker: string
  readonly steps: readonly KeyedStep[]
  /** What it needs too once a model answers: a judge that passes for want of one is asked then. null: nothing. */
  readonly withModel: KeyedStep | null
  /** The tool whose last run must have succeeded after those of `after`; null for other checkers. */
  readonly run: {
    readonly tool: string
    readonly after: readonly string[]
    readonly isMet: boolean
  } | null
}

export type Needs = (leaf: LeafChecker) => Need

/** Needs of the leaves of this config's tree at this attempt. */
export function needsAt(config: CompiledConfig, context: CheckContext): Needs {
  const documents = documentsById(config.document.task_completion_checker)
  const known = new Map<string, Need>()
  const needOf = (leaf: LeafChecker): Need => {
    const result = runChecker(leaf, context, 'everything')
    const need: Need = { checker: leaf.id, steps: [], withModel: null, run: null }
    const document = documents.get(leaf.id)
    if (document === undefined) return need
    const run = isKnownChecker(document) ? runOf(document, isComplete(result)) : null
    if (run !== null) return { ...need, run }
    return isComplete(result)
      ? { ...need, withModel: withModel(document, context) }
      : { ...need, steps: stepsOf(document, result, context) }
  }
  return (leaf) => {
    const need = known.get(leaf.id) ?? needOf(leaf)
    known.set(leaf.id, need)
    return need
  }
}

function documentsById(root: CheckerDocument | undefined): ReadonlyMap<string, CheckerDocument> {
  const found = new Map<string, CheckerDocument>()
  const visit = (document: CheckerDocument): void => {
    found.set(document.id, document)
    if (isComposite(document)) document.checkers.forEach(visit)
  }
  if (root !== undefined) visit(root)
  return found
}

function runOf(document: CheckerDocument, isMet: boolean): Need['run'] {
  if (!isToolSucceeded(document)) return null
  const { tool, after = [] } = document
  return { tool, after: after.filter((other) => other !== tool), isMet }
}

function isToolSucceeded(document: CheckerDocument): document is ToolSucceededCheckerDocument {
  return document.type === 'tool_succeeded'
}

function stepsOf(
  document: CheckerDocument,
  result: CheckResult,
  context: CheckContext,
): readonly KeyedStep[] {
  if (result.code === 'checker.threw') return [unevaluated(document.id, result)]
  if (!isKnownChecker(document)) {
    return [answerStep(document.id, context, `Satisfy the check \`${document.id}\``)]
  }
  switch (document.type) {
    case 'plan':
      return planSteps(context)
    case 'files_exist':
      return fileSteps(document, context)
    case 'llm_judge':
      return judgeSteps(document, context)
    case 'expression':
      return result.status === 'error'
        ? [{ ...unevaluated(document.id, result), owner: 'config' }]
        : [
            {
              key: `expression ${document.require}`,
              code: 'expression.satisfy',
              text: `Make \`${document.require}\` true`,
              owner: 'agent',
              since: null,
              action: { kind: 'other' },
              obstacle: null,
            },
          ]
    default:
      return []
  }
}

function unevaluated(checker: string, { feedback }: CheckResult): KeyedStep {
  return {
    key: `mend ${checker}`,
    code: 'checker.mend',
    text: `Mend the check \`${checker}\``,
    owner: 'operator',
    since: null,
    action: { kind: 'other' },
    obstacle: feedback ?? 'It could not be evaluated.',
  }
}

function planSteps({ state: { plan } }: CheckContext): readonly KeyedStep[] {
  if (plan === null) return []
  return plan.steps.flatMap(({ title, status }, index): readonly KeyedStep[] => {
    if (status === 'done') return []
    const untouched = status === undefined || status === 'pending'
    return [
      {
        key: `plan ${index}`,
        code: 'plan.finish_step',
        text: untouched ? `Finish or remove “${title}”` : `Finish “${title}”`,
        owner: 'agent',
        since: plan.seq,
        action: { kind: 'plan_step', index },
        obstacle: null,
      },
    ]
  })
}

function fileSteps(
  { files }: FilesExistCheckerDocument,
  { stop }: CheckContext,
): readonly KeyedStep[] {
  return files.flatMap((given): readonly KeyedStep[] => {
    const path = pathInDocument(given)
    if (path === null) {
      const obstacle = `\`${given}\` lies outside the workspace.`
      return [{ ...fileStep(given, given, 'files.cannot_check'), owner: 'config', obstacle }]
    }
    const { exists } = fileFact(stop.facts, path)
    if (exists === true) return []
    return [fileStep(given, path, exists === false ? 'files.create' : 'files.cannot_check')]
  })
}

function fileStep(
  given: string,
  path: string,
  code: 'files.create' | 'files.cannot_check',
): KeyedStep {
  const known = code === 'files.create'
  return {
    key: `file ${path}`,
    code,
    text: known ? `Create \`${given}\`` : `Make \`${given}\` visible to the runtime`,
    owner: known ? 'agent' : 'operator',
    since: null,
    action: { kind: 'file', path },
    obstacle: null,
  }
}

/** A check that was not asked, because another one decided first, can still say yes. */
function answerStep(rule: string, { stop }: Pick<CheckContext, 'stop'>, text: string): KeyedStep {
  const answer = answerOf(stop.facts, rule)
  return {
    key: `answer ${rule}`,
    code: 'answer.satisfy',
    text,
    owner: 'agent',
    since: null,
    action: { kind: 'answer', rule },
    obstacle: answer === undefined || answer.kind === 'check' ? null : faultOf(answer),
  }
}

function faultOf(answer: RuleAnswer): string {
  if (answer.kind === 'error') return `It could not be evaluated: ${answer.error}`
  return answer.kind === 'unavailable' ? 'Nothing answers for it.' : 'Its answer made no sense.'
}

function withModel(document: CheckerDocument, { stop }: CheckContext): KeyedStep | null {
  const isUnasked = isJudge(document) && answerOf(stop.facts, document.id)?.kind === 'unavailable'
  return isUnasked ? { ...satisfyJudge(document, { stop }), obstacle: null } : null
}

function isJudge(document: CheckerDocument): document is LlmJudgeCheckerDocument {
  return document.type === 'llm_judge'
}

function satisfyJudge(
  { id, criteria }: LlmJudgeCheckerDocument,
  context: Pick<CheckContext, 'stop'>,
): KeyedStep {
  return answerStep(id, context, `Satisfy the judge: ${criteria}`)
}

/** The key of the step that gives the runtime a model. */
export const JUDGE_MODEL = 'judge model'

function judgeSteps(
  document: LlmJudgeCheckerDocument,
  context: CheckContext,
): readonly KeyedStep[] {
  const satisfy = satisfyJudge(document, context)
  if (answerOf(context.stop.facts, document.id)?.kind !== 'unavailable') return [satisfy]
  const configure: KeyedStep = {
    key: JUDGE_MODEL,
    code: 'judge.configure',
    text: 'Give the runtime a model for the judge',
    owner: 'operator',
    since: null,
    action: { kind: 'model' },
    obstacle: null,
  }
  return [configure, { ...satisfy, obstacle: null }]
}
