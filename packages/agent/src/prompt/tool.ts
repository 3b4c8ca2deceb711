import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { BudgetTracker } from '../state/budget.ts'
import type { Deadline } from '../state/deadline.ts'
import type { SessionAccess } from '../state/session-access.ts'
import type { DispatchedEvent, SliceDefinition } from '../state/slice.ts'
import type { WorkspaceAccess } from '../workspace/workspace.ts'
import { findJsonSchema, type JsonSchema, parseArguments } from './arguments.ts'
import type { PromptInfo } from './prompt-info.ts'
import type { Resources } from './resources.ts'
import type { ToolResult } from './tool-result.ts'

/** Context of a handler. Its writes through `session` and `filesystem` are kept if the call succeeds, and rolled back if not. */
export interface ToolContext {
  readonly prompt: PromptInfo
  readonly session: SessionAccess
  /** Throws GuardrailError `bad_options` if the session has no workspace. */
  readonly filesystem: WorkspaceAccess
  readonly resources: Resources
  readonly deadline: Deadline | null
  readonly budget: BudgetTracker | null
  readonly callId: string
  /** Aborts when the caller no longer needs the result. */
  readonly signal: AbortSignal
  /** Reports that work continues; extends the lease of the message that the session works on. */
  beat(): void
}

export type ToolHandler<Params, Value> = (
  params: Params,
  context: ToolContext,
) => ToolResult<Value> | Promise<ToolResult<Value>>

export interface ToolOptions<Params, Value> {
  /** 1 to 64 characters of `a-z`, `0-9`, `_` and `-`. */
  readonly name: string
  readonly description?: string
  /** Any Standard Schema of an object. Names that it does not list are refused. */
  readonly parameters: StandardSchemaV1<unknown, Params>
  readonly handler: ToolHandler<Params, Value>
  /** Slice that receives the value of every successful call. Absent: the value is only in the log of calls. */
  readonly slice?: SliceDefinition<Value>
}

export interface Prepared {
  readonly ok: true
  readonly params: unknown
  run(context: ToolContext): Promise<ToolResult>
}

export type PreparedCall = Prepared | { readonly ok: false; readonly reason: string }

export interface AnyTool {
  readonly name: string
  readonly description: string
  /** JSON Schema for the model; null: the schema's library cannot produce it. */
  readonly inputSchema: JsonSchema | null
  /** Parses the arguments strictly. Rejects only if the schema itself throws. */
  prepare(args: unknown): Promise<PreparedCall>
  /** Prepares a call with parameters from an earlier `prepare`, without parsing them again. */
  resume(params: unknown): Prepared
  /** Event that stores the value of a successful call; null: the call failed, or there is no slice. */
  toEvent(result: ToolResult): DispatchedEvent | null
}

export class Tool<Params, Value = unknown> implements AnyTool {
  readonly name: string
  readonly description: string
  readonly parameters: StandardSchemaV1<unknown, Params>
  readonly #handler: ToolHandler<Params, Value>
  readonly #slice: SliceDefinition<Value> | null

  constructor(options: ToolOptions<Params, Value>) {
    this.name = options.name
    this.description = options.description ?? ''
    this.parameters = options.parameters
    this.#handler = options.handler
    this.#slice = options.slice ?? null
  }

  get inputSchema(): JsonSchema | null {
    return findJsonSchema(this.parameters)
  }

  async prepare(args: unknown): Promise<PreparedCall> {
    const parsed = await parseArguments(this.parameters, args)
    return parsed.ok ? this.resume(parsed.params) : parsed
  }

  resume(params: unknown): Prepared {
    // `params` came out of `prepare`, so the schema produced it.
    const run = async (context: ToolContext) => this.#handler(params as Params, context)
    return { ok: true, params, run }
  }

  toEvent(result: ToolResult): DispatchedEvent | null {
    if (this.#slice === null || !result.success) return null
    // Only this tool's handler creates its results, and a successful one contains a `Value`.
    return this.#slice(result.value as Value)
  }
}
