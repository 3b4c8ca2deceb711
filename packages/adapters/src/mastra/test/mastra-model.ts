import type { MastraLanguageModel } from '@mastra/core/agent'
import { type ScriptedModel, type ScriptedStep, scriptedModel } from '../../test/scripted-model.ts'

export function scriptMastraModel(
  script: readonly ScriptedStep[],
): Omit<ScriptedModel, 'model'> & { readonly model: MastraLanguageModel } {
  const { model, ...rest } = scriptedModel(script)
  // A model of the AI SDK, as Mastra takes them. With exact optional properties, the types of its copy of the specification differ.
  return { ...rest, model: model as unknown as MastraLanguageModel }
}
