import type { CompiledConfig } from '../engine/compile.ts'
import { atomReader } from '../expression/condition-atoms.ts'
import { placeDocument } from '../kinds/placed.ts'
import type { Question } from './question.ts'

export interface QuestionFault {
  readonly code:
    | 'question_names_unknown_tool'
    | 'question_names_unknown_rule'
    | 'question_condition_invalid'
  /** Field of the question; a place in `after` follows after a period. */
  readonly field: string
  readonly message: string
}

/** Names what the question asks about and the config does not have; null: it can be asked. */
export function findQuestionFault(
  config: CompiledConfig,
  question: Question,
): QuestionFault | null {
  const { declaredTools, policies } = placeDocument(config.document)
  const unknown = listTools(question).find(
    ([, tool]) => declaredTools.size > 0 && !declaredTools.has(tool),
  )
  if (unknown !== undefined) {
    const [field, tool] = unknown
    const message = `No section declares the tool "${tool}". Correct its name, or declare it.`
    return { code: 'question_names_unknown_tool', field, message }
  }
  if (question.ask === 'decisive' && !policies.some(({ item }) => item.id === question.rule)) {
    const message = `The config has no policy "${question.rule}".`
    return { code: 'question_names_unknown_rule', field: 'rule', message }
  }
  if (question.ask === 'run_where' && atomReader()(question.when, ['args']) === null) {
    const message = `"${question.when}" is no CEL condition over args.`
    return { code: 'question_condition_invalid', field: 'when', message }
  }
  return null
}

type NamedTool = readonly [field: string, tool: string]

function listTools(question: Question): readonly NamedTool[] {
  switch (question.ask) {
    case 'run_without':
      return [['tool', question.tool], ...listNeeded(question)]
    case 'stop_without':
      return listNeeded(question)
    case 'run_where':
    case 'most_calls':
      return [['tool', question.tool]]
    default:
      return []
  }
}

function listNeeded({
  needs,
  after = [],
}: {
  readonly needs: string
  readonly after?: readonly string[]
}): readonly NamedTool[] {
  return [['needs', needs], ...after.map((tool, i): NamedTool => [`after.${i}`, tool])]
}
