import { PromptEvaluationError } from '@signalbox/runtime'
import { GuardrailError } from '@signalbox/runtime/base'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { TaskCompletionChecker } from './completion.ts'
import type { PolicyDeclaration } from './policy-declaration.ts'
import type { PromptInfo } from './prompt-info.ts'
import type { PromptParameters, PromptTemplate } from './prompt-template.ts'
import type { FeedbackProviderConfig } from './provider-declaration.ts'
import { renderSections } from './render.ts'
import type { AnyTool } from './tool.ts'

export interface RenderedPrompt {
  readonly promptName: string
  readonly text: string
  readonly tools: readonly AnyTool[]
}

export class Prompt<Params extends object = PromptParameters, Output = string>
  implements PromptInfo
{
  readonly template: PromptTemplate<Params, Output>
  readonly #values: Partial<Params>

  constructor(template: PromptTemplate<Params, Output>, values: Partial<Params> = {}) {
    this.template = template
    this.#values = values
  }

  get ns(): string {
    return this.template.ns
  }

  get key(): string {
    return this.template.key
  }

  get name(): string {
    return this.template.name
  }

  get tools(): readonly AnyTool[] {
    return [...this.template.tools.values()]
  }

  get feedbackProviders(): readonly FeedbackProviderConfig[] {
    return this.template.feedbackProviders
  }

  get taskCompletionChecker(): TaskCompletionChecker | null {
    return this.template.taskCompletionChecker
  }

  policiesForTool(name: string): readonly PolicyDeclaration[] {
    return this.template.policiesForTool(name)
  }

  /** Returns the prompt with these values. Earlier values stay unless given again. */
  bind(values: Partial<Params>): Prompt<Params, Output> {
    return new Prompt(this.template, { ...this.#values, ...values })
  }

  /** Throws GuardrailError `prompt_invalid`, which names the parameter that is missing or not valid. */
  render(): RenderedPrompt {
    const values = this.#parameters()
    const text = renderSections(this.template.sections, values)
    return { promptName: this.name, text, tools: this.tools }
  }

  /** With an output schema, text must be JSON; without one, returns text unchanged. Rejects with PromptEvaluationError, phase `response`. */
  async parseOutput(given: unknown): Promise<Output> {
    const { output } = this.template
    const schema: StandardSchemaV1<unknown, Output> = output ?? this.#text()
    const value = output !== null && typeof given === 'string' ? this.#json(given) : given
    const result = await schema['~standard'].validate(value)
    if (result.issues === undefined) return result.value
    throw this.#unusable(result.issues[0]?.message ?? 'it is not valid')
  }

  #parameters(): { readonly [name: string]: unknown } {
    const { parameters } = this.template
    if (parameters === null) return { ...this.#values }
    const result = parameters['~standard'].validate(this.#values)
    if (result instanceof Promise)
      throw invalid('The schema of its parameters is asynchronous. Use a synchronous one.')
    if (result.issues === undefined) return Object.fromEntries(Object.entries(result.value))
    const { message = 'they are not valid', path = [] } = result.issues[0] ?? {}
    const place = path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.')
    throw invalid(`Its parameters were refused${place === '' ? '' : ` at "${place}"`}: ${message}`)
  }

  #text(): StandardSchemaV1<unknown, Output> {
    const validate = (value: unknown): StandardSchemaV1.Result<Output> =>
      typeof value === 'string'
        ? { value: value as Output }
        : { issues: [{ message: 'it is not text' }] }
    return { '~standard': { version: 1, vendor: 'signalbox', validate } }
  }

  #json(text: string): unknown {
    try {
      return JSON.parse(text)
    } catch (error) {
      throw this.#unusable('it is not JSON', error)
    }
  }

  #unusable(why: string, cause?: unknown): PromptEvaluationError {
    const message = `The result of ${this.name} cannot be used: ${why}`
    return new PromptEvaluationError(message, { promptName: this.name, phase: 'response', cause })
  }
}

function invalid(why: string): GuardrailError {
  return new GuardrailError('prompt_invalid', `The prompt cannot be rendered. ${why}`)
}
