// A refusal or free text is an error, which counts as not complete.

import type { JudgeModel } from '@signalbox/runtime'
import { generateText, type LanguageModel, Output } from 'ai'
import * as z from 'zod/v4'

const Judgment = z.object({
  complete: z.boolean().describe('true only when every criterion is met'),
  feedback: z.string().describe('what is missing, for the agent; empty when complete'),
})

/** `id`: name in the record. Absent: the model's own provider and id. */
export function judgeModel(model: LanguageModel, id: string = formatModelName(model)): JudgeModel {
  return {
    id,
    judge: async ({ system, prompt }, signal) => {
      const { output } = await generateText({
        model,
        // `ai` 7 prefers `instructions`, but both versions accept this name.
        system,
        prompt,
        output: Output.object({ schema: Judgment }),
        abortSignal: signal,
        maxRetries: 1,
      })
      return output
    },
  }
}

function formatModelName(model: LanguageModel): string {
  return typeof model === 'string' ? model : `${model.provider}/${model.modelId}`
}
