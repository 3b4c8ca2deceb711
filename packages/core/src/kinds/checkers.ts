// A type is its own file, its lines here and its form in `forms/`; a missing part does not compile.

import { pointerTo } from '../model/json.ts'
import type { CheckerBase } from '../model/rule.ts'
import { type RuleWords, text } from './base/rule-words.ts'
import type { Checker } from './checkers/checker.ts'
import type { CheckerRule } from './checkers/checker-rule.ts'
import {
  type CustomCheckerDocument,
  customChecker,
  customCheckerRule,
  customCheckerWords,
} from './checkers/custom.ts'
import {
  type ExpressionCheckerDocument,
  expressionCheckerRule,
  expressionCheckerWords,
} from './checkers/expression.ts'
import {
  type FilesExistCheckerDocument,
  filesExistChecker,
  filesExistRule,
  filesExistWords,
} from './checkers/files-exist.ts'
import {
  type LlmJudgeCheckerDocument,
  llmJudgeChecker,
  llmJudgeRule,
  llmJudgeWords,
} from './checkers/llm-judge.ts'
import { type PlanCheckerDocument, planChecker, planRule, planWords } from './checkers/plan.ts'
import {
  type ToolSucceededCheckerDocument,
  toolSucceededChecker,
  toolSucceededRule,
  toolSucceededWords,
} from './checkers/tool-succeeded.ts'
import { admits, refuse, requireExpressions } from './compilation.ts'
import type { Compilation } from './compile-options.ts'

/** Several checks combined, nested at most 16 deep. */
export interface CompositeCheckerDocument extends CheckerBase {
  readonly type: 'composite'
  readonly checkers: readonly CheckerDocument[]
  /** Absent: true. False: one passing child is sufficient. */
  readonly all_must_pass?: boolean
}

export type KnownCheckerDocument =
  | PlanCheckerDocument
  | FilesExistCheckerDocument
  | CompositeCheckerDocument
  | ToolSucceededCheckerDocument
  | LlmJudgeCheckerDocument
  | ExpressionCheckerDocument
export type CheckerDocument = KnownCheckerDocument | CustomCheckerDocument

export type CheckerType = KnownCheckerDocument['type']
export type CheckerDocumentOf<Type extends CheckerType> = Extract<
  KnownCheckerDocument,
  { readonly type: Type }
>
type LeafType = Exclude<CheckerType, 'composite'>

interface CheckerCompiler<Document> {
  /** null: the document is refused. */
  compile(document: Document, place: Place, compilation: Compilation): Checker | null
}

const COMPILERS = {
  plan: (document, { pointer }) => planChecker(document, pointer),
  files_exist: (document, { pointer }) => filesExistChecker(document, pointer),
  composite,
  tool_succeeded: (document, { pointer }) => toolSucceededChecker(document, pointer),
  llm_judge: (document, { pointer }) => llmJudgeChecker(document, pointer),
  expression: (document, { pointer }, compilation) =>
    requireExpressions(compilation, pointerTo(pointer, 'require'))?.checker(
      document,
      pointer,
      compilation,
    ) ?? null,
} as const satisfies {
  readonly [Type in CheckerType]: CheckerCompiler<CheckerDocumentOf<Type>>['compile']
}

const RULES = {
  plan: planRule,
  files_exist: filesExistRule,
  tool_succeeded: toolSucceededRule,
  llm_judge: llmJudgeRule,
  expression: expressionCheckerRule,
} as const satisfies { readonly [Type in LeafType]: CheckerRule<CheckerDocumentOf<Type>> }

export const CHECKER_WORDS = {
  plan: planWords,
  files_exist: filesExistWords,
  tool_succeeded: toolSucceededWords,
  llm_judge: llmJudgeWords,
  expression: expressionCheckerWords,
  composite: {
    describe: ({ checkers, all_must_pass = true }) => {
      const rule = all_must_pass ? 'All of' : 'Any of'
      return `${rule}: ${checkers.map(describeChecker).join('; ') || 'nothing'}`
    },
    sentences: {
      'composite.all_passed': () => 'All checks passed',
      'composite.child_passed': (p) => `${text(p['cause'])} passed, and one is enough`,
      'composite.child_incomplete': (p) => `${text(p['cause'])} is not complete`,
      'composite.none_passed': () => 'No check passed, and one would be enough',
      'composite.empty': () => 'No checkers are configured',
    },
  },
} as const satisfies { readonly [Type in CheckerType]: RuleWords<CheckerDocumentOf<Type>> }

// Object.keys is typed as a list of strings.
export const CHECKER_TYPES = Object.keys(COMPILERS) as readonly CheckerType[]

export function isKnownChecker(document: CheckerDocument): document is KnownCheckerDocument {
  return Object.hasOwn(COMPILERS, document.type)
}

export function isComposite(document: CheckerDocument): document is CompositeCheckerDocument {
  return document.type === 'composite'
}

export const MAX_CHECKER_DEPTH = 16

interface Place {
  readonly pointer: string
  /** 1 for the root. */
  readonly depth: number
}

/** null: the checker is left out, because no code here answers for its type or because the document is refused. */
export function compileChecker(
  document: CheckerDocument,
  { pointer, depth }: Place,
  compilation: Compilation,
): Checker | null {
  if (depth > MAX_CHECKER_DEPTH) {
    return refuse(compilation, pointer, { code: 'too_deep' })
  }
  if (!admits(compilation, document, { pointer, known: CHECKER_TYPES })) return null
  if (!isKnownChecker(document)) return customChecker(document, pointer)
  const compile: CheckerCompiler<KnownCheckerDocument>['compile'] = COMPILERS[document.type]
  return compile(document, { pointer, depth }, compilation)
}

function composite(
  document: CompositeCheckerDocument,
  { pointer, depth }: Place,
  compilation: Compilation,
): Checker {
  const below = pointerTo(pointer, 'checkers')
  return {
    kind: 'composite',
    id: document.id,
    pointer,
    type: 'composite',
    allMustPass: document.all_must_pass ?? true,
    children: document.checkers.flatMap((child, i) => {
      const place = { pointer: pointerTo(below, i), depth: depth + 1 }
      return compileChecker(child, place, compilation) ?? []
    }),
  }
}

/** Rule part of the document's type; null: the checker is a composite. */
export function checkerRule(document: CheckerDocument): CheckerRule<CheckerDocument> | null {
  if (!isKnownChecker(document)) return customCheckerRule
  return document.type === 'composite' ? null : RULES[document.type]
}

export function describeChecker(document: CheckerDocument): string {
  const words: RuleWords<CheckerDocument> = isKnownChecker(document)
    ? CHECKER_WORDS[document.type]
    : customCheckerWords
  return words.describe(document)
}
