import type { CompiledConfig } from '../engine/compile.ts'
import { atomReader } from '../expression/condition-atoms.ts'
import { placeDocument } from '../kinds/placed.ts'
import type { Question } from './question.ts'

/** Sentence about what the question names and the config does not have; null: it can be asked. */
export function findQuestionFault(config: CompiledConfig, question: Question): string | null {
  const { declaredTools, policies } = placeDocument(config.document)
  const unknown = listTools(question).find(
    (tool) => declaredTools.size > 0 && !declaredTools.has(tool),
  )
  if (unknown !== undefined)
    return `No section declares the tool "${unknown}". Correct its name, or declare it.`
  if (question.ask === 'decisive' && !policies.some(({ item }) => item.id === question.rule))
    return `The config has no policy "${question.rule}".`
  if (question.ask === 'run_where' && atomReader()(question.when, ['args']) === null)
    return `"${question.when}" is no CEL condition over args.`
  return null
}

function listTools(question: Question): readonly string[] {
  switch (question.ask) {
    case 'run_without':
      return [question.tool, question.needs, ...(question.after ?? [])]
    case 'stop_without':
      return [question.needs, ...(question.after ?? [])]
    case 'run_where':
    case 'most_calls':
      return [question.tool]
    default:
      return []
  }
}
